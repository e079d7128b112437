"""Spark's in-memory catalog (``spark.sql.catalogImplementation=in-memory``).

It lives as long as the Spark application.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
)
from dbt.adapters.ctas_spark.staging.metastore import probe
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, Expectation, Partition
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.metastore.jvm import scala
from dbt.adapters.ctas_spark.staging.metastore.memory.entry import (
    changed,
    entry_of,
    external,
    untracked,
)

REFUSALS = {
    "TABLE_OR_VIEW_ALREADY_EXISTS": EntryExistsError,
    "TABLE_OR_VIEW_NOT_FOUND": EntryMissingError,
    "SCHEMA_NOT_FOUND": EntryMissingError,
}
NULL = "__HIVE_DEFAULT_PARTITION__"
IF_EXISTS = IF_NOT_EXISTS = RETAIN_DATA = True
ALWAYS = PURGE = False


class InMemoryMetastore:
    """The whole client: tables with their partitions. There are no locks: nobody else is there.

    ``catalog`` is the session's own by default. It compares nothing by itself. ``_writing`` makes a
    comparison and the write that depends on it one step for all writers of this kind: there is one
    catalog in a process.
    """

    _writing = threading.RLock()

    def __init__(self, spark: SparkSession, catalog: Any = None) -> None:
        self._spark = spark
        self._java = jvm.classes(spark)
        self._catalog = catalog or jvm.shared_state(spark).externalCatalog().unwrapped()
        self._keeps_case = str(spark.conf.get("spark.sql.caseSensitive")).lower() == "true"

    def close(self) -> None:
        """There is no connection."""

    def get_table(self, name: TableName) -> TableEntry | None:
        """One getTable call."""
        with suppress(EntryMissingError), self._call(f"getTable({name})") as catalog:
            return entry_of(self._java, name, catalog.getTable(*self._key(name)))
        return None

    def database_location(self, database: str) -> str | None:
        """One getDatabase call."""
        with suppress(EntryMissingError), self._call(f"getDatabase({database})") as catalog:
            return self._text(catalog.getDatabase(self._spelled(database)).locationUri())
        return None

    def create_table(self, change: EntryChange) -> None:
        """One createTable call."""
        with self._writing, self._call(f"createTable({change.target})") as catalog:
            catalog.createTable(self._changed(change), ALWAYS)

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        """One alterTable call, after a comparison that only writers of this kind respect."""
        with self._compared(change.target, expected) as catalog:
            catalog.alterTable(self._changed(change))

    def rename_table(
        self, was: TableName, change: EntryChange, expected: Expectation | None
    ) -> None:
        """The entry changes under its old name, and then takes its new one, complete."""
        with self._compared(was, expected) as catalog:
            if catalog.tableExists(*self._key(change.target)):
                raise EntryExistsError(f"{change.target} exists")
            self._move(was, change)

    def drop_entry(self, name: TableName) -> None:
        """An alterTable call and a dropTable call: a managed table's data would go with it."""
        with suppress(EntryMissingError), self._writing, self._call(f"drop({name})") as catalog:
            table = catalog.getTable(*self._key(name))
            catalog.alterTable(external(self._java, table))
            catalog.dropTable(*self._key(name), IF_EXISTS, PURGE)

    def drop_column_statistics(self, name: TableName) -> None:
        """Takes the size along that was counted with them: Spark asks the files instead."""
        with suppress(EntryMissingError), self._writing, self._call(f"stats({name})") as catalog:
            found = catalog.getTable(*self._key(name)).stats()
            if found.isDefined() and not found.get().colStats().isEmpty():
                catalog.alterTableStats(*self._key(name), scala.none(self._java))

    def databases(self) -> tuple[str, ...]:
        """One listDatabases call."""
        with self._call("listDatabases()") as catalog:
            return scala.as_tuple(self._java, catalog.listDatabases())

    def tables(self, database: str, prefix: str = "") -> tuple[TableName, ...]:
        """One listTables call."""
        with suppress(EntryMissingError), self._call(f"listTables({database})") as catalog:
            found = scala.as_tuple(self._java, catalog.listTables(self._spelled(database)))
            begins = self._spelled(prefix)
            return tuple(TableName(database, one) for one in found if one.startswith(begins))
        return ()

    def tables_with(self, database: str, parameter: str, value: str) -> tuple[TableName, ...]:
        """Every table of the database is asked: there are no more of them than were made here."""
        found = ((name, self.get_table(name)) for name in self.tables(database))
        return tuple(name for name, one in found if one and one.parameters.get(parameter) == value)

    def scratch_entry(self, name: TableName) -> TableEntry:
        """Made of a temporary view, which Spark describes as it does a table."""
        temporary = name.table
        self._spark.range(0).createOrReplaceTempView(temporary)
        try:
            identifier = self._java.org.apache.spark.sql.catalyst.TableIdentifier(temporary)
            catalog = jvm.session_catalog(self._spark)
            described = catalog.getTempViewOrPermanentTableMetadata(identifier)
        finally:
            self._spark.catalog.dropTempView(temporary)
        plain = scala.copied(described, properties=scala.mapping(self._java, {}))
        return probe.scratch_entry(name, plain)

    def compares_and_swaps(self, database: str) -> bool:  # noqa: ARG002 (the same for all)
        """The catalog does not: a statement of Spark's that runs meanwhile is not compared."""
        return False

    def partitions(self, name: TableName) -> tuple[Partition, ...]:
        """One listPartitions call."""
        with self._call(f"listPartitions({name})") as catalog:
            keys = self._partition_keys(name)
            found = catalog.listPartitions(*self._key(name), scala.none(self._java))
            return tuple(self._partition(keys, one) for one in scala.as_tuple(self._java, found))

    def add_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """One createPartitions call for those that are missing: it would replace the others."""
        with self._writing, self._call(f"createPartitions({name})") as catalog:
            there = {one.values for one in self.partitions(name)}
            missing = [one.raw for one in partitions if one.values not in there]
            added = scala.sequence(self._java, missing)
            catalog.createPartitions(*self._key(name), added, IF_NOT_EXISTS)

    def drop_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """One dropPartitions call that leaves the data."""
        with self._writing, self._call(f"dropPartitions({name})") as catalog:
            keys = self._partition_keys(name)
            specs = [
                scala.mapping(self._java, dict(zip(keys, one.values, strict=True)))
                for one in partitions
            ]
            dropped = scala.sequence(self._java, specs)
            catalog.dropPartitions(*self._key(name), dropped, IF_EXISTS, PURGE, RETAIN_DATA)

    @contextmanager
    def _compared(self, name: TableName, expected: Expectation | None) -> Iterator[Any]:
        with self._writing, self._call(f"alterTable({name})") as catalog:
            current = entry_of(self._java, name, catalog.getTable(*self._key(name)))
            if expected and current.parameters.get(expected.key) != expected.value:
                raise EntryModifiedError(f"{name} has been modified: {expected.key} has changed")
            yield catalog

    def _changed(self, change: EntryChange, name: TableName | None = None) -> Any:
        database, table = self._key(name or change.target)
        return changed(self._java, change, TableName(database, table))

    def _move(self, was: TableName, change: EntryChange) -> None:
        database, table = self._key(change.target)
        if database == self._spelled(was.database):
            self._catalog.alterTable(self._changed(change, was))
            self._catalog.renameTable(*self._key(was), table)
        else:
            self._copy(was, change)
            self.drop_entry(was)

    def _copy(self, was: TableName, change: EntryChange) -> None:
        """Until the new entry has its partitions, Spark finds them in its directories."""
        self._catalog.createTable(untracked(self._changed(change)), ALWAYS)
        self.add_partitions(change.target, self.partitions(was))
        self._catalog.alterTable(self._changed(change))

    def _partition_keys(self, name: TableName) -> tuple[str, ...]:
        table = self._catalog.getTable(*self._key(name))
        return scala.as_tuple(self._java, table.partitionColumnNames())

    def _partition(self, keys: tuple[str, ...], partition: Any) -> Partition:
        spec = partition.spec()
        values = tuple(str(spec.apply(key) or NULL) for key in keys)
        return Partition(values, self._text(partition.location()), partition)

    def _key(self, name: TableName) -> tuple[str, str]:
        """Database and table as Spark's session stores them."""
        return self._spelled(name.database), self._spelled(name.table)

    def _spelled(self, name: str) -> str:
        return name if self._keeps_case else name.lower()

    def _text(self, uri: Any) -> str:
        """A URI as Spark gives it to Hive: not escaped."""
        return str(self._java.org.apache.spark.sql.catalyst.catalog.CatalogUtils.URIToString(uri))

    @contextmanager
    def _call(self, what: str) -> Iterator[Any]:
        try:
            yield self._catalog
        except PySparkException as error:
            kind = REFUSALS.get(str(_condition(error)), MetastoreError)
            raise kind(f"catalog call {what}: {error}") from error
        except (Py4JError, OSError) as error:
            raise MetastoreError(f"catalog call {what} failed: {error}") from error


def _condition(error: PySparkException) -> str | None:
    """The name of the error's kind; Spark 3.5 calls it its class."""
    condition = getattr(error, "getCondition", error.getErrorClass)()
    return None if condition is None else str(condition)
