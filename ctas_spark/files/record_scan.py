"""What a clean-up reads of tables, of one or of all that a run has published.

Their records are listed by one call for a staging schema. Only where a version is old enough to go
is anything read: records first, then their targets, some hundreds by one call. So the end of a
first build reads nothing of a table, and a rebuild costs the same however often a table is built.
"""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os.path import commonprefix

from ..clock import Clock
from ..context import TableName
from ..errors import MetastoreError, NotSupportedError
from ..metastore.client import MetastoreClient, TableEntry
from ..publish.marker import VERSION_ID, record_prefix, start_text, version_named
from ..retention.rules import RetentionRules
from .base import FileBase, checked

MOST_TOGETHER = 100
"""Tables whose entries are in memory together, the metastore's own objects included."""


@dataclass(frozen=True, slots=True)
class RecordScan:
    """What was read of one table.

    ``records`` are the entries that were read, and ``listed`` all versions that have one. Versions
    that began after ``old`` (the start of an id, by the clock that names versions) are too young to
    go. ``base`` is the
    target, read after the records; None if none was read. ``began_ms`` is from before all that, by
    the clock that nobody sets.
    """

    listed: frozenset[str]
    old: str
    began_ms: int
    records: Sequence[TableEntry] = ()
    base: FileBase | None = None

    @property
    def is_of_first_build(self) -> bool:
        """True if there is no version but one that is too young to go."""
        return len(self.listed) == 1 and not self.records

    def is_young(self, version: str) -> bool:
        """True if neither its grace period nor the orphan age can be over."""
        return bool(VERSION_ID.fullmatch(version)) and version[: len(self.old)] > self.old


class RecordScans:
    """One look at tables whose records are in one staging schema.

    Every call raises MetastoreError if something can't be read, and NotSupportedError for a table
    that a newer release has published.
    """

    def __init__(
        self,
        metastore: MetastoreClient,
        clock: Clock,
        staging_schema: str,
        rules: Mapping[TableName, RetentionRules],
    ) -> None:
        self._metastore = metastore
        self._wall_ms, self._began_ms = clock.wall_ms(), clock.running_ms()
        self._rules = rules
        self._listed: dict[str, dict[str, TableName]] = defaultdict(dict)
        prefixes = [record_prefix(target) for target in rules]
        for one in metastore.tables(staging_schema, commonprefix(prefixes)):  # noqa: RUF071 (names)
            version = version_named(one)
            self._listed[one.table.removesuffix(version)][version] = one
        waiting = [target for target in rules if self._old(target)]
        self._waiting: dict[TableName, list[TableName]] = {}
        for start in range(0, len(waiting), MOST_TOGETHER):
            together = waiting[start : start + MOST_TOGETHER]
            self._waiting |= dict.fromkeys(together, together)
        self._ready: dict[TableName, RecordScan] = {}
        self._guard = threading.Lock()

    def of(self, target: TableName) -> RecordScan:
        """What there is to judge of one of the tables; it is not kept any longer."""
        with self._guard:
            group = self._waiting.pop(target, None)
            if group is None:
                return self._scan(target)
            if group:
                # if that fails, each is read by itself, and has its own error
                with suppress(MetastoreError, NotSupportedError):
                    self._ready |= self._read(group)
                group.clear()
            found = self._ready.pop(target, None)
        return found or self._read([target])[target]

    def _read(self, targets: Sequence[TableName]) -> dict[TableName, RecordScan]:
        wanted = [one for target in targets for one in self._old(target)]
        records = defaultdict(list)
        for entry in self._metastore.entries(wanted):
            records[_prefix(entry.name)].append(entry)
        bases = dict(self._bases(targets))
        return {
            one: self._scan(one, records[record_prefix(one)], bases.get(_as_listed(one)))
            for one in targets
        }

    def _bases(self, targets: Iterable[TableName]) -> Iterator[tuple[TableName, FileBase]]:
        of_database: dict[str, dict[TableName, TableName]] = defaultdict(dict)
        for target in targets:
            of_database[target.database][_as_listed(target)] = target
        for named in of_database.values():
            found = {entry.name: entry for entry in self._metastore.entries([*named])}
            for listed, target in named.items():
                yield listed, checked(self._metastore, target, found.get(listed))

    def _scan(
        self,
        target: TableName,
        records: Sequence[TableEntry] = (),
        base: FileBase | None = None,
    ) -> RecordScan:
        listed = frozenset(self._listed[record_prefix(target)])
        # a vacuum judges every version, because its user asks what became of each
        rules = self._rules[target]
        youngest = 0 if rules.thorough else min(rules.grace_ms, rules.orphan_age_ms)
        old = start_text(self._wall_ms - youngest)
        return RecordScan(listed, old, self._began_ms, records, base)

    def _old(self, target: TableName) -> list[TableName]:
        """Its records that have to be read."""
        listed, is_young = self._listed[record_prefix(target)], self._scan(target).is_young
        return [name for version, name in listed.items() if not is_young(version)]


def _as_listed(name: TableName) -> TableName:
    """In small letters, as metastores answer."""
    return TableName(name.database, name.table.lower())


def _prefix(record: TableName) -> str:
    return record.table.removesuffix(version_named(record))
