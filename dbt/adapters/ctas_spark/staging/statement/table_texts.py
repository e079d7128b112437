"""Small texts where no file system can be reached: each in the properties of a table of its own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG, TableName
from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    MetastoreError,
    StorageError,
)
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX
from dbt.adapters.ctas_spark.staging.statement.calls import NamespaceMissingError, core_errors
from dbt.adapters.ctas_spark.staging.statement.sql import Answer, Ask
from dbt.adapters.ctas_spark.staging.statement.sql_tables import SqlTables
from dbt.adapters.ctas_spark.staging.storage.client import StoredText

TABLE = PREFIX + "lease__"
TEXT = PREFIX + "text"
TIME = PREFIX + "written_ms"
LIKE_FILES: Mapping[str, str] = MappingProxyType(
    {
        "write.metadata.delete-after-commit.enabled": "true",
        "write.metadata.previous-versions-max": "1",
    }
)
"""Iceberg's: each heartbeat is a commit, and none but the last is of use."""


class TableTexts:
    """A ``TextStore``: a path is a namespace and a key, and times are the server's.

    The time is asked for just before the write, so that a text is never younger than it says.
    """

    def __init__(self, ask: Ask, tables: SqlTables) -> None:
        self._ask = ask
        self._tables = tables
        self._made: set[str] = set()

    def write(self, path: str, text: str) -> int:
        """Change the table's properties; make the table the first time, or if it is gone."""
        with self._refused("write", path):
            now = int(self._run("SELECT unix_millis(current_timestamp()) AS now")[0]["now"])
            values = {TEXT: text, TIME: str(now)}
            if path not in self._made:
                self._make(path, values)
            else:
                try:
                    self._change(path, values)
                except EntryMissingError:
                    self._make(path, values)
            return now

    def read(self, path: str) -> StoredText | None:
        """The table's properties; None if there is no such table."""
        with self._refused("read", path):
            name = self._name(path)
            if not self._tables.exists(name):
                return None
            try:
                rows = self._run(f"SHOW TBLPROPERTIES {quoting.table(name)}")
            except EntryMissingError:
                return None
            found = {str(row["key"]): str(row["value"]) for row in rows}
            if TIME not in found:
                raise MetastoreError(f"{name} has no property {TIME}")
            return StoredText(found.get(TEXT, ""), int(found[TIME]))

    def children(self, directory: str) -> tuple[str, ...]:
        """The keys in a namespace; none without the namespace."""
        with self._refused("list", directory):
            try:
                names = self._tables.tables(directory)
            except (EntryMissingError, NamespaceMissingError):
                return ()
            own = (name.table for name in names if name.table.startswith(TABLE))
            return tuple(table.removeprefix(TABLE) for table in own)

    def delete(self, path: str) -> None:
        """Drop the table."""
        with self._refused("delete", path):
            self._made.discard(path)
            try:
                self._tables.drop(self._name(path))
            except (EntryMissingError, NamespaceMissingError):
                return

    def _make(self, path: str, values: Mapping[str, str]) -> None:
        name = self._name(path)
        inside = name.catalog == SESSION_CATALOG
        using = "USING parquet " if inside else ""
        kept = values if inside else {**LIKE_FILES, **values}
        try:
            self._run(
                f"CREATE TABLE {quoting.table(name)} (nothing INT) {using}"
                f"TBLPROPERTIES {quoting.properties(kept)}"
            )
        except EntryExistsError:
            self._change(path, values)
        self._made.add(path)

    def _change(self, path: str, values: Mapping[str, str]) -> None:
        name = quoting.table(self._name(path))
        self._run(f"ALTER TABLE {name} SET TBLPROPERTIES {quoting.properties(values)}")

    def _name(self, path: str) -> TableName:
        namespace, _, key = path.rpartition("/")
        return TableName(namespace, f"{TABLE}{key}", self._tables.name)

    def _run(self, statement: str) -> Answer:
        with core_errors("keep a lease in a table"):
            return self._ask(statement)

    @contextmanager
    def _refused(self, action: str, path: str) -> Iterator[None]:
        try:
            yield
        except MetastoreError as error:
            raise StorageError(
                f"the catalog {self._tables.name} refused to {action} the lease {path}: {error}",
                left="nothing was published",
                remedy="see that the user of the session may create, change and drop tables in "
                "the staging schema",
            ) from error
