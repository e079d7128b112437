"""A version of an Iceberg table in SQL: by branch where only rows change, else by a copy.

Which way it is can be told once the model's query is known, before its job: its columns decide.
"""

import logging
from dataclasses import replace

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    MetastoreError,
    RefusedError,
)
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.publish.version import (
    Change,
    FormatVersion,
    Outcome,
    Reach,
)
from dbt.adapters.ctas_spark.staging.statement import rows_only, seen
from dbt.adapters.ctas_spark.staging.statement.branch_version import REACH, BranchVersion
from dbt.adapters.ctas_spark.staging.statement.calls import core_errors
from dbt.adapters.ctas_spark.staging.statement.seen import SeenBase
from dbt.adapters.ctas_spark.staging.statement.tables import SqlTables, details
from dbt.adapters.ctas_spark.staging.statement.version import (
    CREATE,
    StatementVersion,
)
from dbt.adapters.ctas_spark.staging.steps import StepReport

logger = logging.getLogger(__name__)

CREATION = Reach(Atomicity.ISOLATED, CREATE, conflict_check="cas")
NOTHING_SHOWN = "it has never had a snapshot"


class EitherVersion(FormatVersion[SeenBase]):
    """A ``Version``; ``copied`` says what the way by a copy reaches."""

    def __init__(self, context: StagingContext, tables: SqlTables, copied: Reach) -> None:
        self._context = context
        self._tables = tables
        self._copied = copied
        self._copy = StatementVersion(context, tables, copied)
        self._branch: BranchVersion | None = None
        self._begun: SeenBase | None = None
        self._level = copied.level
        self._why_copied = ""
        self.id = self._copy.id

    @property
    def record(self) -> TableName:
        """The branch, or the staged table."""
        return self._branch.record if self._branch else self._copy.record

    @property
    def places(self) -> str:
        """Where what is staged lies; empty before there is any."""
        return self._branch.places if self._branch else self._copy.places

    def look(self) -> SeenBase:
        """The target as it is now."""
        return seen.look(self._tables, self._context.target)

    def reach(self, over: SeenBase) -> Reach:
        """Isolated, but for a copy over a table; until the query is known the layout decides."""
        if self._branch is not None:
            return REACH
        if not over.exists:
            return CREATION
        if self._copy.places:
            return self._of_a_copy(self._why_copied or "another created it meanwhile")
        why = self._change_of_layout(over)
        return self._of_a_copy(why) if why else REACH

    def stage_on(self, base: SeenBase, level: Atomicity) -> None:
        """Nothing is written before the query is known.

        Raises:
            StagingError: there is no schema to publish in.
        """
        self._begun, self._level = base, level
        self._copy.stage_on(base.general, level)

    def statement(self, query: str) -> str:
        """Choose the way; the statement that stages the version.

        Raises:
            AtomicityNotSupportedError: the model names a level that only a branch keeps, and the
                rebuild changes more than rows.
        """
        begun = self._begun
        if begun is None or not begun.exists:
            return self._copy.statement(query)
        self._why_copied = self._change_of_layout(begun) or self._change_of_columns(begun, query)
        if self._why_copied:
            self._check_level(begun)
            return self._copy.statement(query)
        self._branch = BranchVersion(self._context, self._tables, self.id, begun)
        return self._branch.statement(query)

    def check_staged(self, counted: WriteFigures) -> WriteFigures:
        """What is known of what was staged; StagingError if it is gone."""
        return self._branch.check_staged() if self._branch else self._copy.check_staged(counted)

    def change(self, begun: SeenBase, now: SeenBase) -> Change:
        """What became of the target."""
        return seen.change_between(begun, now)

    def who(self, begun: SeenBase, now: SeenBase) -> str:
        """The writer that changed the target, and the time."""
        return seen.who_changed(begun, now)

    def rebase(self, over: SeenBase) -> None:
        """A copy goes over anything; a branch is copied to one of what others committed."""
        if self._branch is not None:
            self._branch.rebase(over)

    def mark(self, over: SeenBase, level: Atomicity) -> str:
        """Prepare the next attempt; its commit id."""
        if self._branch is not None:
            return self._branch.mark(over, level)
        return self._copy.mark(over.general, level)

    def publish(self, over: SeenBase) -> None:
        """One statement."""
        if self._branch is not None:
            self._branch.publish()
        else:
            self._copy.publish(over.general)

    def decide(
        self, over: SeenBase, after: SeenBase, commit: str, failure: MetastoreError | None
    ) -> Outcome:
        """By the table's history, or by the marker of a copy on it."""
        if self._branch is not None:
            return self._branch.decide(over, after, commit, failure)
        return self._copy.decide(over.general, after.general, commit, failure)

    def settle(self, report: StepReport) -> list[str]:
        """Refresh the session; what was staged is not needed any more."""
        if self._branch is None:
            return self._copy.settle(report)
        self._copy.refresh()
        return self._branch.discard(report)

    def discard(self, report: StepReport) -> list[str]:
        """Remove what was staged."""
        return self._branch.discard(report) if self._branch else self._copy.discard(report)

    def _of_a_copy(self, why: str) -> Reach:
        missing = f"{why}, and {self._copied.missing}"
        return replace(self._copied, missing=missing, conflict_check="none")

    def _change_of_layout(self, begun: SeenBase) -> str:
        """Why a branch can't hold what the model asks for, but for its columns."""
        if begun.general.facts is None or begun.lines.main is None:
            return NOTHING_SHOWN
        properties = begun.general.facts.properties
        return rows_only.change_of_layout(self._context.layout, begun.shape, properties)

    def _change_of_columns(self, begun: SeenBase, query: str) -> str:
        target, ask = self._context.target, self._tables.ask
        with core_errors(f"read the columns of {target}"):
            shown = ask(f"DESCRIBE TABLE EXTENDED {quoting.table(target)}")
        try:
            with core_errors("read the columns of its query"):
                asked = ask(f"DESCRIBE QUERY {query}")
        except RefusedError as error:
            return error.what  # its job fails, too, and says so in Spark's own words
        layout = self._context.layout
        if layout.comment is not None and layout.comment != details(shown).get("Comment", ""):
            return "its comment is another"
        columns = rows_only.columns_of(shown), rows_only.columns_of(asked)
        return rows_only.change_of_columns(layout, begun.shape, *columns)

    def _check_level(self, begun: SeenBase) -> None:
        reach = self._of_a_copy(self._why_copied)
        if self._context.atomicity is Atomicity.ISOLATED:
            raise AtomicityNotSupportedError(
                f"atomicity isolated can't be kept by this publication: {reach.missing}",
                table=self._context.target,
                left=messages.NO_JOB,
                remedy=reach.remedy,
            )
        if begun.level == Atomicity.ISOLATED.value and self._level is Atomicity.ISOLATED:
            logger.warning(
                "%s was last published at atomicity %s, and is now at %s: %s",
                self._context.target,
                begun.level,
                reach.level.value,
                reach.missing,
            )
