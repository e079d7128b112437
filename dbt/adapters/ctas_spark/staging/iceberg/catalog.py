"""Iceberg's catalogs: tables that are staged as forks and published by one metadata commit.

It needs the driver's JVM: Iceberg's own Java objects compare and swap, and SQL has no words for it.
"""

from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities, ConflictCheck
from dbt.adapters.ctas_spark.staging.catalogs.settings import IcebergKind
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import Job, WriteFigures
from dbt.adapters.ctas_spark.staging.errors import NotSupportedError
from dbt.adapters.ctas_spark.staging.iceberg.base import look
from dbt.adapters.ctas_spark.staging.iceberg.garbage import IcebergGarbage
from dbt.adapters.ctas_spark.staging.iceberg.limits import problems
from dbt.adapters.ctas_spark.staging.iceberg.restore import IcebergRestoring, history
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergServices
from dbt.adapters.ctas_spark.staging.iceberg.version import IcebergVersion
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.publish.ddl import StagingNamespaces
from dbt.adapters.ctas_spark.staging.publish.staged_table import Plan
from dbt.adapters.ctas_spark.staging.retention.clean_up import CleanUp
from dbt.adapters.ctas_spark.staging.retention.rollback import RolledBack, roll_back
from dbt.adapters.ctas_spark.staging.retention.rules import Event, Reason, RetentionRules, Sweep
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport


class IcebergCatalog:
    """A ``StagingCatalog``; ``kind`` is how it points to its tables' metadata."""

    def __init__(self, services: IcebergServices, kind: IcebergKind) -> None:
        self._services = services
        self._kind = kind
        self._namespaces = StagingNamespaces(services.tables, services.engine.sql)

    def capabilities(self, staging_schema: str) -> Capabilities:
        """Every kind that is let in compares and swaps; the staging schema is made here."""
        self._namespaces.ensure(staging_schema)
        return Capabilities(f"iceberg ({self._kind.value})", ConflictCheck.CAS, Atomicity.ISOLATED)

    def plan(self, context: StagingContext, job: Job) -> Plan:
        found = "; ".join(problems(context))
        if found:
            what = f"this configuration is not Iceberg's: {found}"
            raise NotSupportedError(what, table=context.target, left=messages.NO_JOB)
        reached = self.capabilities(context.staging_schema)
        return Plan(
            context,
            reached.level_for(context.atomicity, context.target),
            job,
            lambda _, report: IcebergVersion(context, self._services, report),
            self._services.clock,
        )

    def remember(self, context: StagingContext, version: str, figures: WriteFigures) -> None:
        """Iceberg counts what it writes, and its history has that."""

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Delete what was staged and never published; the rest is Iceberg's own to expire."""
        self.capabilities(context.staging_schema)
        report = StepReport(context.target)
        garbage = IcebergGarbage(context, self._services, report)
        with report.within(Step.CLEAN_UP):
            if not dry_run:
                garbage.forget_published()
            done = CleanUp(garbage, rules, report, dry_run).run()
        for event in reversed(self.history(context)):
            done.kept[event.version] = Reason.LIVE if event.state == "live" else Reason.NATIVE
        return done

    def recover(self, context: StagingContext) -> tuple[str, ...]:
        """One commit leaves nothing half done; entries of published forks are removed."""
        self.capabilities(context.staging_schema)
        report = StepReport(context.target)
        with report.within(Step.RECOVER):
            return IcebergGarbage(context, self._services, report).forget_published()

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        found = look(self._services.tables, context.target)
        return history(found.facts) if found.facts else ()

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        reached = self.capabilities(context.staging_schema)
        restoring = IcebergRestoring(context, self._services)
        return roll_back(context, restoring, reached.reaches, to)
