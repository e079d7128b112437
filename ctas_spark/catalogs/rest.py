"""An Iceberg REST catalog: versions are staged as forks, or in SQL if the server takes no fork.

Some servers keep each table in its namespace's directory and its metadata in its own, so that no
other name can lead there. Only the first attempt to stage a version shows that.
"""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from ..context import Atomicity, StagingContext, TableName
from ..engines.protocol import Job
from ..iceberg.limits import NoSecondNameError
from ..publish.catalog import Capabilities, ConflictCheck, Deletion, StagingCatalog, without
from ..publish.rollback import RolledBack
from ..publish.staged_table import Plan, StagedTable
from ..retention.rules import Event, RetentionRules, Sweep
from .levels import NOT_ISOLATED

logger = logging.getLogger(__name__)

IN_SQL = Capabilities(
    "iceberg (rest)",
    ConflictCheck.NONE,
    Atomicity.ATOMIC,
    "the catalog refuses a second name for a table's metadata, under which a version would be "
    "staged; "
    f"{NOT_ISOLATED}",
    "allow the session's user to register tables outside of their namespace's location, or set "
    "atomicity: auto",
)
"""What a copy reaches where no fork can be made."""


@dataclass(frozen=True, slots=True)
class _FirstTry(Plan):
    """A plan for a fork; ``in_sql`` makes the one to take if the server refuses that."""

    in_sql: Callable[[NoSecondNameError], Plan] | None = None

    def begin(self) -> StagedTable[Any]:
        try:
            return Plan.begin(self)
        except NoSecondNameError as refused:
            if self.in_sql is None:
                raise
            return replace(self.in_sql(refused), observers=self.observers).begin()


class RestCatalog(StagingCatalog):
    """A ``StagingCatalog`` out of two: ``forked`` until the server refuses it, then ``in_sql``."""

    def __init__(self, forked: StagingCatalog, in_sql: StagingCatalog) -> None:
        self._forked = forked
        self._in_sql = in_sql
        self._takes_forks = True

    def capabilities(self, staging_schema: str) -> Capabilities:
        return self._taken.capabilities(staging_schema)

    def plan(self, context: StagingContext, job: Job) -> Plan:
        plan = self._taken.plan(context, job)
        if not self._takes_forks:
            return plan
        shared = plan.context, plan.level, plan.job, plan.open_version, plan.clock, plan.observers

        def in_sql(refused: NoSecondNameError) -> Plan:
            if self._takes_forks:
                said = "%s: a rebuild is published in SQL, by a branch if only rows change: %s"
                logger.info(said, context.target.catalog, refused.what)
            self._takes_forks = False
            return self._in_sql.plan(context, job)

        return _FirstTry(*shared, in_sql=in_sql)

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Delete what forks have left; what SQL has left as well, if there may be something."""
        swept = self._forked.clean_up(context, rules, dry_run=dry_run)
        if rules.thorough or not self._takes_forks:
            swept.add(self._in_sql.clean_up(context, rules, dry_run=dry_run))
        return swept

    def abandoned(
        self, context: StagingContext, known: Collection[TableName]
    ) -> tuple[TableName, ...]:
        """Of forks, and of what was staged in SQL."""
        both = (self._forked, self._in_sql)
        return without((name for one in both for name in one.abandoned(context, known)), known)

    def begin_clean_up_abandoned(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Deletion:
        def delete() -> Sweep:
            done = Sweep()
            for one in (self._forked, self._in_sql):
                done.add(one.begin_clean_up_abandoned(context, rules, dry_run=dry_run)())
            return done

        return delete

    def recover(self, context: StagingContext) -> tuple[str, ...]:
        return self._forked.recover(context)

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        """A copy leaves its marker in the table's properties, where only SQL looks for it."""
        found = (*self._in_sql.history(context), *self._forked.history(context))
        by_commit = {event.commit: event for event in found}
        return tuple(sorted(by_commit.values(), key=lambda event: event.time, reverse=True))

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        """By a branch, which takes no fork."""
        return self._forked.roll_back(context, to)

    @property
    def _taken(self) -> StagingCatalog:
        return self._forked if self._takes_forks else self._in_sql
