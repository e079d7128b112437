"""Iceberg's catalogs: tables that are staged as forks and published by one metadata commit.

It needs the driver's JVM: Iceberg's own Java objects compare and swap, and SQL has no words for it.
"""

from collections.abc import Collection
from functools import partial

from ..context import Atomicity, StagingContext, TableName
from ..engines.protocol import Job
from ..errors import NotSupportedError
from ..publish import messages
from ..publish.catalog import Capabilities, ConflictCheck, Deletion, StagingCatalog, without
from ..publish.ddl import StagingNamespaces
from ..publish.rollback import RolledBack, roll_back
from ..publish.staged_table import Plan
from ..retention.clean_up import swept
from ..retention.rules import Event, Reason, RetentionRules, Sweep
from ..steps import Step, StepReport
from .base import look
from .branches import BranchGarbage, with_branches
from .garbage import IcebergGarbage, forked
from .limits import problems
from .restore import IcebergRestoring, history
from .tables import IcebergServices
from .version import IcebergVersion


def reached(kind: str) -> Capabilities:
    """What a kind of catalog reaches that compares and swaps; no other is let in."""
    return Capabilities(f"iceberg ({kind})", ConflictCheck.CAS, Atomicity.ISOLATED)


class IcebergCatalog(StagingCatalog):
    """A ``StagingCatalog``.

    ``kind`` names how it points to its tables' metadata. With ``may_refuse_forks`` a plan asks at
    begin whether it takes forks, until it has taken one.
    """

    def __init__(
        self, services: IcebergServices, kind: str, *, may_refuse_forks: bool = False
    ) -> None:
        self._services = services
        self._kind = kind
        self._may_refuse_forks = may_refuse_forks
        self._namespaces = StagingNamespaces(services.tables, services.engine.sql)

    def capabilities(self, staging_schema: str) -> Capabilities:
        """The staging schema is made here."""
        self._namespaces.ensure(staging_schema)
        return reached(self._kind)

    def plan(self, context: StagingContext, job: Job) -> Plan:
        found = "; ".join(problems(context))
        if found:
            what = f"an Iceberg table can't be configured like this: {found}"
            raise NotSupportedError(what, table=context.target, left=messages.NO_JOB)
        self._namespaces.ensure(context.staging_schema, context.target)
        capabilities = self.capabilities(context.staging_schema)

        def attempt(_: Atomicity, report: StepReport) -> IcebergVersion:
            asks = self._may_refuse_forks and not self._services.tables.has_forked
            return IcebergVersion(context, self._services, report, forks_at_once=asks)

        level = capabilities.level_for(context.atomicity, context.target)
        return Plan(context, level, job, attempt, self._services.clock)

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Delete what was staged and never published; the rest is Iceberg's own to expire."""
        self._namespaces.ensure(context.staging_schema, context.target)
        done = self._swept(context, rules, dry_run=dry_run)
        for event in reversed(self.history(context)):
            done.kept[event.version] = Reason.LIVE if event.state == "live" else Reason.NATIVE
        return done

    def abandoned(
        self, context: StagingContext, known: Collection[TableName]
    ) -> tuple[TableName, ...]:
        """By the forks in its staging schema, and the branches of the tables in its database."""
        tables = self._services.tables
        found = (
            *forked(tables, context.staging_schema),
            *with_branches(tables, context.target.database, known),
        )
        return without(found, known)

    def begin_clean_up_abandoned(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Deletion:
        return partial(self._swept, context, rules, dry_run=dry_run)

    def _swept(self, context: StagingContext, rules: RetentionRules, *, dry_run: bool) -> Sweep:
        """Also of a table that is gone; nothing is made for it."""
        report = StepReport(context.target)
        services = self._services
        garbage = IcebergGarbage(context, services, report)
        branches = BranchGarbage(context.target, services.tables, services.clock.wall_ms)
        with report.within(Step.CLEAN_UP):
            if not dry_run:
                garbage.forget_published()
            return swept((garbage, branches), rules, report, dry_run=dry_run)

    def recover(self, context: StagingContext) -> tuple[str, ...]:
        """One commit leaves nothing half done; entries of published forks are removed."""
        self._namespaces.ensure(context.staging_schema, context.target)
        report = StepReport(context.target)
        with report.within(Step.RECOVER):
            return IcebergGarbage(context, self._services, report).forget_published()

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        found = look(self._services.tables, context.target)
        return history(found.facts) if found.facts else ()

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        self._namespaces.ensure(context.staging_schema, context.target)
        capabilities = self.capabilities(context.staging_schema)
        restoring = IcebergRestoring(context, self._services)
        return roll_back(context, restoring, capabilities.reaches, to)
