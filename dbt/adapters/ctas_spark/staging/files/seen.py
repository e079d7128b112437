"""What a few calls of the metastore show of many tables: their records first, then themselves."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import commonprefix

from ..context import TableName
from ..metastore.client import MetastoreClient, TableEntry
from .base import FileBase, checked
from .last_read import LastRead, as_listed
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
        entry = self.targets.get(as_listed(target))
        return checked(metastore, target, replace(entry, name=target) if entry else None)


def see(
    metastore: MetastoreClient,
    staging_schema: str,
    targets: Sequence[TableName],
    last_read: LastRead,
) -> Seen:
    """Read the records of all targets in one staging schema, then the targets.

    A record that the run has read itself is not read again, and neither is a target all of whose
    records are such: no other writer's record can expect a commit that came after that read.

    Raises:
        MetastoreError: something could not be read.
    """
    prefixes = {prefix_of(one) for one in targets}
    listed = metastore.tables(staging_schema, commonprefix([*prefixes]))  # noqa: RUF071 (of names)
    names = [one for one in listed if _prefix(one) in prefixes]
    known = last_read.take(names)
    others = [one for one in names if one not in known]
    records = defaultdict(list)
    for entry in (*known.values(), *metastore.entries(others)):
        records[_prefix(entry.name)].append(entry)
    with_others = {_prefix(one) for one in others}
    taken = last_read.take(as_listed(one) for one in targets)
    found = {name: entry for name, entry in taken.items() if prefix_of(name) not in with_others}
    in_database = defaultdict(list)
    for target in map(as_listed, targets):
        if target not in found:
            in_database[target.database].append(target)
    for missing in in_database.values():
        found |= {entry.name: entry for entry in metastore.entries(missing)}
    return Seen(records, found)


def _prefix(record: TableName) -> str:
    return record.table.removesuffix(version_of(record))
