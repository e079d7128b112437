"""Versions that a statement publishes in a catalog on fakes, and how far they came."""

from typing import Any

from ctas_spark.catalogs.levels import HADOOP
from ctas_spark.context import (
    StagingContext,
    TableLayout,
    TableName,
)
from ctas_spark.publish.rollback import NoJob
from ctas_spark.publish.staged_table import StagedTable
from ctas_spark.statement.catalog import StatementCatalog
from fakes.sql_catalog import FakeSqlCatalog, tables_of

TARGET = TableName("shop", "t", "ice")
PATH = "`ice`.`shop`.`t`"
CONTEXT = StagingContext(TARGET, "stg", layout=TableLayout(format_given=False))
OLD, NEW, THEIRS = "SELECT 1 AS old", "SELECT 2 AS new", "SELECT 3 AS theirs"


def staging(catalog: FakeSqlCatalog) -> StatementCatalog:
    """The kind on the fake."""
    return StatementCatalog(tables_of(catalog), HADOOP)


def begun(catalog: FakeSqlCatalog, context: StagingContext = CONTEXT) -> StagedTable[Any]:
    """A table that has begun."""
    return staging(catalog).plan(context, NoJob()).begin()


def staged(
    catalog: FakeSqlCatalog, query: str = NEW, context: StagingContext = CONTEXT
) -> StagedTable[Any]:
    """A table that was filled and verified."""
    table = begun(catalog, context)
    catalog.ask(table.statement(query))
    table.verify()
    return table


def published(catalog: FakeSqlCatalog, query: str = OLD) -> StagedTable[Any]:
    """A table that was committed."""
    table = staged(catalog, query)
    table.commit()
    table.settle()
    return table
