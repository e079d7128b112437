"""Iceberg's catalogs: tables that are staged as forks and published by one metadata commit.

It needs the driver's JVM: Iceberg's own Java objects compare and swap, and SQL has no words for it.
"""

import threading

from dbt.adapters.ctas_spark.staging.catalogs.levels import resolve
from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities, ConflictCheck
from dbt.adapters.ctas_spark.staging.catalogs.settings import IcebergKind
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.files.rollback import RolledBack
from dbt.adapters.ctas_spark.staging.files.sweeper import Sweep
from dbt.adapters.ctas_spark.staging.iceberg.base import IcebergBase, look
from dbt.adapters.ctas_spark.staging.iceberg.history import history
from dbt.adapters.ctas_spark.staging.iceberg.limits import problems
from dbt.adapters.ctas_spark.staging.iceberg.rollback import roll_back
from dbt.adapters.ctas_spark.staging.iceberg.services import IcebergServices
from dbt.adapters.ctas_spark.staging.iceberg.sweep import ForkSweeper
from dbt.adapters.ctas_spark.staging.iceberg.version import IcebergVersion
from dbt.adapters.ctas_spark.staging.publish import namespaces
from dbt.adapters.ctas_spark.staging.publish.staged_native_table import StagedNativeTable
from dbt.adapters.ctas_spark.staging.retention.history import Event
from dbt.adapters.ctas_spark.staging.retention.native_leases import OtherRuns
from dbt.adapters.ctas_spark.staging.retention.rules import Reason, RetentionRules
from dbt.adapters.ctas_spark.staging.steps import Step, StepObserver, StepReport

MILLISECONDS = 1_000


def reached(kind: IcebergKind) -> Capabilities:
    """Every kind that is let in compares and swaps."""
    return Capabilities(f"iceberg ({kind.value})", ConflictCheck.CAS, Atomicity.ISOLATED)


class IcebergCatalog:
    """A ``StagingCatalog``; ``kind`` is how it points to its tables' metadata."""

    def __init__(self, services: IcebergServices, kind: IcebergKind) -> None:
        self._services = services
        self._kind = kind
        self._guard = threading.Lock()
        self._staging_schemas: set[str] = set()

    def capabilities(self, staging_schema: str) -> Capabilities:
        """What its kind reaches; the staging namespace is made here.

        Raises:
            StagingSchemaError: there is no staging namespace and none can be made.
        """
        with self._guard:
            if staging_schema not in self._staging_schemas:
                namespaces.ensure(self._services.tables, self._services.engine, staging_schema)
                self._staging_schemas.add(staging_schema)
        return reached(self._kind)

    def apply_staging(
        self, context: StagingContext, job: Job, observers: tuple[StepObserver, ...] = ()
    ) -> StagedNativeTable[IcebergBase]:
        """Decide the level, then make the staged table."""
        found = problems(context)
        if found:
            raise AtomicityNotSupportedError(
                "this configuration is not Iceberg's: " + "; ".join(found),
                table=context.target,
                left="it is unchanged; no job was started",
            )
        level = resolve(
            context.atomicity, self.capabilities(context.staging_schema), context.target
        )
        rules = RetentionRules(unknown_after_ms=context.unknown_after_seconds * MILLISECONDS)
        version = IcebergVersion(
            context,
            self._services,
            ForkSweeper(context, self._services, rules).sweep,
        )
        return StagedNativeTable(context, level, version, self._services.lease, job, observers)

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Delete what dead runs left; published versions are Iceberg's own to expire.

        Raises:
            StagingError: it could not be found out whether something may go; the rest stays.
        """
        self.capabilities(context.staging_schema)
        report = StepReport(context.target)
        with report.within(Step.CLEAN_UP):
            done = ForkSweeper(context, self._services, rules, dry_run=dry_run).sweep()
            if not dry_run:
                self._delete_dead_leases(context.staging_schema, rules, report)
        for event in reversed(self.history(context)):
            done.kept[event.version] = Reason.LIVE if event.state == "live" else Reason.NATIVE
        return done

    def recover(self, context: StagingContext, rules: RetentionRules) -> tuple[str, ...]:
        """Delete what dead runs left; what was done, as sentences.

        Raises:
            StagingError: it could not be found out what is left.
        """
        self.capabilities(context.staging_schema)
        with StepReport(context.target).within(Step.RECOVER):
            freed = ForkSweeper(context, self._services, rules).sweep().freed
        return tuple(f"a dead run's version was deleted: {place}" for place in freed)

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        """Every build and rollback that Iceberg's own history still has.

        Raises:
            MetastoreError: it could not be read.
        """
        found = look(self._services.tables, context.target)
        return history(found.facts) if found.facts else ()

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        """Publish version ``to``, or the one before the live one, by one conditional commit.

        Raises:
            NoSuchVersionError, ConcurrentWriteError, CommitStateUnknownError: as ``rollback`` says.
        """
        self.capabilities(context.staging_schema)
        return roll_back(context, self._services, to)

    def _delete_dead_leases(
        self, namespace: str, rules: RetentionRules, report: StepReport
    ) -> None:
        services = self._services
        directory = services.leases(namespace)
        runs = OtherRuns(services.storage, directory, services.lease, rules)
        runs.delete_dead(services.tables.tables(namespace), report)
