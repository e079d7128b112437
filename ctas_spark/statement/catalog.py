"""A catalog in which one SQL statement publishes, so that no JVM is needed in this process.

A copy (CREATE TABLE or REPLACE TABLE) is not conditional on what begin saw: a commit by a rival
between the last look and the statement is overwritten. The fast-forward of a branch is conditional.
"""

from collections.abc import Collection, Iterator

from ..context import DELTA, Atomicity, StagingContext, TableName
from ..engines.protocol import Job
from ..errors import NoSuchVersionError
from ..iceberg.branches import BranchGarbage
from ..iceberg.branches import with_branches as with_our_branches
from ..publish import messages
from ..publish.catalog import Capabilities, ConflictCheck, Deletion, StagingCatalog, without
from ..publish.ddl import StagingNamespaces
from ..publish.purposes import problems_of_any
from ..publish.rollback import RolledBack
from ..publish.staged_table import Plan
from ..publish.version import Reach
from ..retention.clean_up import Garbage, swept
from ..retention.rules import Event, RetentionRules, Sweep
from ..steps import Step, StepReport
from .by_copy import REPLACE
from .garbage import StatementGarbage, staged_for
from .history import events
from .tables import SqlTables
from .version import StatementVersion


def _problems(context: StagingContext) -> Iterator[str]:
    catalog = context.target.catalog
    yield from problems_of_any(context, f"the catalog {catalog}")
    if context.layout.clustered_by and context.layout.file_format == DELTA:
        yield "clustered_by: a Delta table's CLUSTER BY is published with method: session only"
    elif context.layout.clustered_by:
        yield "clustered_by and buckets: use partition_by: ['bucket(8, id)']"
    if context.layout.location_root is not None:
        yield f"location_root: the catalog {catalog} places its tables itself; remove it"


def with_branches(copied: Capabilities) -> Capabilities:
    """What a catalog reaches at most where rows alone are published by branch."""
    return Capabilities(copied.catalog, ConflictCheck.CAS, Atomicity.ISOLATED)


class StatementCatalog(StagingCatalog):
    """A ``StagingCatalog``; ``copied`` is what a statement that copies reaches in it."""

    def __init__(self, tables: SqlTables, copied: Capabilities) -> None:
        self._tables = tables
        self._copied = copied
        self._namespaces = StagingNamespaces(tables, tables.sql)

    def capabilities(self, staging_schema: str) -> Capabilities:
        self._namespaces.ensure(staging_schema)
        return with_branches(self._copied) if self._tables.has_branches else self._copied

    def plan(self, context: StagingContext, job: Job) -> Plan:
        found = "; ".join(_problems(context))
        if found:
            what = f"this configuration is not that of {context.target.catalog}: {found}"
            raise messages.unsupported(context.target, what, remedy="")
        self._namespaces.ensure(context.staging_schema, context.target)
        known = self._copied
        copied = Reach(known.reaches, REPLACE, missing=known.missing, remedy=known.remedy)
        return Plan(
            context,
            self.capabilities(context.staging_schema).level_for(context.atomicity, context.target),
            job,
            lambda _level, _report: StatementVersion(context, self._tables, copied),
            self._tables.clock,
        )

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Drop what old attempts have left; there are no superseded versions."""
        report, tables = StepReport(context.target), self._tables
        found: list[Garbage] = [StatementGarbage(context, tables)]
        if tables.has_branches:
            found.append(BranchGarbage(context.target, tables, tables.driver.now_ms))
        with report.within(Step.CLEAN_UP):
            return swept(found, rules, report, dry_run=dry_run)

    def abandoned(
        self, context: StagingContext, known: Collection[TableName]
    ) -> tuple[TableName, ...]:
        """By the staged tables, and the branches of the tables in the context's database."""
        tables = self._tables
        found = [*staged_for(tables, context.staging_schema)]
        if tables.has_branches:
            found += with_our_branches(tables, context.target.database, known)
        return without(found, known)

    def begin_clean_up_abandoned(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Deletion:
        return self.begin_clean_up(context, rules, dry_run=dry_run)

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        found = self._tables.look(context.target)
        return tuple(events(found.lines, found.name, found.lineage))

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        wanted = f"version {to}" if to else "an earlier version"
        raise NoSuchVersionError(
            f"{wanted} can't be published again: Spark has no statement that restores what was "
            f"replaced in the catalog {context.target.catalog}",
            table=context.target,
            left="it is unchanged",
            remedy="use the catalog's own way back, if it has one",
        )
