"""Any catalog that Spark publishes in by one statement: on the list, or declared and probed.

At ``atomic`` it needs no JVM: the commit is SQL. At ``isolated`` it does: the target is looked at
once more between the stage and its commit. The probe of a declaration always does.
"""

import threading
from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.catalogs.levels import resolve
from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities, ConflictCheck
from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, NoSuchVersionError
from dbt.adapters.ctas_spark.staging.files.rollback import RolledBack
from dbt.adapters.ctas_spark.staging.files.sweeper import Sweep
from dbt.adapters.ctas_spark.staging.publish import namespaces, ways
from dbt.adapters.ctas_spark.staging.publish.staged_native_table import StagedNativeTable
from dbt.adapters.ctas_spark.staging.retention.history import Event
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.statement.base import StatementBase, look
from dbt.adapters.ctas_spark.staging.statement.history import history
from dbt.adapters.ctas_spark.staging.statement.limits import problems
from dbt.adapters.ctas_spark.staging.statement.services import StatementServices
from dbt.adapters.ctas_spark.staging.statement.sweep import sweep
from dbt.adapters.ctas_spark.staging.statement.version import StatementVersion
from dbt.adapters.ctas_spark.staging.steps import Step, StepObserver, StepReport

MILLISECONDS = 1_000


class StatementCatalog:
    """A ``StagingCatalog``; ``find_out`` says what it reaches, given a schema to try it in."""

    def __init__(
        self, services: StatementServices, find_out: Callable[[str], Capabilities]
    ) -> None:
        self._services = services
        self._find_out = find_out
        self._guard = threading.Lock()
        self._staging_schemas: set[str] = set()
        self._found: Capabilities | None = None

    def capabilities(self, staging_schema: str) -> Capabilities:
        """What is on the list, or what was declared, once a probe has agreed.

        Raises:
            AtomicityNotSupportedError: the probe disagrees.
            StagingError: it could not find out; or there is no staging namespace.
        """
        with self._guard:
            if staging_schema not in self._staging_schemas:
                namespaces.make(self._services.tables, self._services.engine, staging_schema)
                self._services.leases(staging_schema)
                self._staging_schemas.add(staging_schema)
            if self._found is None:
                self._found = self._find_out(staging_schema)
            return self._found

    def apply_staging(
        self, context: StagingContext, job: Job, observers: tuple[StepObserver, ...] = ()
    ) -> StagedNativeTable[StatementBase]:
        """Decide the level, then make the staged table."""
        found = problems(context)
        if found:
            raise AtomicityNotSupportedError(
                f"this configuration is not that of {context.target.catalog}: " + "; ".join(found),
                table=context.target,
                left="it is unchanged; no job was started",
            )
        reached = self.capabilities(context.staging_schema)
        level = resolve(context.atomicity, reached, context.target)
        rules = RetentionRules(unknown_after_ms=context.unknown_after_seconds * MILLISECONDS)
        services = self._services
        version = StatementVersion(
            context,
            services,
            lambda: sweep(context, services, rules),
            conditional=reached.conflict_check is ConflictCheck.CAS,
        )
        by = ways.Ways(ways.CREATE, reached.replaces_by)
        return StagedNativeTable(context, level, version, services.lease, job, observers, by)

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Drop what dead runs staged; there are no old versions.

        Raises:
            StagingError: it could not be found out whether something may go; the rest stays.
        """
        self.capabilities(context.staging_schema)
        report = StepReport(context.target)
        with report.within(Step.CLEAN_UP):
            done = sweep(context, self._services, rules, dry_run=dry_run)
            if not dry_run:
                runs = self._services.other_runs(context.staging_schema, rules)
                runs.delete_dead(self._services.tables.tables(context.staging_schema), report)
        return done

    def recover(self, context: StagingContext, rules: RetentionRules) -> tuple[str, ...]:
        """Drop what dead runs staged; what was done, as sentences.

        Raises:
            StagingError: it could not be found out what is left.
        """
        self.capabilities(context.staging_schema)
        with StepReport(context.target).within(Step.RECOVER):
            freed = sweep(context, self._services, rules).freed
        return tuple(f"a dead run's version was deleted: {place}" for place in freed)

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        """Every build that the marker on the table still knows.

        Raises:
            MetastoreError: it could not be read.
        """
        return history(look(self._services.tables, context.target))

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        """There is no way back.

        Raises:
            NoSuchVersionError: always.
        """
        wanted = f"version {to}" if to else "an earlier version"
        raise NoSuchVersionError(
            f"{wanted} can't be published again: what a statement of Spark's replaced in the "
            f"catalog {context.target.catalog}, no statement brings back",
            table=context.target,
            left="it is unchanged",
            remedy="use the catalog's own way back, if it has one",
        )
