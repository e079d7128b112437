"""A Hive metastore over plain Thrift, without a JVM.

An entry stays the struct that the server sent, so that a publication loses nothing of it, whatever
the server's version.
"""

from contextlib import suppress

from thrift.Thrift import TType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError, RefusedError
from dbt.adapters.ctas_spark.staging.metastore import filters, probe
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, Expectation
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.metastore.environment import environment
from dbt.adapters.ctas_spark.staging.metastore.thrift.calls import META, MISSING, NO_LIMIT, Method
from dbt.adapters.ctas_spark.staging.metastore.thrift.entry import changed, entry_of, scratch_view
from dbt.adapters.ctas_spark.staging.metastore.thrift.locks import ThriftLocks
from dbt.adapters.ctas_spark.staging.metastore.thrift.partitions import ThriftPartitions
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import (
    Field,
    boolean,
    string,
    strings,
    struct,
    words_of,
)

DATABASE_LOCATION = 3

EXISTS, UNKNOWN_DATABASE = "AlreadyExistsException", "UnknownDBException"
INVALID_OBJECT, INVALID_OPERATION = "InvalidObjectException", "InvalidOperationException"

GET_TABLE = Method("get_table_req", {1: META, 2: MISSING}, returns=True)
GET_DATABASE = Method("get_database", {1: MISSING, 2: META}, returns=True)
CREATE_TABLE = Method(
    "create_table_with_environment_context",
    {1: EXISTS, 2: INVALID_OBJECT, 3: META, 4: MISSING},
)
ALTER_TABLE = Method("alter_table_with_environment_context", {1: INVALID_OPERATION, 2: META})
DROP_TABLE = Method("drop_table_with_environment_context", {1: MISSING, 2: META})
DROP_STATISTICS = Method(
    "delete_table_column_statistics",
    {1: MISSING, 2: META, 3: INVALID_OBJECT, 4: "InvalidInputException"},
)
DATABASES = Method("get_all_databases", {1: META}, returns=True)
TABLES = Method("get_tables", {1: META}, returns=True)
TABLES_BY_FILTER = Method(
    "get_table_names_by_filter",
    {1: META, 2: INVALID_OPERATION, 3: UNKNOWN_DATABASE},
    returns=True,
)


class ThriftMetastore(ThriftPartitions, ThriftLocks):
    """The whole client: tables, partitions and locks."""

    def get_table(self, name: TableName) -> TableEntry | None:
        """One get_table_req call."""
        request = struct(string(name.database), string(name.table))
        try:
            answer = self._call(f"get_table({name})", GET_TABLE, request)
        except EntryMissingError:
            return None
        return entry_of(name, answer.struct(1))

    def database_location(self, database: str) -> str | None:
        """One get_database call."""
        try:
            answer = self._call(f"get_database({database})", GET_DATABASE, string(database))
        except EntryMissingError:
            return None
        location: str | None = answer.text(DATABASE_LOCATION)
        return location

    def create_table(self, change: EntryChange) -> None:
        """One create_table call; the server counts no files for it."""
        arguments = Field(TType.STRUCT, changed(change)), _environment(None)
        self._call(f"create_table({change.target})", CREATE_TABLE, *arguments)

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        """One alter_table call with its precondition."""
        self.rename_table(change.target, change, expected)

    def rename_table(
        self, was: TableName, change: EntryChange, expected: Expectation | None
    ) -> None:
        """One alter_table call with another name in the entry."""
        self._call(
            f"alter_table({was})",
            ALTER_TABLE,
            string(was.database),
            string(was.table),
            Field(TType.STRUCT, changed(change)),
            _environment(expected),
        )

    def drop_entry(self, name: TableName) -> None:
        """One drop_table call that leaves the data."""
        arguments = string(name.database), string(name.table), boolean(False), _environment(None)
        with suppress(EntryMissingError):
            self._call(f"drop_table({name})", DROP_TABLE, *arguments)

    def drop_column_statistics(self, name: TableName) -> None:
        """One call without a column's name, which stands for all of them."""
        arguments = string(name.database), string(name.table)
        with suppress(RefusedError):  # servers have several words for "there are none"
            self._call(f"drop_column_statistics({name})", DROP_STATISTICS, *arguments)

    def databases(self) -> tuple[str, ...]:
        """One get_all_databases call."""
        return words_of(self._call("get_all_databases()", DATABASES))

    def tables(self, database: str, prefix: str = "") -> tuple[TableName, ...]:
        """One get_tables call."""
        arguments = string(database), string(filters.begins_with(prefix))
        found = words_of(self._call(f"get_tables({database})", TABLES, *arguments))
        return filters.named(database, found, prefix)

    def tables_with(self, database: str, parameter: str, value: str) -> tuple[TableName, ...]:
        """One get_table_names_by_filter call."""
        asked = filters.parameter_is(parameter, value)
        arguments = string(database), string(asked), NO_LIMIT
        try:
            found = self._call(f"get_tables({database}, {asked})", TABLES_BY_FILTER, *arguments)
        except EntryMissingError:
            return ()
        return filters.named(database, words_of(found))

    def scratch_entry(self, name: TableName) -> TableEntry:
        """No call."""
        return probe.scratch_entry(name, scratch_view(name))

    def compares_and_swaps(self, database: str) -> bool:
        """Three calls on a scratch view."""
        return probe.compares_and_swaps(self, self.scratch_entry(probe.scratch_name(database)))

    def supports_locks(self) -> bool:
        """Two calls on a scratch name."""
        return probe.supports_locks(self)


def _environment(expected: Expectation | None) -> Field:
    return struct(strings(environment(expected)))
