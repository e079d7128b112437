"""A catalog in memory behind SQL, as far as leases and looks at tables need it."""

import re
from collections.abc import Mapping
from typing import Any

from pyspark.errors import PySparkException, SparkUpgradeException

PAIR = re.compile(r"'([^']*)' = '([^']*)'")
PATH = re.compile(r"(?:TABLE|TBLPROPERTIES|IN|EXTENDED|NAMESPACE) (`[^ ]+`)")


class Named(SparkUpgradeException):
    """An error that Spark names."""

    name = ""

    def getCondition(self) -> str:  # noqa: N802 (PySpark's)
        return self.name

    def getErrorClass(self) -> str:  # noqa: N802 (PySpark 3.5's)
        return self.name


def named(name: str) -> PySparkException:
    """An error with that name."""
    error = Named("words")
    error.name = name
    return error


class FakeSqlCatalog:
    """``shown`` has each table's properties by its quoted path; ``failure`` is every answer.

    ``clock_ms`` is the server's. ``described`` is what DESCRIBE says of a path that REFRESH fails
    for, ``answers`` what any other statement that begins so returns.
    """

    def __init__(self) -> None:
        self.shown: dict[str, dict[str, str]] = {}
        self.described: dict[str, list[dict[str, str]]] = {}
        self.answers: dict[str, list[dict[str, Any]]] = {}
        self.clock_ms = 1_000
        self.failure: Exception | None = None
        self.statements: list[str] = []

    def ask(self, statement: str) -> list[Mapping[str, Any]]:
        """Run a statement."""
        self.statements.append(statement)
        if self.failure is not None:
            raise self.failure
        for beginning, answer in self.answers.items():
            if statement.startswith(beginning):
                return list(answer)
        if statement.startswith("SELECT unix_millis"):
            return [{"now": self.clock_ms}]
        found = PATH.search(statement)
        assert found is not None, statement
        return self._run(statement, found.group(1))

    def _run(self, statement: str, path: str) -> list[Mapping[str, Any]]:
        if statement.startswith("SHOW TABLES"):
            return self._listed(path)
        if statement.startswith("CREATE"):
            self._create(statement, path)
        elif statement.startswith("DESCRIBE TABLE") and path in self.described:
            return list(self.described[path])
        else:
            self._check(path)
            return self._of_a_table(statement, path)
        return []

    def _listed(self, path: str) -> list[Mapping[str, Any]]:
        tables = [name.rpartition(".")[2] for name in self.shown if name.startswith(f"{path}.")]
        view = {"tableName": "ctas_spark_lease__view", "isTemporary": True}
        return [view, *({"tableName": name.strip("`"), "isTemporary": False} for name in tables)]

    def _create(self, statement: str, path: str) -> None:
        if path in self.shown:
            raise named("TABLE_OR_VIEW_ALREADY_EXISTS")
        self.shown[path] = dict(PAIR.findall(statement))

    def _check(self, path: str) -> None:
        if path in self.described:
            raise named("INTERNAL_ERROR")
        if path not in self.shown:
            raise named("TABLE_OR_VIEW_NOT_FOUND")

    def _of_a_table(self, statement: str, path: str) -> list[Mapping[str, Any]]:
        if statement.startswith("ALTER"):
            self.shown[path].update(PAIR.findall(statement))
        elif statement.startswith("DROP"):
            del self.shown[path]
        elif statement.startswith("SHOW TBLPROPERTIES"):
            return [{"key": key, "value": value} for key, value in self.shown[path].items()]
        return []
