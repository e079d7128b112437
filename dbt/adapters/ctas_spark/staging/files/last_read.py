"""What the publications of a run have read last, so that the end of the run need not read it."""

from collections.abc import Iterable

from ..context import TableName
from ..metastore.client import TableEntry

MOST_TABLES = 1_000
"""The entries stay in memory until the run ends, the metastore's own objects included."""


class LastRead:
    """Records of published versions, and the targets that showed them.

    A record was read before its target.
    """

    def __init__(self) -> None:
        self._entries: dict[TableName, TableEntry] = {}

    def keep(self, record: TableEntry, target: TableEntry) -> None:
        """For the end of the run; nothing if enough is kept."""
        if len(self._entries) < 2 * MOST_TABLES:
            self._entries |= {as_listed(one.name): one for one in (record, target)}

    def take(self, names: Iterable[TableName]) -> dict[TableName, TableEntry]:
        """Those of the names, in small letters, that are kept; they are not kept any more."""
        found = ((name, self._entries.pop(name, None)) for name in names)
        return {name: entry for name, entry in found if entry is not None}


def as_listed(name: TableName) -> TableName:
    """In small letters, as metastores answer."""
    return TableName(name.database, name.table.lower())
