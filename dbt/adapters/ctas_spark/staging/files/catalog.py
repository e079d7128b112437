"""Spark's session catalog: tables of files, in a Hive metastore or in this process's memory."""

import secrets
import threading
from collections.abc import Callable
from typing import Any

from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities, ConflictCheck
from dbt.adapters.ctas_spark.staging.clock import SYSTEM_CLOCK, Clock
from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG, Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import Engine, Job, WriteFigures
from dbt.adapters.ctas_spark.staging.errors import (
    FormatNotFoundError,
    NotSupportedError,
    StagingSchemaError,
)
from dbt.adapters.ctas_spark.staging.files import ddl
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoots
from dbt.adapters.ctas_spark.staging.files.metastore_lock import OWNER, MetastoreLock
from dbt.adapters.ctas_spark.staging.files.retention import FileRetention
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.version import FileVersion
from dbt.adapters.ctas_spark.staging.metastore.client import TableClient, TableLockClient
from dbt.adapters.ctas_spark.staging.publish.locks import OF_THIS_PROCESS, CommitLock, NoLock
from dbt.adapters.ctas_spark.staging.publish.plan import Plan
from dbt.adapters.ctas_spark.staging.publish.version import Version
from dbt.adapters.ctas_spark.staging.retention.history import Event
from dbt.adapters.ctas_spark.staging.retention.rollback import RolledBack
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules, Sweep
from dbt.adapters.ctas_spark.staging.steps import StepObserver, StepReport
from dbt.adapters.ctas_spark.staging.storage.client import Storage

ALWAYS_THERE = ("parquet", "orc", "csv", "json", "text")
NO_COMPARE_AND_SWAP = (
    "its server has neither compare-and-swap (HIVE-26882: Hive 2.3.10 and 4.0 have it) nor lock "
    "tables, so the last of two writers wins"
)
REMEDY = "upgrade the metastore or give it its lock tables, or set atomicity: auto"


def reached(kind: str, check: ConflictCheck) -> Capabilities:
    """What a metastore reaches, by how a rival's commit is noticed on it."""
    if check is not ConflictCheck.NONE:
        return Capabilities(kind, check, Atomicity.ISOLATED)
    return Capabilities(kind, check, Atomicity.ATOMIC, NO_COMPARE_AND_SWAP, REMEDY)


class SessionCatalog:
    """Publishes by one metastore call: compare-and-swap, or under a lock.

    ``locks`` are the metastore's own; None says that no other process can be a client of it, which
    is so for an embedded Derby and for Spark's in-memory catalog. ``address`` is the metastore's,
    for the staging id. ``repeatable_reads`` is what the user declares of a remote metastore.
    """

    def __init__(  # noqa: PLR0913 (what a run works with)
        self,
        metastore: TableClient,
        storage: Storage,
        engine: Engine,
        *,
        kind: str,
        locks: TableLockClient | None,
        address: str,
        repeatable_reads: bool = False,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._kind = kind
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
        with self._guard:
            if staging_schema not in self._staging_schemas:
                self._ensure_staging_schema(staging_schema)
            if self._found is None:
                check = self._conflict_check(staging_schema)
                self._found = reached(self._kind, check)
            if staging_schema not in self._staging_schemas:
                self._staging_schemas[staging_schema] = self._services(staging_schema, self._found)
            return self._found

    def services(self, staging_schema: str) -> Services:
        """What a staged table, or a clean-up, works with; the same for a whole run."""
        self.capabilities(staging_schema)
        return self._staging_schemas[staging_schema]

    def plan(
        self, context: StagingContext, job: Job, observers: tuple[StepObserver, ...] = ()
    ) -> Plan:
        """Decide the level; nothing about the target is read."""
        _refuse_other_catalogs(context)
        self._refuse_missing_format(context)
        level = self.capabilities(context.staging_schema).level_for(
            context.atomicity, context.target
        )

        def open_version(kept: Atomicity, report: StepReport) -> Version[Any]:
            return self.open_version(context, kept, report)

        return Plan(context, level, job, open_version, observers, self._clock)

    def open_version(
        self,
        context: StagingContext,
        level: Atomicity,
        report: StepReport,
        count: Callable[[str], WriteFigures] | None = None,
    ) -> Version[Any]:
        """One attempt to publish a table of files; ``count`` knows better than the engine."""
        services = self.services(context.staging_schema)
        return FileVersion(context, services, level, report, count=count)

    def remember(self, context: StagingContext, version: str, figures: WriteFigures) -> None:
        """Keep a published version's figures on its record."""
        self._retention(context).remember(version, figures)

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Delete the target's versions that nobody needs any more; a dry run only looks."""
        return self._retention(context).clean_up(rules, dry_run=dry_run)

    def recover(self, context: StagingContext) -> tuple[str, ...]:
        """Finish what crashes left half done of the target; what was done, as sentences."""
        return self._retention(context).recover()

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        """Every build and rollback that the lineage still knows."""
        return self._retention(context).history()

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        """Publish version ``to``, or the one before the live one, by one conditional call."""
        level = self.capabilities(context.staging_schema).reaches
        return self._retention(context).roll_back(level, to)

    def _retention(self, context: StagingContext) -> FileRetention:
        return FileRetention(context, self.services(context.staging_schema))

    def _services(self, staging_schema: str, found: Capabilities) -> Services:
        locked = found.conflict_check is ConflictCheck.LOCK
        lock = self._lock() if locked else None
        return Services(
            metastore=self._metastore,
            storage=self._storage,
            engine=self._engine,
            lock=lock or NoLock(),
            conditional=found.conflict_check is ConflictCheck.CAS,
            partitions=self._metastore,
            find_partition_lock=self._lock,
            roots=VersionRoots(self._metastore, self._storage, self._address, staging_schema),
            reaches=found.reaches,
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

    def _conflict_check(self, staging_schema: str) -> ConflictCheck:
        if self._metastore.compares_and_swaps(staging_schema):
            return ConflictCheck.CAS
        return ConflictCheck.LOCK if self._lock() is not None else ConflictCheck.NONE

    def _lock(self) -> CommitLock | None:
        """A lock that every writer of this metastore takes, if there is one."""
        if self._locks is None:
            return OF_THIS_PROCESS
        if self._has_locks is None:
            self._has_locks = self._locks.supports_locks()
        return MetastoreLock(self._locks, self._owner) if self._has_locks else None

    def _ensure_staging_schema(self, name: str) -> None:
        if self._metastore.database_location(name) is not None:
            return
        statement = ddl.create_schema(name, "Records of table versions, kept by dbt-ctas-spark")
        try:
            self._engine.sql(statement)
        except Exception as error:  # whatever the engine raises: the remedy is the same
            raise StagingSchemaError(
                f"the staging schema {name} does not exist and can't be created: {error}",
                left="nothing was started",
                remedy=f"an administrator runs: {statement}",
            ) from error


def _refuse_other_catalogs(context: StagingContext) -> None:
    if context.target.catalog != SESSION_CATALOG:
        raise NotSupportedError(
            f"tables of files are published in {SESSION_CATALOG} only",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy=f"build the model in {SESSION_CATALOG}",
        )
