"""Spark's session catalog: tables of files, in a Hive metastore or in this process's memory."""

import threading
from functools import partial

from dbt.adapters.ctas_spark.staging.catalogs.levels import resolve
from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities, ConflictCheck
from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG, Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import Engine, Job
from dbt.adapters.ctas_spark.staging.errors import StagingError, StagingSchemaError
from dbt.adapters.ctas_spark.staging.files import ddl
from dbt.adapters.ctas_spark.staging.files.locks import OF_THIS_PROCESS, CommitLock, NoLock
from dbt.adapters.ctas_spark.staging.files.metastore_lock import MetastoreLock
from dbt.adapters.ctas_spark.staging.files.partition_checks import with_partitions
from dbt.adapters.ctas_spark.staging.files.recovery import recover
from dbt.adapters.ctas_spark.staging.files.rollback import RolledBack, roll_back
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.files.stale_partitions import forget_stale_partitions
from dbt.adapters.ctas_spark.staging.files.sweeper import Sweep, Sweeper
from dbt.adapters.ctas_spark.staging.files.taken_over import TakenOver, remembers
from dbt.adapters.ctas_spark.staging.files.version_root import version_root
from dbt.adapters.ctas_spark.staging.files.versions import versions_of
from dbt.adapters.ctas_spark.staging.metastore.client import TableClient, TableLockClient
from dbt.adapters.ctas_spark.staging.retention import run_records
from dbt.adapters.ctas_spark.staging.retention.dead_leases import DeadLeases
from dbt.adapters.ctas_spark.staging.retention.history import Event, history
from dbt.adapters.ctas_spark.staging.retention.lease import Lease, StorageClock
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.steps import Step, StepObserver, StepReport
from dbt.adapters.ctas_spark.staging.storage.client import Storage

ALWAYS_THERE = ("parquet", "orc", "csv", "json", "text")
NO_COMPARE_AND_SWAP = (
    "its server has neither compare-and-swap (HIVE-26882: Hive 2.3.10 and 4.0 have it) nor lock "
    "tables, so the last of two writers wins"
)
REMEDY = "upgrade the metastore or give it its lock tables, or set atomicity: auto"


def reached(kind: str, check: ConflictCheck, *, needs_jvm: bool = True) -> Capabilities:
    """What a metastore reaches, by how a rival's commit is noticed on it."""
    if check is not ConflictCheck.NONE:
        return Capabilities(kind, check, Atomicity.ISOLATED, needs_jvm=needs_jvm)
    return Capabilities(
        kind, check, Atomicity.ATOMIC, NO_COMPARE_AND_SWAP, REMEDY, needs_jvm=needs_jvm
    )


