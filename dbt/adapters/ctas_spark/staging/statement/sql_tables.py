"""The tables of a catalog as SQL shows them, for connections without a JVM."""

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError, MetastoreError
from dbt.adapters.ctas_spark.staging.statement.calls import (
    NamespaceMissingError,
    condition,
    core_errors,
    java_class,
)
from dbt.adapters.ctas_spark.staging.statement.client import A_VIEW, TableFacts
from dbt.adapters.ctas_spark.staging.statement.sql import Answer, Ask
from dbt.adapters.ctas_spark.staging.statement.sql_formats import SqlFormat

DETAILS = ("# Detailed Table Information", "# Detailed View Information")
UNSUPPORTED = ("UNSUPPORTED_FEATURE", "UnsupportedOperationException")


class SqlTables:
    """A ``TableClient`` of one catalog and one format; REFRESH TABLE first, for the caches."""

    def __init__(self, ask: Ask, catalog: str, file_format: SqlFormat) -> None:
        self.name = catalog
        self._ask = ask
        self._format = file_format

    def find(self, name: TableName) -> TableFacts | None:
        """The table as it is now; None if there is none of the format."""
        try:
            self._refresh(name)
            with core_errors(f"read {name}"):
                return self._format.facts(self._ask, name)
        except (EntryMissingError, NamespaceMissingError):
            return None
        except MetastoreError:
            if self.obstacle(name):
                return None
            raise

    def exists(self, name: TableName) -> bool:
        """True if there is a table, of whatever format."""
        try:
            self._refresh(name)
        except (EntryMissingError, NamespaceMissingError):
            return False
        return True

    def obstacle(self, name: TableName) -> str:
        """A view, or a table of another format."""
        try:
            rows = self._run(f"look at {name}", f"DESCRIBE TABLE EXTENDED {quoting.table(name)}")
        except (EntryMissingError, NamespaceMissingError):
            return ""
        said = _details(rows)
        if "View Catalog and Namespace" in said or said.get("Type") == "VIEW":
            return A_VIEW
        provider = said.get("Provider", "unknown").lower()
        return "" if provider == self._format.name else f"a table of the format {provider}"

    def tables(self, namespace: str) -> tuple[TableName, ...]:
        """The tables of a namespace; a temporary view is in none."""
        rows = self._run(
            f"list the tables of {namespace}", f"SHOW TABLES IN {self._path(namespace)}"
        )
        return tuple(
            TableName(namespace, str(row["tableName"]), self.name)
            for row in rows
            if not row["isTemporary"]
        )

    def has_namespace(self, namespace: str) -> bool:
        """True if the namespace is there."""
        try:
            self._run(
                f"look for the namespace {namespace}",
                f"DESCRIBE NAMESPACE {self._path(namespace)}",
            )
        except NamespaceMissingError:
            return False
        return True

    def drop(self, name: TableName) -> None:
        """Drop a table of ours, with its files where the catalog can; never a target."""
        statement = f"DROP TABLE {quoting.table(name)}"
        with core_errors(f"drop {name}"):
            try:
                self._ask(f"{statement} PURGE")
            except Exception as error:
                if not {condition(error).split(".")[0], java_class(error)} & {*UNSUPPORTED}:
                    raise
                self._ask(statement)

    def _refresh(self, name: TableName) -> None:
        self._run(f"look for {name}", f"REFRESH TABLE {quoting.table(name)}")

    def _run(self, action: str, statement: str) -> Answer:
        with core_errors(action):
            return self._ask(statement)

    def _path(self, namespace: str) -> str:
        inside = quoting.identifier(namespace)
        return f"{quoting.identifier(self.name)}.{inside}"


def _details(rows: Answer) -> dict[str, str]:
    """What stands below the heading of the details; a column may be named like it."""
    names = [str(row["col_name"]) for row in rows]
    start = max((at for at, name in enumerate(names) if name in DETAILS), default=len(names))
    return {str(row["col_name"]): str(row["data_type"]) for row in rows[start + 1 :]}
