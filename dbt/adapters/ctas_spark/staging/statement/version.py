"""A version of a table that is published by statement: a whole table of its own, then its copy.

The staged table is its own record. One CREATE TABLE or REPLACE TABLE that selects from it
publishes: Spark stages that in the catalog and commits it there at the end. So the rows are written
twice.
"""

import logging
from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import MetastoreError, StagingError
from dbt.adapters.ctas_spark.staging.files import records
from dbt.adapters.ctas_spark.staging.files.publication import new_commit_id
from dbt.adapters.ctas_spark.staging.files.records import LEASE, RECORD_BASE, STATE, RecordState
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts
from dbt.adapters.ctas_spark.staging.publish.discard import still_there
from dbt.adapters.ctas_spark.staging.publish.marker import (
    TARGET,
    VERSION,
    Kind,
    LineageEntry,
    Marker,
)
from dbt.adapters.ctas_spark.staging.publish.native_commit import unchanged
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.version import Change
from dbt.adapters.ctas_spark.staging.statement import base as bases
from dbt.adapters.ctas_spark.staging.statement import statement
from dbt.adapters.ctas_spark.staging.statement.base import StatementBase
from dbt.adapters.ctas_spark.staging.statement.calls import core_errors
from dbt.adapters.ctas_spark.staging.statement.conditional import publish_over
from dbt.adapters.ctas_spark.staging.statement.outcomes import decide
from dbt.adapters.ctas_spark.staging.statement.services import StatementServices
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)


class StatementVersion:
    """A ``NativeVersion`` in any catalog of Spark's.

    ``conditional`` says that the catalog refuses a commit over another's: then it is staged in the
    JVM, the target is looked at once more, and only then committed.
    """

    def __init__(
        self,
        context: StagingContext,
        services: StatementServices,
        tend: Callable[[], object],
        *,
        conditional: bool,
    ) -> None:
        self.id = services.lease.new_version()
        self._context = context
        self._services = services
        self._tables = services.tables
        self._sweep = tend
        self._conditional = conditional
        self._begun = StatementBase(context.target, None)
        self._marker: Marker | None = None

    @property
    def record(self) -> TableName:
        """The staged table."""
        name = records.record_name(self._context.staging_schema, self._context.target, self.id)
        return TableName(name.database, name.table, self._context.target.catalog)

    @property
    def places(self) -> str:
        """The staged table has its files where the catalog puts them."""
        return f"the staged table {self.record}"

    def tend(self) -> None:
        """Drop what dead runs staged; what fails is said and left to later runs."""
        try:
            self._sweep()
        except StagingError as error:
            logger.warning("%s: earlier runs' tables stay: %s", self._context.target, error.what)

    def look(self) -> StatementBase:
        """The target as it is now."""
        return bases.look(self._tables, self._context.target)

    def stage_on(self, base: StatementBase) -> None:
        """Say that the run is alive; the table is made by its CTAS.

        Raises:
            StagingError: there is no schema to publish in.
        """
        self._begun = base
        if not self._tables.has_namespace(self._context.target.database):
            raise conflicts.no_such_schema(self._context.target)
        self._services.lease.beat(self._services.leases(self._context.staging_schema))

    def statement(self, query: str) -> str:
        """The CTAS of the staged table."""
        own = {
            STATE: RecordState.STAGED.value,
            TARGET: str(self._context.target),
            VERSION: self.id,
            RECORD_BASE: str(self._begun),
            LEASE: self._services.lease.id,
        }
        return statement.create_as(self.record, self._context.layout, own, query)

    def check_staged(self) -> WriteFigures:
        """Spark counts nothing of such a write; StagingError if the table is gone."""
        if not self._tables.exists(self.record):
            raise conflicts.record_gone(self._context.target, self.record, unchanged(self._begun))
        return WriteFigures()

    def mark(self, over: StatementBase, level: Atomicity) -> str:
        """Make the marker that the statement sets; StagingError if the staged table is gone."""
        self.check_staged()
        commit = new_commit_id()
        now = self._services.clock(self._context.staging_schema)()
        entry = LineageEntry(commit, self.id, Kind.BUILD, now)
        self._marker = Marker(
            commit=commit,
            version=self.id,
            base=over.commit,
            target=str(self._context.target),
            level=level.value,
            lineage=over.lineage.followed_by(entry),
        )
        return commit

    def publish(self, over: StatementBase) -> None:
        """One statement, or the same in single calls where the catalog checks conflicts."""
        if self._marker is None:
            raise RuntimeError(f"mark() was not called for {self._context.target}")
        own = self._marker.to_parameters()
        if self._conditional:
            tables = self._services.in_single_calls()
            publish_over(tables, self._context, self.record, own, over)
            return
        build = statement.replace_as if over.exists else statement.create_as
        target, layout = self._context.target, self._context.layout
        text = build(target, layout, own, statement.all_of(self.record))
        with core_errors(f"publish {target}"):
            self._services.engine.sql(text)

    def change(self, begun: StatementBase, now: StatementBase) -> Change:
        """What became of the target."""
        return bases.change_between(begun, now)

    def who(self, begun: StatementBase, now: StatementBase) -> str:
        """Who changed it, and when."""
        return bases.who_changed(begun, now)

    def decide(
        self, over: StatementBase, after: StatementBase, commit: str, failure: MetastoreError | None
    ) -> Outcome:
        """By the marker on the target."""
        return decide(over, after, commit, failure, conditional=self._conditional)

    def refresh(self) -> None:
        """Forget what Spark's caches hold of the target."""
        self._services.engine.refresh(self._context.target)

    def forget(self, report: StepReport) -> list[str]:
        """Drop the staged table: the target has its own copy of the rows."""
        return self._without_record(report)

    def discard(self, report: StepReport) -> list[str]:
        """Drop the staged table."""
        return self._without_record(report)

    def _without_record(self, report: StepReport) -> list[str]:
        return still_there(report, (Step.DELETE_RECORD, self.places, self._drop_record))

    def _drop_record(self) -> None:
        if self._tables.exists(self.record):
            self._tables.drop(self.record)
