"""What a few calls of the metastore show of many tables: their records first, then themselves."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import commonprefix

from ..context import TableName
from ..metastore.client import MetastoreClient, TableEntry
from .base import FileBase, checked
from .record import prefix_of, version_of


@dataclass(frozen=True, slots=True)
class Seen:
    """Entries of records by the beginning of their names, and of targets.

    What is judged by them can only be judged too cautiously: a record changes by compare-and-swap,
    a target's commits never return, and a deletion reads the target afresh.
    """

    records: Mapping[str, Sequence[TableEntry]]
    targets: Mapping[TableName, TableEntry]

    def records_of(self, target: TableName) -> Sequence[TableEntry]:
        """The entries whose names begin like those of the target's records."""
        return self.records.get(prefix_of(target), ())

    def base(self, metastore: MetastoreClient, target: TableName) -> FileBase:
        """The target; raises like ``look``."""
        entry = self.targets.get(_as_listed(target))
        return checked(metastore, target, replace(entry, name=target) if entry else None)


def see(metastore: MetastoreClient, staging_schema: str, targets: Sequence[TableName]) -> Seen:
    """Read the records of all targets in one staging schema, then the targets.

    Raises:
        MetastoreError: something could not be read.
    """
    prefixes = {prefix_of(one) for one in targets}
    listed = metastore.tables(staging_schema, commonprefix([*prefixes]))  # noqa: RUF071 (of names)
    names = [one for one in listed if _prefix(one) in prefixes]
    records = defaultdict(list)
    for entry in metastore.entries(names):
        records[_prefix(entry.name)].append(entry)
    in_database = defaultdict(list)
    for target in targets:
        in_database[target.database].append(_as_listed(target))
    found = [entry for names in in_database.values() for entry in metastore.entries(names)]
    return Seen(records, {entry.name: entry for entry in found})


def _prefix(record: TableName) -> str:
    return record.table.removesuffix(version_of(record))


def _as_listed(target: TableName) -> TableName:
    """In small letters, as metastores answer."""
    return TableName(target.database, target.table.lower())
