"""Spark's session catalog: tables of files in a Hive metastore."""

import secrets
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..catalogs.protocol import NOTHING, Capabilities, CleanUpOfOne, ConflictCheck, Counted, Ruled
from ..clock import SYSTEM_CLOCK, Clock
from ..context import SESSION_CATALOG, Atomicity, StagingContext, TableName
from ..engines.calls import refresh
from ..engines.protocol import Engine, Job, WriteFigures
from ..errors import FormatNotFoundError, NotSupportedError
from ..metastore.client import MetastoreClient, TableLockClient
from ..publish import ddl
from ..publish.locks import OF_THIS_PROCESS, OWNER, CommitLock, MetastoreLock, NoLock
from ..publish.staged_table import Plan
from ..publish.version import Version
from ..retention.rollback import RolledBack, roll_back
from ..retention.rules import Event, RetentionRules, Sweep
from ..steps import StepReport
from ..storage.client import Storage
from .directories import STAGING_ID, VersionRoots
from .garbage import clean_up, recover
from .restore import FileRestoring, history
from .seen import see
from .table import FileTable, Services
from .true_statistics import Statistics, correct, statistics_of
from .version import FileVersion
from .view import ViewChange, view_change

ALWAYS_THERE = ("parquet", "orc", "csv", "json", "text")
NO_COMPARE_AND_SWAP = (
    "its server has neither compare-and-swap (HIVE-26882: Hive 2.3.10 and 4.0 have it) nor lock "
    "tables, so the last of two writers wins"
)
REMEDY = "upgrade the metastore or give it its lock tables, or set atomicity: auto"


def reached(check: ConflictCheck) -> Capabilities:
    """What a metastore reaches, by how a rival's commit is noticed on it."""
    if check is not ConflictCheck.NONE:
        return Capabilities("hive", check, Atomicity.ISOLATED)
    return Capabilities("hive", check, Atomicity.ATOMIC, NO_COMPARE_AND_SWAP, REMEDY)


