"""A database in memory behind Spark's JDBC catalog, and versions on their way into it."""

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

from ctas_spark.context import StagingContext, TableLayout, TableName
from ctas_spark.database.catalog import DatabaseCatalog
from ctas_spark.database.tables import Database
from ctas_spark.publish.rollback import NoJob
from ctas_spark.publish.staged_table import StagedTable
from fakes.clock import FakeClock
from fakes.sql_catalog import named

CONTEXT = StagingContext(
    TableName("app", "orders", "pg"), "unused", layout=TableLayout(format_given=False)
)
QUERY, THEIRS = "SELECT 1 AS ours", "SELECT 2 AS theirs"
MADE = re.compile(r"CREATE TABLE `pg`\.`app`\.`(\w+)`\n.*AS\n(.*)", re.DOTALL)
RENAMED = re.compile(r"ALTER TABLE `pg`\.`app`\.`(\w+)` RENAME TO `app`\.`(\w+)`")
DROPPED = re.compile(r"DROP TABLE IF EXISTS `pg`\.`app`\.`(\w+)`")
LOOKED = re.compile(r"(?:relname|table_name) = '(\w+)'")


class FakeDatabase:
    """``tables`` have a number and a query by name, ``others`` are names of what is no table.

    ``before`` is called with each statement and ``after`` with those that change something; either
    may raise.
    """

    def __init__(self) -> None:
        self.tables: dict[str, tuple[int, str]] = {}
        self.others: dict[str, str] = {}
        self.schemas = {"app"}
        self.clock = FakeClock()
        self.statements: list[str] = []
        self.before: Callable[[str], None] = lambda _: None
        self.after: Callable[[str], None] = lambda _: None
        self._numbers = itertools.count(16_384)

    def ask(self, statement: str) -> list[Mapping[str, Any]]:
        """Run a statement."""
        self.statements.append(statement)
        self.before(statement)
        if statement.startswith("SELECT"):
            return self._told(statement)
        if statement.startswith("DESCRIBE NAMESPACE"):
            if statement.rpartition(".")[2].strip("`") not in self.schemas:
                raise named("SCHEMA_NOT_FOUND")
            return []
        self._change(statement)
        self.after(statement)
        return []

    def make(self, name: str, rows: str = THEIRS) -> None:
        """Somebody creates a table."""
        if name in self.tables or name in self.others:
            raise named("TABLE_OR_VIEW_ALREADY_EXISTS")
        self.tables[name] = next(self._numbers), rows

    @property
    def rows(self) -> dict[str, str]:
        """What each table holds."""
        return {name: rows for name, (_, rows) in self.tables.items()}

    def _told(self, statement: str) -> list[Mapping[str, Any]]:
        if "current_timestamp" in statement:
            return [{"now": self.clock.wall}]
        if statement.startswith("SELECT relname"):
            return [{"relname": name} for name in self.tables]
        found = LOOKED.search(statement)
        assert found is not None, statement
        if statement.startswith("SELECT relid"):
            return [{"relid": self.tables[one][0]} for one in {found[1]} & {*self.tables}]
        return [{"table_type": self.others[one]} for one in {found[1]} & {*self.others}]

    def _change(self, statement: str) -> None:
        if found := MADE.fullmatch(statement):
            self.make(found[1], found[2])
        elif found := RENAMED.fullmatch(statement):
            self._rename(found[1], found[2])
        elif found := DROPPED.fullmatch(statement):
            self.tables.pop(found[1], None)
        else:
            raise AssertionError(statement)

    def _rename(self, old: str, new: str) -> None:
        if old not in self.tables:
            raise named("TABLE_OR_VIEW_NOT_FOUND")
        if new in self.tables or new in self.others:
            raise named("TABLE_OR_VIEW_ALREADY_EXISTS")
        self.tables[new] = self.tables.pop(old)


def staging(database: FakeDatabase) -> DatabaseCatalog:
    """The kind on the fake."""
    return DatabaseCatalog(Database(database.ask, "pg", database.clock))


def begun(database: FakeDatabase, context: StagingContext = CONTEXT) -> StagedTable[Any]:
    """A table that has begun."""
    return staging(database).plan(context, NoJob()).begin()


def staged(database: FakeDatabase, context: StagingContext = CONTEXT) -> StagedTable[Any]:
    """A table that was filled and verified."""
    table = begun(database, context)
    database.ask(table.statement(QUERY))
    table.verify()
    return table
