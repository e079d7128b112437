"""What a few calls of the metastore show of many tables: their records first, then themselves."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import commonprefix

from ..context import TableName
from ..metastore.client import MetastoreClient, TableEntry
from ..publish.marker import VERSION_ID, started_ms
from ..retention.rules import RetentionRules
from .base import FileBase, checked
from .last_read import LastRead, as_listed
from .record import prefix_of, version_of


@dataclass(frozen=True, slots=True)
class Seen:
    """Entries of records by the beginning of their names, and of targets.

    The records of ``unread`` versions were not read, because none of these may go yet. What is
    judged by the others can only be judged too cautiously: a record changes by compare-and-swap, a
    target's commits never return, and a deletion reads the target afresh.
    """

    records: Mapping[str, Sequence[TableEntry]]
    targets: Mapping[TableName, TableEntry]
    unread: Collection[str] = ()

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
    targets: Mapping[TableName, RetentionRules],
    last_read: LastRead,
    now_ms: int,
) -> Seen:
    """Read the records of all targets in one staging schema, then the targets.

    A record that the run has read itself is not read again. A target is read again after another
    writer's record, because that can expect a commit that came after the run's own read.

    Args:
        now_ms: the time of the clock that gives versions their ids.

    Raises:
        MetastoreError: something could not be read.
    """
    rules = {prefix_of(target): of_target for target, of_target in targets.items()}
    listed = metastore.tables(staging_schema, commonprefix([*rules]))  # noqa: RUF071 (of names)
    names = defaultdict(list)
    for one in listed:
        names[_prefix(one)].append(one)
    wanted = [one for prefix in rules for one in names[prefix]]
    known = last_read.take(wanted)
    young = {
        one
        for prefix, of_target in rules.items()
        for one in _too_young(names[prefix], of_target, now_ms)
    }
    others = [one for one in wanted if one not in known and one not in young]
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
    return Seen(records, found, {version_of(one) for one in young - known.keys()})


def _too_young(names: list[TableName], rules: RetentionRules, now_ms: int) -> Iterator[TableName]:
    """Those that began so late that neither grace period nor orphan age can be over.

    Without the newest: this run's own, and those before it that a rollback may still want. The
    grace period of the last one that was superseded begins now.
    """
    newest_first = sorted(names, key=version_of, reverse=True)
    began_ms = now_ms - min(rules.grace_ms, rules.orphan_age_ms)
    for one in newest_first[1 + max(1, rules.versions_to_keep) :]:
        version = version_of(one)
        if VERSION_ID.fullmatch(version) and started_ms(version) > began_ms:
            yield one


def _prefix(record: TableName) -> str:
    return record.table.removesuffix(version_of(record))