class SessionCatalog:
    """Publishes by one metastore call: compare-and-swap, or under a lock.

    ``locks`` are the metastore's own; None if no other process can be a client of it, as with an
    embedded Derby. ``address`` is the metastore's, for the staging id. ``repeatable_reads`` is what
    the user declares of a remote metastore.
    """

    def __init__(  # noqa: PLR0913 (what a run works with)
        self,
        metastore: MetastoreClient,
        storage: Storage,
        engine: Engine,
        *,
        locks: TableLockClient | None,
        address: str,
        repeatable_reads: bool = False,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._locks = locks
        self._metastore = metastore
        self._storage = storage
        self._engine = engine
        self._address = address
        self._mixes_reads = locks is not None and not repeatable_reads
        self._clock = clock
        self._owner = f"{OWNER}{secrets.token_hex(8)}"
        self._guard = threading.Lock()
        self._staging_schemas: dict[str, Services] = {}
        self._found: Capabilities | None = None
        self._has_locks: bool | None = None

    def capabilities(self, staging_schema: str) -> Capabilities:
        """Probe compare-and-swap once; a probe that can't be run is an error, not a "no"."""
        return self.services(staging_schema).capabilities

    def services(self, staging_schema: str) -> Services:
        """What a staged table, or a clean-up, works with; the same for a whole run."""
        with self._guard:
            if staging_schema not in self._staging_schemas:
                self._staging_schemas[staging_schema] = self._opened(staging_schema)
            return self._staging_schemas[staging_schema]

    def plan(self, context: StagingContext, job: Job) -> Plan:
        _refuse_other_catalogs(context)
        self._refuse_missing_format(context)
        level = self.capabilities(context.staging_schema).level_for(
            context.atomicity, context.target
        )
        attempt = partial(self.open_version, context)
        return Plan(context, level, job, attempt, self._clock)

    def open_version(
        self,
        context: StagingContext,
        level: Atomicity,
        report: StepReport,
        count: Callable[[str], WriteFigures] | None = None,
    ) -> Version[Any]:
        """One attempt to publish a table of files; ``count`` knows better than the engine."""
        return FileVersion(self._table(context, report), level, count=count)

    def clean_up(
        self,
        context: StagingContext,
        rules: RetentionRules,
        *,
        dry_run: bool = False,
        counted: Counted = NOTHING,
    ) -> Sweep:
        return clean_up(self._table(context), rules, dry_run=dry_run, counted=counted)

    def clean_ups(self, tables: Sequence[Ruled]) -> CleanUpOfOne:
        """By one look at all of them."""
        targets = {context.target: rules for context, rules in tables}
        staging_schema = tables[0][0].staging_schema
        last_read = self.services(staging_schema).last_read
        now_ms = self._clock.wall_ms()
        seen = see(self._metastore, staging_schema, targets, last_read, now_ms)

        def of_one(
            context: StagingContext,
            rules: RetentionRules,
            *,
            dry_run: bool = False,
            counted: Counted = NOTHING,
        ) -> Sweep:
            table = self._table(context)
            return clean_up(table, rules, dry_run=dry_run, counted=counted, seen=seen)

        return of_one

    def view_change(self, context: StagingContext) -> ViewChange | None:
        """What makes the target a view by one call; None where something else has to be done."""
        return view_change(self._table(context))

    def statistics_of(self, name: TableName) -> Statistics:
        """What the table's entry says of size and rows, where Spark's ANALYZE would count wrong."""
        return statistics_of(self._metastore.get_table(name))

    def correct_statistics(self, name: TableName, before: Statistics) -> None:
        """Make true what a statement has just counted; ``before`` is what the entry said then."""
        lock, found = self._lock() or NoLock(), self._metastore.get_table(name)
        if correct(self._metastore, self._storage, lock, found, before):
            refresh(self._engine, name)

    def recover(self, context: StagingContext) -> tuple[str, ...]:
        return recover(self._table(context))

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        return history(self._table(context))

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        level = self.capabilities(context.staging_schema).reaches
        return roll_back(context, FileRestoring(self._table(context)), level, to)

    def _table(self, context: StagingContext, report: StepReport | None = None) -> FileTable:
        services = self.services(context.staging_schema)
        return FileTable(context, services, report or StepReport(context.target))

    def _opened(self, staging_schema: str) -> Services:
        if self._metastore.database_location(staging_schema) is None:
            ddl.create_staging_schema(self._engine.sql, SESSION_CATALOG, staging_schema)
        roots = VersionRoots(self._metastore, self._storage, self._address, staging_schema)
        if self._found is None:
            self._found = reached(self._conflict_check(roots))
        is_locked = self._found.conflict_check is ConflictCheck.LOCK
        return Services(
            capabilities=self._found,
            metastore=self._metastore,
            storage=self._storage,
            engine=self._engine,
            lock=(is_locked and self._lock()) or NoLock(),
            find_partition_lock=self._lock,
            roots=roots,
            mixes_reads=self._mixes_reads,
            clock=self._clock,
        )

    def _refuse_missing_format(self, context: StagingContext) -> None:
        wanted = context.layout.file_format
        if wanted in ALWAYS_THERE or self._engine.reads(wanted):
            return
        raise FormatNotFoundError(
            f"Spark has no data source for file_format {wanted}",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy="add its jar: spark.jars.packages in spark_conf, for avro "
            "org.apache.spark:spark-avro_2.13 in the version of Spark",
        )

    def _conflict_check(self, roots: VersionRoots) -> ConflictCheck:
        if self._metastore.compares_and_swaps(roots.entry(), STAGING_ID):
            return ConflictCheck.CAS
        return ConflictCheck.LOCK if self._lock() is not None else ConflictCheck.NONE

    def _lock(self) -> CommitLock | None:
        """A lock that every writer of this metastore takes, if there is one."""
        if self._locks is None:
            return OF_THIS_PROCESS
        if self._has_locks is None:
            self._has_locks = self._locks.supports_locks()
        return MetastoreLock(self._locks, self._owner) if self._has_locks else None


def _refuse_other_catalogs(context: StagingContext) -> None:
    if context.target.catalog != SESSION_CATALOG:
        raise NotSupportedError(
            f"tables of files are published in {SESSION_CATALOG} only",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy=f"build the model in {SESSION_CATALOG}",
        )
