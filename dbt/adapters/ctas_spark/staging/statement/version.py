"""A version of a table that is published by statement: a whole table of its own, then its copy.

The staged table is its own record. One CREATE TABLE or REPLACE TABLE that selects from it
publishes: Spark stages that in the catalog and commits it there at the end. So the rows are written
twice, and nothing published ever needs the staged table again.
"""

import logging
from collections.abc import Mapping
from dataclasses import replace

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    StagingContext,
    TableLayout,
    TableName,
)
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.publish import version as outcome
from dbt.adapters.ctas_spark.staging.publish.ddl import clauses
from dbt.adapters.ctas_spark.staging.publish.marker import (
    PREFIX,
    TARGET,
    Kind,
    LineageEntry,
    Marker,
)
from dbt.adapters.ctas_spark.staging.publish.version import (
    Change,
    FormatVersion,
    Outcome,
    Reach,
)
from dbt.adapters.ctas_spark.staging.statement import base as bases
from dbt.adapters.ctas_spark.staging.statement.base import StatementBase
from dbt.adapters.ctas_spark.staging.statement.calls import core_errors
from dbt.adapters.ctas_spark.staging.statement.tables import SqlTables
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport
from dbt.adapters.ctas_spark.staging.storage.client import still_there
from dbt.adapters.ctas_spark.staging.version_id import new_commit_id, new_version_id

logger = logging.getLogger(__name__)

STAGED_FOR = PREFIX + "staged_for"
"""The target of a staged table; only the tables of this kind have it."""
STAGED_AS = PREFIX + "staged_as"
"""The version's id; a table that was made of a staged one has another name than it says."""
DROPS_FILES = "gc.enabled"
"""Iceberg's; false, which the model or the catalog may say of the target, forbids to purge it."""
CREATE, REPLACE = "create", "replace"
MOST_OF_THE_TABLE_NAME = 120


class StatementVersion(FormatVersion[StatementBase]):
    """A ``Version``; ``reached`` is the level of each publication, whatever it goes over."""

    def __init__(self, context: StagingContext, tables: SqlTables, reached: Reach) -> None:
        self.id = new_version_id(tables.clock.wall_ms())
        self._context = context
        self._tables = tables
        self._reached = reached
        self._begun = StatementBase(context.target, None)
        self._marker: Marker | None = None
        self._is_staged = False

    @property
    def record(self) -> TableName:
        return staged_name(self._context, self.id)

    @property
    def places(self) -> str:
        """The staged table has its files where the catalog puts them."""
        return f"the staged table {self.record}" if self._is_staged else ""

    def look(self) -> StatementBase:
        return self._tables.look(self._context.target)

    def reach(self, over: StatementBase) -> Reach:
        """The same over every base, but for the statement's verb."""
        return replace(self._reached, strategy=REPLACE if over.exists else CREATE)

    def stage_on(self, base: StatementBase, level: Atomicity) -> None:  # noqa: ARG002 (one level)
        """Nothing is written: the staged table is made by its CTAS.

        Raises:
            StagingError: there is no schema to publish in.
        """
        self._begun = base
        if not self._tables.has_namespace(self._context.target.database):
            raise messages.no_such_schema(self._context.target)

    def statement(self, query: str) -> str:
        self._is_staged = True
        # its own name as the marker's target: no clean-up of Iceberg's takes it for a fork
        own = {
            DROPS_FILES: "true",
            STAGED_FOR: str(self._context.target),
            STAGED_AS: self.id,
            TARGET: str(self.record),
        }
        return ctas(CREATE, self.record, self._context.layout, own, query)

    def check_staged(self, counted: WriteFigures) -> WriteFigures:  # noqa: ARG002 (of other writes)
        """Spark counts nothing of such a write; StagingError if the table is gone."""
        self._check_record()
        return WriteFigures()

    def change(self, begun: StatementBase, now: StatementBase) -> Change:
        return bases.change_between(begun, now)

    def who(self, begun: StatementBase, now: StatementBase) -> str:
        return bases.who_changed(begun, now)

    def rebase(self, over: StatementBase) -> None:
        """No clean-up asks for the base of a staged table: its age alone decides."""

    def mark(self, over: StatementBase, level: Atomicity) -> str:
        """Make the marker that the statement sets; StagingError if the staged table is gone."""
        self._check_record()
        commit = new_commit_id()
        entry = LineageEntry(commit, self.id, Kind.BUILD, self._tables.driver.now_ms())
        self._marker = Marker(
            commit=commit,
            version=self.id,
            base=over.commit,
            target=str(self._context.target),
            level=level.value,
            lineage=over.lineage.followed_by(entry),
            number=over.marker.number + 1 if over.marker else 1,
        )
        return commit

    def publish(self, over: StatementBase) -> None:
        """One statement: the catalog commits it at its end, or not at all."""
        if self._marker is None:
            raise RuntimeError(f"mark() was not called for {self._context.target}")
        target, rows = self._context.target, f"SELECT * FROM {quoting.table(self.record)}"  # noqa: S608 (quoted)
        verb, own = REPLACE if over.exists else CREATE, self._marker.to_parameters()
        with core_errors(f"publish {target}"):
            self._tables.sql(ctas(verb, target, self._context.layout, own, rows))

    def decide(
        self,
        over: StatementBase,  # noqa: ARG002 (a base that was left proves nothing here)
        after: StatementBase,
        commit: str,
        failure: MetastoreError | None,
    ) -> Outcome:
        """By the marker on the target; no base refuses a statement that is still under way."""
        return outcome.decide(failure, shows_ours=after.has_commit(commit), can_not_land=False)

    def settle(self, report: StepReport) -> list[str]:
        """Refresh the session; drop the staged table: the target has its own copy of the rows."""
        self.refresh()
        return self.discard(report)

    def refresh(self) -> None:
        """Make this session see what was published. Never raises."""
        try:
            self._tables.refresh(self._context.target)
        except MetastoreError as error:
            logger.warning("%s", error)

    def discard(self, report: StepReport) -> list[str]:
        return still_there(report, (Step.DELETE_RECORD, self.places, self._drop_record))

    def _check_record(self) -> None:
        if not self._tables.exists(self.record):
            unchanged = messages.unchanged(self._begun)
            raise messages.record_gone(self._context.target, self.record, unchanged)

    def _drop_record(self) -> None:
        if self._tables.exists(self.record):
            self._tables.drop(self.record)


def staged_name(context: StagingContext, version: str) -> TableName:
    """The staged table of a version; the name of a target's table is cut to what catalogs hold."""
    table = f"{context.target.table[:MOST_OF_THE_TABLE_NAME]}__{version}"
    return TableName(context.staging_schema, table, context.target.catalog)


def ctas(
    verb: str, name: TableName, layout: TableLayout, properties: Mapping[str, str], query: str
) -> str:
    """Create a table that must not be there, or replace one that must."""
    using = quoting.identifier(layout.file_format) if layout.format_given else None
    said = clauses(using, layout, {**layout.properties, **properties})
    return f"{verb.upper()} TABLE {quoting.table(name)}\n{said}\nAS\n{query}"
