"""A version of a table that SQL alone publishes: by branch if only rows change, else by a copy.

The way is chosen when the model's query is known, before its job, because its columns matter.
"""

import logging
from dataclasses import replace

from .. import quoting
from ..context import Atomicity, StagingContext
from ..errors import MetastoreError, RefusedError
from ..iceberg import branches, refusals
from ..publish import messages, purposes
from ..publish import version as outcome
from ..publish.marker import new_version_id
from ..publish.version import ChoosingVersion, Outcome, Reach
from ..steps import StepReport
from . import base as bases
from . import shapes
from .base import StatementBase
from .by_branch import ByFastForward
from .by_copy import CREATE, REPLACE, ByCopy
from .tables import SqlTables, details

logger = logging.getLogger(__name__)

CREATION = Reach(Atomicity.ISOLATED, CREATE, conflict_check="cas")
"""In a catalog that refuses a commit over another's, one of two creations wins."""
NOTHING_SHOWN = "it has never had a snapshot"


class StatementVersion(ChoosingVersion[StatementBase, ByCopy | ByFastForward]):
    """A ``Version``; ``copied`` says what a publication by a copy reaches."""

    change = staticmethod(bases.change_between)
    changed_by = staticmethod(bases.who_changed)

    def __init__(self, context: StagingContext, tables: SqlTables, copied: Reach) -> None:
        self.id = new_version_id(tables.clock.wall_ms())
        self._context = context
        self._tables = tables
        self._copied = copied
        self._level = copied.level
        self._why_copied = ""
        self._columns: list[str] = []
        self._begun = StatementBase(context.target, None)
        self._strategy = ByCopy(context, tables, self.id, self._begun)

    def look(self) -> StatementBase:
        return self._tables.look(self._context.target)

    def reach(self, over: StatementBase) -> Reach:
        """What the chosen way reaches; until the query is known, the layout alone decides."""
        if not self._tables.has_branches:
            return replace(self._copied, strategy=REPLACE if over.exists else CREATE)
        if isinstance(self._strategy, ByFastForward):
            return branches.REACH
        if not over.exists:
            return CREATION
        why = self._why_copied or self._change_of_layout(over)
        return self._of_a_copy(why) if why else branches.REACH

    def stage_on(self, base: StatementBase, level: Atomicity) -> None:
        """Nothing is written before the query is known.

        Raises:
            AtomicityNotSupportedError: a rebuild would lose what an Iceberg table has.
        """
        self._check_kept(base)
        self._begun, self._level = base, level
        self._strategy = ByCopy(self._context, self._tables, self.id, base)

    def statement(self, query: str) -> str:
        """Choose the way; return the statement that stages the version.

        Raises:
            AtomicityNotSupportedError: the model names a level that only a branch keeps, and the
                rebuild changes more than rows.
        """
        if not self._begun.exists:
            self._why_copied = "another created it meanwhile"
        elif self._tables.has_branches:
            self._choose(query)
        return self._strategy.statement(query)

    def mark(self, over: StatementBase, level: Atomicity) -> str:
        """Mark it if the commit still goes to ``main``: another writer may have set WAP mode."""
        self._check_wap(over, messages.unchanged(self._begun))
        return super().mark(over, level)

    def decide(
        self, over: StatementBase, after: StatementBase, commit: str, failure: MetastoreError | None
    ) -> Outcome:
        """By the table's history, or by the marker in its properties."""
        ours, gone = after.has_commit(commit), self._strategy.can_not_land(over, after)
        return outcome.decide(failure, shows_ours=ours, can_not_land=gone)

    def settle(self, report: StepReport) -> list[str]:
        """Refresh the session; what was staged is not needed any more."""
        try:
            self._tables.refresh(self._context.target)
        except MetastoreError as error:
            logger.warning("%s", error)
        return self._strategy.settle(report)

    def _check_kept(self, base: StatementBase) -> None:
        """A rebuild by a branch would keep what one by a copy loses, or shows in plain text."""
        if self._tables.are_icebergs:
            target, shown = base.name, base.facts.properties if base.facts else {}
            refusals.check_encryption(target, {**shown, **self._context.layout.properties})
            refusals.check_replaceable(target, shown)
            self._check_wap(base, messages.NO_JOB)

    def _check_wap(self, over: StatementBase, left: str) -> None:
        own = {**(over.facts.properties if over.facts else {}), **self._context.layout.properties}
        if self._tables.are_icebergs and refusals.WAP_MODE in own:
            refusals.check_wap(over.name, own, self._tables.writes_elsewhere(), left)

    def _choose(self, query: str) -> None:
        """Take the way by branch if only rows change."""
        begun = self._begun
        self._why_copied = self._change_of_layout(begun) or self._change_of_columns(begun, query)
        if self._why_copied:
            self._check_level(self._of_a_copy(self._why_copied))
        else:
            self._strategy = ByFastForward(
                self._context, self._tables, self.id, begun, self._columns
            )

    def _check_level(self, reach: Reach) -> None:
        """Refuse a level by name that a copy can't keep; warn of less than the last publication."""
        level, last = purposes.kept(self._context, self._level, reach, messages.NO_JOB), self._begun
        if level is not self._level and last.level == Atomicity.ISOLATED.value:
            said = "%s was last published at atomicity %s, and is now at %s: %s"
            logger.warning(said, last.name, last.level, level.value, reach.missing)

    def _of_a_copy(self, why: str) -> Reach:
        missing = f"{why}, and {self._copied.missing}"
        return replace(self._copied, missing=missing, conflict_check="none")

    def _change_of_layout(self, over: StatementBase) -> str:
        """Why a branch can't hold what the model asks for; its columns are not looked at."""
        if over.facts is None or over.lines.main is None:
            return NOTHING_SHOWN
        return shapes.change_of_layout(self._context.layout, over.shape, over.facts.properties)

    def _change_of_columns(self, over: StatementBase, query: str) -> str:
        table, run = f"TABLE EXTENDED {quoting.table(over.name)}", self._tables.run
        shown = run(f"read the columns of {over.name}", f"DESCRIBE {table}")
        try:
            asked = run("read the columns of its query", f"DESCRIBE QUERY {query}")
        except RefusedError as error:
            return error.what  # its job fails, too, and says so in Spark's own words
        layout = self._context.layout
        if layout.comment is not None and layout.comment != details(shown).get("Comment", ""):
            return "its comment differs"
        columns = shapes.columns_of(shown)
        self._columns = [one.name for one in columns]
        return shapes.change_of_columns(layout, over.shape, columns, shapes.columns_of(asked))
