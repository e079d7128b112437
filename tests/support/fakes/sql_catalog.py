"""A catalog of Iceberg's in memory behind SQL, and what a run works with on it."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from pyspark.errors import AnalysisException, PySparkException, SparkUpgradeException

from ctas_spark.statement.tables import SqlTables
from fakes.clock import FakeClock

PAIR = re.compile(r"'([^']*)' = '([^']*)'")
PATH = re.compile(r"(?:TABLE|TBLPROPERTIES|IN|EXTENDED|NAMESPACE|EXISTS) (`[^ \n]+`)")
LOG = re.compile(r"FROM (`[^ ]+`)\.metadata_log_entries")
COPIED = re.compile(r"AS\nSELECT \* FROM (`[^ ]+`)$")


class Named(SparkUpgradeException):
    """An error that Spark names."""

    name = ""

    def getCondition(self) -> str:  # noqa: N802 (PySpark's)
        return self.name

    def getErrorClass(self) -> str:  # noqa: N802 (PySpark 3.5's)
        return self.name


class NamedByAnalysis(Named, AnalysisException):
    """One that Spark's analysis raises."""


def named(name: str, kind: type[Named] = Named) -> PySparkException:
    """An error with that name, on any PySpark: their constructors differ."""
    error = kind("words")
    error.name = name
    return error


class FakeSqlCatalog:
    """``shown`` has each table's properties by its quoted path, ``rows`` the query that made it.

    ``failure`` is every answer. ``before`` is called with each statement, ``after`` with those that
    changed something; either may raise. ``described`` is what DESCRIBE says of a path that REFRESH
    fails for, ``answers`` what any other statement that begins so returns.
    """

    def __init__(self) -> None:
        self.shown: dict[str, dict[str, str]] = {}
        self.rows: dict[str, str] = {}
        self.commits: dict[str, int] = {}
        self.written: dict[str, int] = {}
        self.missing_namespaces: set[str] = set()
        self.described: dict[str, list[dict[str, str]]] = {}
        self.answers: dict[str, list[dict[str, Any]]] = {}
        self.clock = FakeClock()
        self.failure: Exception | None = None
        self.before: Callable[[str], None] = lambda _: None
        self.after: Callable[[str], None] = lambda _: None
        self.statements: list[str] = []

    def ask(self, statement: str) -> list[Mapping[str, Any]]:
        """Run a statement."""
        self.statements.append(statement)
        self.before(statement)
        if self.failure is not None:
            raise self.failure
        for beginning, answer in self.answers.items():
            if statement.startswith(beginning):
                return list(answer)
        if statement.startswith("SELECT unix_millis"):
            return [{"now": self.clock.wall}]
        if statement.startswith("SELECT md5"):
            return [self._log(statement)]
        found = PATH.search(statement)
        assert found is not None, statement
        done = self._run(statement, found.group(1))
        self.after(statement)
        return done

    def write(self, path: str, rows: str, own: Mapping[str, str]) -> None:
        """Commit."""
        self.commits[path] = self.commits.get(path, 0) + 1
        self.rows[path], self.written[path] = rows, self.clock.wall
        self.shown[path] = {"format": "iceberg/parquet", **own}

    def drop(self, path: str) -> None:
        """The table and its rows."""
        del self.shown[path], self.rows[path]

    def _run(self, statement: str, path: str) -> list[Mapping[str, Any]]:
        if statement.startswith("SHOW TABLES"):
            return self._listed(path)
        if statement.startswith(("CREATE SCHEMA", "DESCRIBE NAMESPACE")):
            self._namespace(statement, path)
        elif statement.startswith(("CREATE", "REPLACE")):
            self._make(statement, path)
        elif statement.startswith("DESCRIBE TABLE") and path in self.described:
            return list(self.described[path])
        else:
            self._check(path)
            return self._of_a_table(statement, path)
        return []

    def _log(self, statement: str) -> Mapping[str, Any]:
        found = LOG.search(statement)
        assert found is not None, statement
        path = found.group(1)
        self._check(path)
        version = f"m{self.commits[path]}"
        return {"version": version, "written_ms": self.written[path], "marker": None}

    def _namespace(self, statement: str, path: str) -> None:
        if statement.startswith("CREATE"):
            self.missing_namespaces.discard(path)
        elif path in self.missing_namespaces:
            raise named("SCHEMA_NOT_FOUND")

    def _listed(self, path: str) -> list[Mapping[str, Any]]:
        tables = [name.rpartition(".")[2] for name in self.shown if name.startswith(f"{path}.")]
        view = {"tableName": "a_view", "isTemporary": True}
        return [view, *({"tableName": name.strip("`"), "isTemporary": False} for name in tables)]

    def _make(self, statement: str, path: str) -> None:
        if statement.startswith("CREATE") and path in self.shown:
            raise named("TABLE_OR_VIEW_ALREADY_EXISTS")
        if statement.startswith("REPLACE"):
            self._check(path)
        copied = COPIED.search(statement)
        if copied is not None:
            self._check(copied.group(1))
        rows = self.rows[copied.group(1)] if copied else statement.rpartition("AS\n")[2]
        self.write(path, rows, dict(PAIR.findall(statement)))

    def _check(self, path: str) -> None:
        if path in self.described:
            raise named("INTERNAL_ERROR")
        if path not in self.shown:
            raise named("TABLE_OR_VIEW_NOT_FOUND")

    def _of_a_table(self, statement: str, path: str) -> list[Mapping[str, Any]]:
        if statement.startswith("DROP"):
            self.drop(path)
        elif statement.startswith("SHOW TBLPROPERTIES"):
            return [{"key": key, "value": value} for key, value in self.shown[path].items()]
        return []


def tables_of(
    catalog: FakeSqlCatalog,
    name: str = "ice",
    file_format: str = "iceberg",
    *,
    has_branches: bool = False,
) -> SqlTables:
    """What a run works with."""
    return SqlTables(catalog.ask, name, file_format, catalog.clock, has_branches=has_branches)
