"""A version of an Iceberg table: by branch if only rows change, else by fork.

The way is chosen when the model's query is known, before its job, because its columns matter.
"""

import logging

from ..context import Atomicity, StagingContext
from ..engines.calls import refresh
from ..errors import MetastoreError
from ..publish.marker import new_version_id
from ..publish.version import ChoosingVersion, Reach
from ..steps import StepReport
from . import base as bases
from . import limits, rows_only
from .base import IcebergBase
from .by_branch import ByMetadata, Origin
from .by_fork import ByFork
from .tables import IcebergServices

logger = logging.getLogger(__name__)

KEEPS_NULLABILITY = "use-nullable-query-schema"
"""A catalog's setting: false if a table made from a query has its NOT NULL columns."""
NOTHING_SHOWN = "it has never had a snapshot"


class IcebergVersion(ChoosingVersion[IcebergBase, ByFork | ByMetadata]):
    """A ``Version``; ``forks_at_once`` asks at begin whether the catalog takes forks at all."""

    change = staticmethod(bases.change_between)
    changed_by = staticmethod(bases.who_changed)
    decide = staticmethod(bases.decide)

    def __init__(
        self,
        context: StagingContext,
        services: IcebergServices,
        report: StepReport,
        *,
        forks_at_once: bool = False,
    ) -> None:
        self.id = new_version_id(services.clock.wall_ms())
        self._context = context
        self._services = services
        self._report = report
        self._forks_at_once = forks_at_once
        self._begun = IcebergBase(None)
        self._fork = ByFork(context, services, report, self.id, self._begun)
        self._strategy = self._fork

    def look(self) -> IcebergBase:
        return bases.look(self._services.tables, self._context.target)

    def reach(self, over: IcebergBase) -> Reach:
        return self._strategy.reach(over)

    def stage_on(self, base: IcebergBase, level: Atomicity) -> None:  # noqa: ARG002 (the interface)
        """A new table is staged at once; over one that is there, only the query tells the way."""
        tables = self._services.tables
        limits.check(self._context, base.facts, tables.settings, tables.writes_elsewhere())
        self._begun = base
        self._strategy = self._fork = ByFork(
            self._context, self._services, self._report, self.id, base
        )
        if base.table is None or self._forks_at_once:
            self._fork.make()

    def statement(self, query: str) -> str:
        """Choose the way; return the statement that stages the version."""
        why = self._change_of_more_than_rows(query)
        facts = self._begun.facts
        if why or facts is None or facts.main is None:
            logger.debug("%s is published by a fork: %s", self._context.target, why)
            return self._fork.statement(query)
        left = self._fork.discard(self._report)
        if left:
            logger.info("%s: left for a later run: %s", self._context.target, ", ".join(left))
        base = self._begun
        origin = Origin(facts.main, facts.rules)
        self._strategy = ByMetadata(self._context, self._services, self.id, base, origin)
        return self._strategy.statement(query)

    def settle(self, report: StepReport) -> list[str]:
        """Refresh Spark's caches; Iceberg's own has what the look after the call has read."""
        left = self._strategy.settle(report)
        refresh(self._services.engine, self._context.target)
        return left

    def _change_of_more_than_rows(self, query: str) -> str:
        """What the rebuild changes besides rows; empty if nothing."""
        table, layout = self._begun.facts, self._context.layout
        if table is None or table.main is None:
            return NOTHING_SHOWN
        change = rows_only.change_of_table(layout, table)
        if change:
            return change
        try:
            asked = self._services.tables.schema_of(query)
        except MetastoreError as error:
            return error.what  # its job fails, too, and says so in Spark's own words
        nullable = self._services.tables.settings.get(KEEPS_NULLABILITY, "true") != "false"
        columns = rows_only.columns_of(asked, nullable=nullable)
        return rows_only.change_of_columns(layout, rows_only.columns_of(table.schema), columns)
