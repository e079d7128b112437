"""A Hive metastore through the client classes in Spark's own JVM, embedded or remote."""

from contextlib import suppress
from typing import Any

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError, RefusedError
from dbt.adapters.ctas_spark.staging.metastore import filters, probe
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, Expectation
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.metastore.environment import environment
from dbt.adapters.ctas_spark.staging.metastore.jvm.entry import changed, entry_of, scratch_view
from dbt.adapters.ctas_spark.staging.metastore.jvm.locks import InJvmLocks
from dbt.adapters.ctas_spark.staging.metastore.jvm.partitions import InJvmPartitions

NO_LIMIT = -1


class InJvmMetastore(InJvmPartitions, InJvmLocks):
    """The whole client on ``IMetaStoreClient``: tables, partitions and locks."""

    def get_table(self, name: TableName) -> TableEntry | None:
        """One get_table call; it is never answered from a cache."""
        try:
            table = self._read(
                f"get_table({name})", lambda client: client.getTable(name.database, name.table)
            )
        except EntryMissingError:
            return None
        return entry_of(self._jvm, name, table)

    def database_location(self, database: str) -> str | None:
        """One get_database call."""
        try:
            found = self._read(
                f"get_database({database})", lambda client: client.getDatabase(database)
            )
        except EntryMissingError:
            return None
        return str(found.getLocationUri())

    def create_table(self, change: EntryChange) -> None:
        """One create_table call; the server counts no files for it."""
        with self._call(f"create_table({change.target})") as client:
            client.createTable(changed(change), self._environment(None))

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        """One alter_table call with its precondition."""
        self.rename_table(change.target, change, expected)

    def rename_table(
        self, was: TableName, change: EntryChange, expected: Expectation | None
    ) -> None:
        """One alter_table call with another name in the entry."""
        with self._call(f"alter_table({was})") as client:
            client.alter_table_with_environmentContext(
                was.database, was.table, changed(change), self._environment(expected)
            )

    def drop_entry(self, name: TableName) -> None:
        """One drop_table call that leaves the data."""
        with self._call(f"drop_table({name})") as client:
            client.dropTable(name.database, name.table, False, True)

    def drop_column_statistics(self, name: TableName) -> None:
        """One call without a column's name, which stands for all of them."""
        what = f"drop_column_statistics({name})"
        # Servers have several words for "there are none".
        with suppress(RefusedError), self._call(what) as client:
            client.deleteTableColumnStatistics(name.database, name.table, None)

    def databases(self) -> tuple[str, ...]:
        """One get_all_databases call."""
        found = self._read("get_all_databases()", lambda client: client.getAllDatabases())
        return tuple(self._listed(found))

    def tables(self, database: str, prefix: str = "") -> tuple[TableName, ...]:
        """One get_tables call."""
        pattern = filters.begins_with(prefix)
        what = f"get_tables({database})"
        found = self._read(what, lambda client: client.getTables(database, pattern))
        return filters.named(database, self._listed(found), prefix)

    def tables_with(self, database: str, parameter: str, value: str) -> tuple[TableName, ...]:
        """One get_table_names_by_filter call."""
        asked = filters.parameter_is(parameter, value)
        try:
            found = self._read(
                f"get_tables({database}, {asked})",
                lambda client: client.listTableNamesByFilter(database, asked, NO_LIMIT),
            )
        except EntryMissingError:
            return ()
        return filters.named(database, self._listed(found))

    def scratch_entry(self, name: TableName) -> TableEntry:
        """No call."""
        return probe.scratch_entry(name, scratch_view(self._jvm, name))

    def compares_and_swaps(self, database: str) -> bool:
        """Three calls on a scratch view."""
        return probe.compares_and_swaps(self, self.scratch_entry(probe.scratch_name(database)))

    def supports_locks(self) -> bool:
        """Two calls on a scratch name."""
        return probe.supports_locks(self)

    def _environment(self, expected: Expectation | None) -> Any:
        context = self._hive.api.EnvironmentContext()
        for key, value in environment(expected).items():
            context.putToProperties(key, value)
        return context
