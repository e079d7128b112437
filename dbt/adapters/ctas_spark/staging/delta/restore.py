"""Publish an earlier version of a Delta table again: Delta's own RESTORE, schema included."""

from dataclasses import replace
from functools import cached_property

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.delta.base import DeltaBase, DeltaTarget
from dbt.adapters.ctas_spark.staging.delta.facts import with_commit
from dbt.adapters.ctas_spark.staging.delta.history import last_states
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, core_errors
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import (
    ConcurrentWriteError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from dbt.adapters.ctas_spark.staging.files.table import Services
from dbt.adapters.ctas_spark.staging.publish.marker import Kind, Marker
from dbt.adapters.ctas_spark.staging.publish.version import CannotReplayError, Outcome
from dbt.adapters.ctas_spark.staging.steps import StepReport

USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
OTHERS = "another's replace"


class DeltaRestore(DeltaTarget):
    """A ``Version`` that is in the table's history: nothing is staged, and nothing discarded."""

    strategy = "restore"
    kind = Kind.ROLLBACK
    places = ""

    def __init__(
        self,
        context: StagingContext,
        services: Services,
        tables: DeltaTables,
        version: str,
        number: int,
    ) -> None:
        super().__init__(context, services, tables)
        self.id = version
        self._number = number

    @property
    def record(self) -> TableName:
        """The target, whose history has the version."""
        return self._context.target

    def stage_on(self, base: DeltaBase, level: Atomicity) -> None:
        """Nothing is staged."""

    def statement(self, query: str) -> str:
        """There is none."""
        raise RuntimeError(f"version {self.id} is there already, and is not made by {query}")

    def check_staged(self, counted: WriteFigures) -> WriteFigures:
        """RESTORE itself looks whether the files are there."""
        return counted

    def rebase(self, over: DeltaBase) -> None:
        """There is no record of what is never deleted by us."""

    def publish(self, over: DeltaBase) -> None:
        """One RESTORE, with the marker as a setting of a session of its own.

        It looks at the table once more, and refuses what another commits after that.
        """
        if over.table is None:
            raise CannotReplayError("there is no Delta table, and so no version in its history")
        self.check_still(over.table)
        session = self._tables.spark.newSession()
        session.conf.set(USER_METADATA, self._marked.to_text())
        name = quoting.table(self._context.target)
        try:
            with core_errors(f"restore version {self.id}"):
                session.sql(f"RESTORE TABLE {name} TO VERSION AS OF {self._number}").collect()
        except EntryModifiedError:
            raise
        except RefusedError as error:
            remedy = "if VACUUM took its files, build the model again"
            raise RefusedError(f"{error.what}; {remedy}") from error

    def decide(
        self, over: DeltaBase, after: DeltaBase, commit: str, failure: MetastoreError | None
    ) -> Outcome:
        """By the target's own history.

        Raises:
            ConcurrentWriteError: it is published over what another committed after our look.
        """
        since = self.since(over, after) or ()
        ours = with_commit(since, commit)
        below = [one for one in since if ours is not None and one.number < ours.number]
        theirs = next((one for one in below if not one.is_maintenance), None)
        if theirs is None:
            return super().decide(over, after, commit, failure)
        number, target = theirs.number, self._context.target
        raise ConcurrentWriteError(
            f"another committed ({theirs.operation}, {number}) while the table was rolled back",
            table=target,
            left="it is rolled back, and what they wrote is in its history only",
            remedy=f"RESTORE TABLE {target} TO VERSION AS OF {number} brings theirs back",
        )

    def settle(self, report: StepReport) -> list[str]:  # noqa: ARG002 (nothing was staged)
        """Forget what the session's caches hold of the target."""
        self._services.engine.refresh(self._context.target)
        return []

    def discard(self, report: StepReport) -> list[str]:  # noqa: ARG002 (nothing was staged)
        """Nothing of it is ours to delete."""
        return []


class DeltaRestoring:
    """The versions in the history of one Delta table; read once."""

    def __init__(self, context: StagingContext, services: Services, tables: DeltaTables) -> None:
        self._context = context
        self._services = services
        self._tables = tables

    def look(self) -> DeltaBase:
        """The target; another's replace of a version of ours can be taken back, too."""
        base = self._base
        return replace(base, version=base.version or OTHERS) if self.earlier() else base

    def earlier(self) -> tuple[str, ...]:
        """The versions in the log, newest first, without the live one."""
        return tuple(one for one in self._numbers if one != self._base.version)

    def restored(
        self,
        version: str,
        level: Atomicity,  # noqa: ARG002 (always isolated)
        report: StepReport,  # noqa: ARG002 (the machine reports the call)
    ) -> DeltaRestore:
        """An attempt that publishes an earlier version."""
        number = self._numbers[version]
        return DeltaRestore(self._context, self._services, self._tables, version, number)

    @cached_property
    def _base(self) -> DeltaBase:
        return DeltaTarget(self._context, self._services, self._tables).look()

    @cached_property
    def _numbers(self) -> dict[str, int]:
        table = self._base.table
        if table is None:
            return {}
        created = Marker.of(self._services.metastore.get_table(self._context.target))
        commits = tuple(self._tables.commits(table))
        return last_states(commits, table.facts.number, created.version if created else None)
