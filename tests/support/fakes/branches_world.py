"""A run in an Iceberg catalog in memory that publishes by branch, and what others do meanwhile."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyspark.errors import AnalysisException, PySparkException

from ctas_spark.catalogs.levels import HADOOP
from ctas_spark.context import (
    OnConflict,
    StagingContext,
    TableLayout,
    TableName,
)
from ctas_spark.publish.rollback import NoJob
from ctas_spark.publish.staged_table import StagedTable
from ctas_spark.retention.rules import RetentionRules
from ctas_spark.statement.catalog import StatementCatalog
from fakes.branches import FakeBranches
from fakes.sql_catalog import NamedByAnalysis, named, tables_of

TARGET = TableName("shop", "t", "ice")
PATH = "`ice`.`shop`.`t`"
CONTEXT = StagingContext(TARGET, "stg", layout=TableLayout(format_given=False))
OVERWRITE = replace(CONTEXT, on_conflict=OnConflict.OVERWRITE)
OLD, NEW, OTHER = "SELECT 1 AS id", "SELECT 2 AS id", "SELECT 3 AS another"
LOST = PySparkException("no answer")
RULES = RetentionRules()


def staging(catalog: FakeBranches) -> StatementCatalog:
    """The kind on the fake."""
    return StatementCatalog(tables_of(catalog, has_branches=True), HADOOP)


def staged(
    catalog: FakeBranches, query: str = NEW, context: StagingContext = CONTEXT
) -> StagedTable[Any]:
    """A table that was filled and verified."""
    table = staging(catalog).plan(context, NoJob()).begin()
    catalog.ask(table.statement(query))
    table.verify()
    return table


def published(
    catalog: FakeBranches, query: str = NEW, context: StagingContext = CONTEXT
) -> StagedTable[Any]:
    """A table that was committed."""
    table = staged(catalog, query, context)
    table.commit()
    table.settle()
    return table


def branches(catalog: FakeBranches) -> list[str]:
    """Those of the target, main apart."""
    return [name for name in catalog.histories[PATH].refs if name != "main"]


def at_the_call(catalog: FakeBranches, action: Callable[[], object]) -> None:
    """Do something once, directly before the call that publishes."""

    def told(statement: str) -> None:
        if statement.startswith("CALL"):
            catalog.before = lambda _: None
            action()

    catalog.before = told


def know_until_refreshed(catalog: FakeBranches, error: str) -> None:
    """What a session's cache does with a table that is gone, and what reading it says then."""
    catalog.answers["REFRESH TABLE"] = []

    def told(statement: str) -> None:
        if statement.startswith("SELECT 'branch'"):
            catalog.answers.pop("REFRESH TABLE", None)
            raise named(error, NamedByAnalysis)

    catalog.before = told


def fail() -> None:
    """The answer is lost."""
    raise LOST


def refuse() -> None:
    """Spark does not understand it."""
    raise AnalysisException("no such column")
