"""Spark's session catalog: tables of files in a Hive metastore."""

import re
import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from .. import quoting
from ..clock import SYSTEM_CLOCK, Clock
from ..context import SESSION_CATALOG, Atomicity, StagingContext, TableName
from ..engines.calls import refresh
from ..engines.protocol import UNKNOWN, Engine, Job, WriteFigures
from ..errors import FormatNotFoundError, MetastoreError, NotSupportedError, StorageError
from ..metastore.client import MetastoreClient, TableEntry, TableLockClient
from ..publish import ddl, messages
from ..publish.catalog import (
    Capabilities,
    CleanUpOfOne,
    ConflictCheck,
    Deletion,
    Ruled,
    StagingCatalog,
    without,
)
from ..publish.locks import OWNER, CommitLock, MetastoreLock, NoLock, ProcessLock
from ..publish.marker import Marker
from ..publish.rollback import RolledBack, roll_back
from ..publish.staged_table import Plan
from ..publish.version import Version
from ..retention.rules import Event, Reason, RetentionRules, Sweep
from ..steps import StepReport
from ..storage.client import Storage
from .base import look
from .data_files import ListingByMetastore, has_changed
from .directories import VersionRoots
from .entries import EntryWriter
from .garbage import BySchema, begin_clean_up, clean_up, recover, scan
from .places import PlaceSearch
from .record import Record, table_named
from .record_scan import RecordScans
from .restore import FileRestoring, history
from .staging_entry import STAGING_ID
from .statistics import Statistics, correct, statistics_of
from .table import FileTable, Services
from .version import FileVersion
from .view import ViewChange, all_left_views, view_change

ALWAYS_THERE = ("parquet", "orc", "csv", "json", "text")
LOOKS, LOOK_SECONDS = 60, 0.5
"""How often a record is looked for, and the pause after each."""
NO_COMPARE_AND_SWAP = (
    "its server has no compare-and-swap that holds on every database (HIVE-26882 with HIVE-28121: "
    "Hive 2.3.10 and 4.0.1 have it), "
)
CAN_RUN_OUT = (
    f"{NO_COMPARE_AND_SWAP}and its lock can run out while a writer is paused, which then commits "
    "over the next holder's version"
)
NO_LOCKS = f"{NO_COMPARE_AND_SWAP}and no lock tables, so the last of two writers wins"
REMEDY = "upgrade the metastore to Hive 2.3.10 or 4.0.1, or set atomicity: auto"


def reached(check: ConflictCheck, lock: CommitLock | None = None) -> Capabilities:
    """What a metastore reaches, by how a rival's commit is noticed on it.

    ``lock`` is the one that guards commits where the metastore does not compare. A lock that can
    run out is no fence.
    """
    if check is ConflictCheck.CAS or (lock is not None and not lock.can_run_out):
        return Capabilities("hive", check, Atomicity.ISOLATED)
    missing = NO_LOCKS if lock is None else CAN_RUN_OUT
    return Capabilities("hive", check, Atomicity.ATOMIC, missing, REMEDY)


