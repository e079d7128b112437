"""Delta tables in Spark's session catalog, where that is Delta's own class.

It needs the driver's JVM: Delta's transaction takes the version that it is conditional on only
there, and SQL has no words for it.
"""

from dataclasses import replace
from itertools import islice

from dbt.adapters.ctas_spark.staging.catalogs.levels import resolve
from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.delta import newborn
from dbt.adapters.ctas_spark.staging.delta.base import LOOKED_BACK, is_delta, look
from dbt.adapters.ctas_spark.staging.delta.history import KEPT, LIVE, events
from dbt.adapters.ctas_spark.staging.delta.jars import TRIED
from dbt.adapters.ctas_spark.staging.delta.limits import problems
from dbt.adapters.ctas_spark.staging.delta.publications import publications
from dbt.adapters.ctas_spark.staging.delta.rollback import earlier, roll_back
from dbt.adapters.ctas_spark.staging.delta.staged_delta_table import StagedDeltaTable
from dbt.adapters.ctas_spark.staging.delta.sweep import DeadAttempts
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables
from dbt.adapters.ctas_spark.staging.delta.version import DeltaVersion
from dbt.adapters.ctas_spark.staging.engines.protocol import Job, WriteFigures
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.files.catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.files.publication import PartitionState
from dbt.adapters.ctas_spark.staging.files.rollback import RolledBack
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.files.sweeper import Sweep
from dbt.adapters.ctas_spark.staging.publish.protocol import StagedTable
from dbt.adapters.ctas_spark.staging.publish.staged_native_table import StagedNativeTable
from dbt.adapters.ctas_spark.staging.retention.history import Event
from dbt.adapters.ctas_spark.staging.retention.rules import Reason, RetentionRules
from dbt.adapters.ctas_spark.staging.steps import Step, StepObserver, StepReport

MILLISECONDS = 1_000


class DeltaCatalog:
    """A ``StagingCatalog`` for Delta models; entries, records and leases are ``session``'s."""

    def __init__(self, session: SessionCatalog, tables: DeltaTables) -> None:
        self._session = session
        self._tables = tables

    def capabilities(self, staging_schema: str) -> Capabilities:
        """What the session catalog reaches, by which tables are created and replace others."""
        return self._session.capabilities(staging_schema)

    def apply_staging(
        self, context: StagingContext, job: Job, observers: tuple[StepObserver, ...] = ()
    ) -> StagedDeltaTable:
        """Decide the level, then make the staged table."""
        self._refuse(context)
        services = self._session.services(context.staging_schema)
        level = resolve(
            context.atomicity, self.capabilities(context.staging_schema), context.target
        )
        files = StagedFileTable(context, level, PartitionState.FILES, services, job, observers)

        def over_delta(version: str) -> StagedTable | None:
            newborn.adopt(context, services)
            if not is_delta(services.metastore.get_table(context.target)):
                return None
            rules = RetentionRules(unknown_after_ms=context.unknown_after_seconds * MILLISECONDS)
            dead = DeadAttempts(context, services, self._tables, rules)
            staged = DeltaVersion(context, services, self._tables, version, dead.sweep)
            kept = Atomicity.ISOLATED if context.atomicity is Atomicity.AUTO else level
            return StagedNativeTable(context, kept, staged, services.lease, job, observers)

        return StagedDeltaTable(files, over_delta, self._figures)

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Delete what dead runs left; published versions are Delta's own to expire (VACUUM).

        A whole table that another replaced is a superseded version of the session catalog's.

        Raises:
            StagingError: it could not be found out whether something may go; the rest stays.
        """
        services = self._session.services(context.staging_schema)
        if not dry_run:
            newborn.adopt(context, services)
        with StepReport(context.target).within(Step.CLEAN_UP):
            dead = DeadAttempts(context, services, self._tables, rules, dry_run=dry_run).sweep()
        done = self._session.clean_up(context, rules, dry_run=dry_run)
        done.freed = [*dead.freed, *done.freed]
        done.kept = {**self._published(context, services), **done.kept, **dead.kept}
        return done

    def recover(self, context: StagingContext, rules: RetentionRules) -> tuple[str, ...]:
        """Delete what dead runs left; what was done, as sentences.

        Raises:
            StagingError: it could not be found out what is left.
        """
        services = self._session.services(context.staging_schema)
        newborn.adopt(context, services)
        with StepReport(context.target).within(Step.RECOVER):
            freed = DeadAttempts(context, services, self._tables, rules).sweep().freed
        done = tuple(f"a dead run's version was deleted: {place}" for place in freed)
        return (*done, *self._session.recover(context, rules))

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        """Every publication that Delta's log still has, then what the entry's lineage knows.

        Raises:
            MetastoreError, StorageError: it could not be read.
        """
        services = self._session.services(context.staging_schema)
        return self._events(context, services)

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        """Restore version ``to``, or the one before the live one, by one commit.

        Over what is not a Delta table, or to what was before it: as the session catalog does.

        Raises:
            NoSuchVersionError, ConcurrentWriteError, CommitStateUnknownError: as ``rollback`` says.
        """
        services = self._session.services(context.staging_schema)
        base = look(self._tables, services.metastore, context.target)
        inside = earlier(services, self._tables, context, base.table) if base.table else ()
        others = [one.version for one in inside if one.version != base.version]
        if others and to in (None, *others):
            return roll_back(context, services, self._tables, to)
        return self._session.roll_back(context, to)

    def _figures(self, record: TableName) -> WriteFigures:
        table = self._tables.find(record)
        return self._tables.figures(table) if table else WriteFigures()

    def _events(
        self, context: StagingContext, services: Services, most: int | None = None
    ) -> tuple[Event, ...]:
        """The publications among the ``most`` newest commits, or among all."""
        base = look(self._tables, services.metastore, context.target)
        before = self._session.history(context)
        if base.table is None:
            return before
        commits = islice(self._tables.commits(base.table), most)
        found = publications(commits, base.table.facts.number)
        inside = events(found, base.version)
        kept = (replace(event, state=KEPT) if event.state == LIVE else event for event in before)
        superseded = bool(inside) or base.version is None
        return (*inside, *(kept if superseded else before))

    def _published(self, context: StagingContext, services: Services) -> dict[str, Reason]:
        found = self._events(context, services, LOOKED_BACK)
        return {
            event.version: Reason.LIVE if event.state == LIVE else Reason.NATIVE
            for event in reversed(found)
            if event.state != "deleted"
        }

    def _refuse(self, context: StagingContext) -> None:
        found = problems(context)
        if found:
            raise AtomicityNotSupportedError(
                "this configuration is not Delta's: " + "; ".join(found),
                table=context.target,
                left="it is unchanged; no job was started",
            )
        if not self._tables.fits():
            raise AtomicityNotSupportedError(
                "this release of Delta has another transaction than the one that is known",
                table=context.target,
                left="it is unchanged; no job was started",
                remedy=f"use one that was tried: {', '.join(TRIED.values())}",
            )