class SessionCatalog:
    """Publishes by one metastore call: compare-and-swap, or under a lock of this process.

    ``locks`` are the metastore's own; None says that no other process can be a client of it, which
    is so for an embedded Derby and for Spark's in-memory catalog. ``needs_jvm`` says where the
    metastore's client runs.
    """

    def __init__(  # noqa: PLR0913 (what a run works with)
        self,
        metastore: TableClient,
        storage: Storage,
        engine: Engine,
        lease: Lease,
        *,
        kind: str,
        locks: TableLockClient | None,
        needs_jvm: bool = True,
    ) -> None:
        self._kind = kind
        self._needs_jvm = needs_jvm
        self._locks = locks
        self._metastore = metastore
        self._storage = storage
        self._engine = engine
        self._lease = lease
        self._dead_leases = DeadLeases()
        self._guard = threading.Lock()
        self._staging_schemas: set[str] = set()
        self._found: Capabilities | None = None
        self._has_locks: bool | None = None

    def capabilities(self, staging_schema: str) -> Capabilities:
        """Probe compare-and-swap once; a probe that can't be run is an error, not a "no"."""
        with self._guard:
            self._ensure_staging_schema(staging_schema)
            if self._found is None:
                self._found = self._probe(staging_schema)
            return self._found

    def apply_staging(
        self, context: StagingContext, job: Job, observers: tuple[StepObserver, ...] = ()
    ) -> StagedFileTable:
        """Decide the level, then make the staged table."""
        _refuse_other_catalogs(context)
        self._refuse_missing_format(context)
        found = self.capabilities(context.staging_schema)
        level = resolve(context.atomicity, found, context.target)
        services = self.services(context.staging_schema)
        level, partitions = with_partitions(context, level, services.find_partition_lock)
        return StagedFileTable(context, level, partitions, services, job, observers)

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Delete the target's versions that nobody needs any more; a dry run only looks.

        Raises:
            StagingError: it could not be found out whether something may go; the rest stays.
        """
        services = self.services(context.staging_schema)
        root = version_root(services.metastore, context)
        clock = StorageClock(services.lease, root.leases)
        sweeper = Sweeper(services, context.staging_schema, rules, clock, dry_run=dry_run)
        report = StepReport(context.target)
        with report.within(Step.CLEAN_UP):
            freed: list[str] = []
            versions = versions_of(services, context.target, context.staging_schema, root)
            if any(map(remembers, versions)):
                freed = TakenOver(context, services, rules, clock, report, dry_run).free(versions)
                versions = versions_of(services, context.target, context.staging_schema, root)
            done = sweeper.sweep(context.target, versions)
            done.taken_over = freed
            if not dry_run:
                forget_stale_partitions(context, services, rules, clock)
                self._dead_leases.delete(services, root, rules, clock(), report)
            return done

    def recover(self, context: StagingContext, rules: RetentionRules) -> tuple[str, ...]:
        """Finish or revert what crashes left half done of the target; what was done, as sentences.

        Raises:
            StagingError: it could not be found out what is left.
        """
        services = self.services(context.staging_schema)
        root = version_root(services.metastore, context)
        clock = StorageClock(services.lease, root.leases)
        with StepReport(context.target).within(Step.RECOVER):
            return recover(context, services, root, rules, clock)

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        """Every build and rollback that the lineage still knows.

        Raises:
            MetastoreError, StorageError: it could not be read.
        """
        return history(context, self.services(context.staging_schema))

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        """Publish version ``to``, or the one before the live one, by one conditional call.

        Raises:
            NoSuchVersionError, ConcurrentWriteError, CommitStateUnknownError: as ``rollback`` says.
        """
        return roll_back(context, self.services(context.staging_schema), to)

    def services(self, staging_schema: str) -> Services:
        """What a staged table, or a clean-up, works with."""
        found = self.capabilities(staging_schema)
        locked = found.conflict_check is ConflictCheck.LOCK
        lock = self._lock() if locked else None
        return Services(
            metastore=self._metastore,
            storage=self._storage,
            engine=self._engine,
            lease=self._lease,
            lock=lock or NoLock(),
            conditional=found.conflict_check is ConflictCheck.CAS,
            partitions=self._metastore,
            find_partition_lock=self._lock,
        )

    def _refuse_missing_format(self, context: StagingContext) -> None:
        wanted = context.layout.file_format
        if wanted in ALWAYS_THERE or self._engine.reads(wanted):
            return
        raise StagingError(
            f"Spark has no data source for file_format {wanted}",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy="add its jar: spark.jars.packages in spark_conf, for avro "
            "org.apache.spark:spark-avro_2.13 in the version of Spark",
        )

    def _probe(self, staging_schema: str) -> Capabilities:
        check = self._conflict_check(staging_schema)
        return reached(self._kind, check, needs_jvm=self._needs_jvm)

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
        if not self._has_locks:
            return None
        is_over = partial(run_records.is_over, self._metastore, self._storage, self._lease)
        return MetastoreLock(self._locks, self._lease.id, is_over)

    def _ensure_staging_schema(self, name: str) -> None:
        if name in self._staging_schemas:
            return
        if self._metastore.database_location(name) is None:
            self._create_staging_schema(name)
        self._staging_schemas.add(name)

    def _create_staging_schema(self, name: str) -> None:
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
        raise StagingError(
            f"tables of files are published in {SESSION_CATALOG} only",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy=f"build the model in {SESSION_CATALOG}",
        )