class SessionCatalog(StagingCatalog):
    """Publishes by one metastore call: compare-and-swap, or under a lock.

    ``locks`` are the metastore's own, or this process's if no other can be a client of it, as with
    an embedded Derby. ``address`` is the metastore's, for the staging id. ``repeatable_reads`` is
    what the user declares of a remote metastore.
    """

    def __init__(  # noqa: PLR0913 (what a run works with)
        self,
        metastore: MetastoreClient,
        storage: Storage,
        engine: Engine,
        *,
        locks: TableLockClient | ProcessLock,
        address: str,
        repeatable_reads: bool = False,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._locks = locks
        self._metastore = metastore
        self._storage = storage
        self._engine = engine
        self._address = address
        self._mixes_reads = not isinstance(locks, ProcessLock) and not repeatable_reads
        self._clock = clock
        self._owner = f"{OWNER}{secrets.token_hex(8)}"
        self._guard = threading.Lock()
        self._staging_schemas: dict[str, Services] = {}
        self._search = PlaceSearch(metastore)
        self._by_metastore = ListingByMetastore()
        self._found: Capabilities | None = None
        self._has_locks: bool | None = None

    def capabilities(self, staging_schema: str) -> Capabilities:
        """Probe compare-and-swap once; a probe that can't be run is an error, not a "no"."""
        return self.services(staging_schema).capabilities

    def services(self, staging_schema: str, target: TableName | None = None) -> Services:
        """What a staged table, or a clean-up, works with; the same for a whole run.

        Raises:
            NoSuchSchemaError: the staging schema is not there, and neither is the target's, next to
                which it would be made.
        """
        with self._guard:
            if staging_schema not in self._staging_schemas:
                self._staging_schemas[staging_schema] = self._opened(staging_schema, target)
            return self._staging_schemas[staging_schema]

    @property
    def opened_schemas(self) -> tuple[str, ...]:
        """The staging schemas that this run has used, the first one first."""
        return tuple(self._staging_schemas)

    def plan(self, context: StagingContext, job: Job) -> Plan:
        _refuse_other_catalogs(context)
        self._refuse_missing_format(context)
        self.refuse_unknown_location(context)
        services = self.services(context.staging_schema, context.target)
        level = services.capabilities.level_for(context.atomicity, context.target)
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
        return FileVersion(self._table(context, report=report), level, count=count)

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        return self.begin_clean_up(context, rules, dry_run=dry_run)()

    def begin_clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Deletion:
        self._follow(context)
        scans = self._scans([(context, rules)])
        return begin_clean_up(self._scanned(context, scans), rules, dry_run=dry_run)

    def clean_ups(self, tables: Sequence[Ruled]) -> CleanUpOfOne:
        """By one look at all of them in each staging schema that they ever had."""
        scans = self._scans(tables)

        def of_one(
            context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
        ) -> Sweep:
            return clean_up(self._scanned(context, scans), rules, dry_run=dry_run)

        return of_one

    def _scans(self, tables: Sequence[Ruled]) -> dict[str, RecordScans]:
        """By the staging schema."""
        rules_of = {context.target: rules for context, rules in tables}
        return {
            schema: RecordScans(self._metastore, self._clock, schema, rules_of)
            for schema in self._schemas(tables[0][0])
        }

    def _scanned(self, context: StagingContext, scans: Mapping[str, RecordScans]) -> BySchema:
        return [(self._table(context, one), scan.of(context.target)) for one, scan in scans.items()]

    def abandoned(
        self, context: StagingContext, known: Collection[TableName]
    ) -> tuple[TableName, ...]:
        """By the records in its staging schema, and by the directories of versions."""
        schema = context.staging_schema
        if self._metastore.database_location(schema) is None:
            return ()
        roots = self.services(schema).roots
        names = self._metastore.tables(schema)
        recorded = map(Record.of, self._metastore.entries(names))
        targets = [table_named(one.target) for one in recorded if one is not None]
        return without((*roots.tables(), *targets), known)

    def begin_clean_up_abandoned(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Deletion:
        base = look(self._metastore, context.target)
        if base.marker is not None:
            kept = {base.marker.version: Reason.ABANDONED}
            return partial(Sweep, kept=kept)
        table, keeping_none = self._table(context), replace(rules, versions_to_keep=0)
        delete = begin_clean_up([(table, scan(table, rules))], keeping_none, dry_run=dry_run)

        def of_abandoned() -> Sweep:
            done = delete()
            if not dry_run:
                table.services.roots.forget_empty(context.target)
            return done

        return of_abandoned

    def drop_left_views(
        self, context: StagingContext, *, dry_run: bool = False
    ) -> tuple[TableName, ...]:
        left = all_left_views(self._metastore, context.staging_schema, self._clock.wall_ms())
        for name in () if dry_run else left:
            self._metastore.drop_entry(name)
        return left

    def forget_staging_schema(self, context: StagingContext) -> bool:
        found, schema = self._metastore.database_location, context.staging_schema
        if found(context.target.database) is not None or found(schema) is None:
            return False
        if [one.table for one in self._metastore.tables(schema)] != [STAGING_ID]:
            return False
        if (roots := self.services(schema).roots).tables():
            return False
        roots.forget_trees()
        self._metastore.drop_entry(TableName(schema, STAGING_ID))
        self._engine.sql(f"DROP SCHEMA {quoting.namespace(SESSION_CATALOG, schema)}")
        return True

    def view_change(self, context: StagingContext) -> ViewChange | None:
        """What makes the target a view by one call; None where something else has to be done."""
        return view_change(self._table(context))

    def has_staged(self, context: StagingContext, record: TableName) -> bool:
        """By the record, which such a statement makes last, unless it has partitions to add."""
        layout = context.layout
        if layout.partition_by or not layout.has_properties_in_entry:
            return False
        with suppress(MetastoreError):
            for _ in range(LOOKS):
                if self.entry(record) is not None:
                    return True
                time.sleep(LOOK_SECONDS)
        return False

    def entry(self, name: TableName) -> TableEntry | None:
        """The table as the metastore has it now."""
        return self._metastore.get_table(name)

    def statistics_of(self, name: TableName) -> Statistics:
        """What the table's entry says of size and rows, where Spark's ANALYZE would count wrong."""
        return statistics_of(self._metastore.get_table(name))

    def correct_statistics(self, name: TableName, before: Statistics) -> None:
        """Make true what a statement has just counted; ``before`` is what the entry said then."""
        entries = EntryWriter(self._metastore, self._lock() or NoLock())
        if correct(entries, self._storage, name, before):
            refresh(self._engine, name)

    def entries_in(self, schema: str) -> Sequence[TableEntry]:
        """Its tables and views."""
        return self._metastore.entries(self._metastore.tables(schema))

    def figures(self, table: TableName, version: str) -> WriteFigures:
        """What was counted of a version, if the table shows it as it was published."""
        entry = self._metastore.get_table(table)
        marker = Marker.of(entry)
        if entry is None or marker is None or entry.location is None:
            return UNKNOWN
        counted = marker.lineage.figures_of(version)
        return UNKNOWN if has_changed(self._storage, entry.location, counted) else counted

    def recover(self, context: StagingContext) -> tuple[str, ...]:
        return recover(self._tables(context))

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        return history(self._tables(context))

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        level = self.services(context.staging_schema, context.target).capabilities.reaches
        return roll_back(context, FileRestoring.of(self._tables(context)), level, to)

    def _tables(self, context: StagingContext) -> tuple[FileTable, ...]:
        """The target with each staging schema that it ever had, the present one first."""
        self._follow(context)
        return tuple(self._table(context, schema) for schema in self._schemas(context))

    def _follow(self, context: StagingContext) -> None:
        """Know of the staging schema that the target names, if no build has noted it yet."""
        entry = self._metastore.get_table(context.target)
        self.services(context.staging_schema, context.target).roots.staging.follow(entry)

    def _schemas(self, context: StagingContext) -> tuple[str, ...]:
        roots = self.services(context.staging_schema, context.target).roots
        return (context.staging_schema, *roots.staging.former_schemas())

    def _table(
        self,
        context: StagingContext,
        staging_schema: str | None = None,
        report: StepReport | None = None,
    ) -> FileTable:
        within = replace(context, staging_schema=staging_schema or context.staging_schema)
        services = self.services(within.staging_schema, within.target)
        return FileTable(within, services, report or StepReport(context.target))

    def _opened(self, staging_schema: str, target: TableName | None) -> Services:
        find = self._metastore.database_location
        if find(staging_schema) is None:
            if target and find(target.database) is None:
                raise messages.no_such_schema(target)
            again = partial(find, staging_schema)
            ddl.create_staging_schema(self._engine.sql, SESSION_CATALOG, staging_schema, again)
        roots = VersionRoots(self._metastore, self._storage, self._address, staging_schema)
        if self._found is None:
            self._found = self._probed(roots)
        is_locked = self._found.conflict_check is ConflictCheck.LOCK
        services = Services(
            capabilities=self._found,
            metastore=self._metastore,
            storage=self._storage,
            engine=self._engine,
            lock=(is_locked and self._lock()) or NoLock(),
            find_partition_lock=self._lock,
            roots=roots,
            mixes_reads=self._mixes_reads,
            by_metastore=self._by_metastore,
            clock=self._clock,
            search=self._search,
        )
        roots.staging.writer = services.entries
        return services

    def _refuse_missing_format(self, context: StagingContext) -> None:
        wanted = context.layout.file_format
        if wanted in ALWAYS_THERE or self._engine.reads(wanted):
            return
        raise FormatNotFoundError(
            f"Spark has no data source for file_format {wanted}",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy=f"add {_avro_jar(self._engine.version)} to spark.jars.packages in spark_conf",
        )

    def refuse_unknown_location(self, context: StagingContext) -> None:
        """StorageError if ``location_root`` is on no file system that Spark knows."""
        root = context.layout.location_root
        if root is None:
            return
        try:
            self._storage.qualified(root)
        except StorageError as error:
            raise StorageError(
                f"location_root {root} can't be used: {error.what}",
                table=context.target,
                left="it is unchanged; no job was started, and nothing was written",
                remedy="correct its scheme, or add the jar of its file system to "
                "spark.jars.packages in spark_conf",
            ) from error

    def _probed(self, roots: VersionRoots) -> Capabilities:
        if self._metastore.compares_and_swaps(roots.staging.made(), STAGING_ID):
            return reached(ConflictCheck.CAS)
        lock = self._lock()
        return reached(ConflictCheck.NONE if lock is None else ConflictCheck.LOCK, lock)

    def _lock(self) -> CommitLock | None:
        """A lock that every writer of this metastore takes, if there is one."""
        if isinstance(self._locks, ProcessLock):
            return self._locks
        if self._has_locks is None:
            self._has_locks = self._locks.supports_locks()
        return MetastoreLock(self._locks, self._owner) if self._has_locks else None


def _avro_jar(spark_version: str) -> str:
    """The one that is released with this Spark, for the Scala that PySpark comes with."""
    scala = "2.12" if spark_version.startswith("3.") else "2.13"
    release = re.match(r"\d+\.\d+\.\d+", spark_version)
    return f"org.apache.spark:spark-avro_{scala}:{release[0] if release else spark_version}"


def _refuse_other_catalogs(context: StagingContext) -> None:
    if context.target.catalog != SESSION_CATALOG:
        raise NotSupportedError(
            f"tables of files are published in {SESSION_CATALOG} only",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy=f"build the model in {SESSION_CATALOG}",
        )
