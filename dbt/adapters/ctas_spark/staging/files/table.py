"""One table of files, and what a run works on it with."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities, ConflictCheck
from dbt.adapters.ctas_spark.staging.clock import SYSTEM_CLOCK, Clock, ReadClock
from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import Engine
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError
from dbt.adapters.ctas_spark.staging.files.base import FileBase, look
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoots
from dbt.adapters.ctas_spark.staging.files.record import Record, move, name_of
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, MetastoreClient
from dbt.adapters.ctas_spark.staging.publish.locks import CommitLock
from dbt.adapters.ctas_spark.staging.steps import StepReport
from dbt.adapters.ctas_spark.staging.storage.client import Storage


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A location that the metastore names; ``who`` has it, ``name`` is the table's."""

    who: str
    name: TableName | None
    location: str


@dataclass(frozen=True, slots=True)
class Services:
    """``lock`` guards commits where the metastore does not compare.

    ``find_partition_lock`` looks for the lock only where partitions are tracked: a server without
    lock tables is not asked for nothing. ``mixes_reads``: one ``get_table`` of another process may
    get the schema of one version with the location of another.
    """

    capabilities: Capabilities
    metastore: MetastoreClient
    storage: Storage
    engine: Engine
    lock: CommitLock
    find_partition_lock: Callable[[], CommitLock | None]
    roots: VersionRoots
    mixes_reads: bool = False
    clock: Clock = SYSTEM_CLOCK
    _listed: list[NamedPlace] = field(default_factory=list)
    _clocks: dict[str, ReadClock] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def conditional(self) -> bool:
        """True if the metastore compares and swaps."""
        return self.capabilities.conflict_check is ConflictCheck.CAS

    def now_ms(self, root: str) -> int:
        """The time of the storage that ``root`` lies on, in milliseconds."""
        tree = root.rpartition("/")[0]
        with self._guard:
            if tree not in self._clocks:
                self._clocks[tree] = ReadClock(lambda: self.storage.now_ms(tree), self.clock)
            found = self._clocks[tree]
        return found.now_ms()

    def places(self) -> Iterator[NamedPlace]:
        """Every schema, table and partition that this user may list, with its location.

        Raises:
            MetastoreError: something could not be listed.
        """
        for database in self.metastore.databases():
            location = self.metastore.database_location(database) or ""
            yield NamedPlace(f"schema {database}", None, location)
            for name in self.metastore.tables(database):
                yield from self._places_of(name)

    def places_once(self) -> list[NamedPlace]:
        """The same, as they were when this run first asked."""
        with self._guard:
            if not self._listed:
                self._listed.extend(list(self.places()))
            return self._listed

    def _places_of(self, name: TableName) -> Iterator[NamedPlace]:
        entry = self.metastore.get_table(name)
        if entry is None:
            return
        yield NamedPlace(str(name), name, entry.location or "")
        if entry.partition_keys:
            with suppress(EntryMissingError):
                for one in self.metastore.partitions(name):
                    yield NamedPlace(f"a partition of {name}", name, one.location)


@dataclass(frozen=True, slots=True)
class FileTable:
    """One target: what is asked of it, what it is worked on with, who is told of the steps."""

    context: StagingContext
    services: Services
    report: StepReport

    @property
    def name(self) -> TableName:
        """The target."""
        return self.context.target

    @property
    def metastore(self) -> MetastoreClient:
        """Where its entry is, and those of its records."""
        return self.services.metastore

    def look(self) -> FileBase:
        return look(self.metastore, self.name)

    def record_name(self, version: str) -> TableName:
        return name_of(self.context.staging_schema, self.name, version)

    def alter(self, change: EntryChange, over: FileBase) -> None:
        """One call on the target, conditional on ``over`` where the metastore compares."""
        expected = over.expectation if self.services.conditional else None
        self.metastore.alter_table(change, expected)

    def move(self, record: Record, expected: Record) -> Record:
        """Move a record, under the lock of all writers where the metastore does not compare.

        Raises:
            EntryModifiedError: it is not what was expected, or gone.
        """
        with self.services.lock.held(self.name):
            return move(self.metastore, record, expected, conditional=self.services.conditional)
