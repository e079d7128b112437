"""A Hive metastore through the client classes in Spark's own JVM, embedded or remote.

One HiveMetaStoreClient for each thread: the class is not safe between threads. It is made by its
own constructor, which does not retry: a retried call turns a success into a conflict.
"""

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import (
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from dbt.adapters.ctas_spark.staging.metastore import refusals
from dbt.adapters.ctas_spark.staging.metastore.client import PROBE, EntryChange, Expectation
from dbt.adapters.ctas_spark.staging.metastore.entry import VIEW, TableEntry
from dbt.adapters.ctas_spark.staging.metastore.environment import environment


class InJvmMetastore:
    """The protocol's six calls on ``IMetaStoreClient``."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm = jvm.classes(spark)
        self._hive = self._jvm.org.apache.hadoop.hive.metastore
        catalog = jvm.shared_state(spark).externalCatalog().unwrapped()
        self._conf = catalog.client().conf()
        self._thread = threading.local()
        self._clients: list[Any] = []

    @property
    def uris(self) -> str:
        """The remote metastore's URIs; empty for an embedded one."""
        return str(self._conf.get("hive.metastore.uris") or "")

    @property
    def connection_url(self) -> str:
        """The JDBC URL behind an embedded metastore."""
        return str(self._conf.get("javax.jdo.option.ConnectionURL") or "")

    def get_table(self, name: TableName) -> TableEntry | None:
        """One get_table call; it is never answered from a cache."""
        try:
            table = self._read(
                f"get_table({name})", lambda client: client.getTable(name.database, name.table)
            )
        except EntryMissingError:
            return None
        return _entry(name, table)

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
            client.createTable(_table(change), self._environment(None))

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        """One alter_table call with its precondition."""
        self._alter(change.target, _table(change), expected)

    def drop_entry(self, name: TableName) -> None:
        """One drop_table call that leaves the data."""
        with self._call(f"drop_table({name})") as client:
            client.dropTable(name.database, name.table, False, True)

    def compares_and_swaps(self, database: str) -> bool:
        """Alter a scratch view with a wrong expectation: a server that obeys does not compare."""
        name = TableName(database, f"probe__{secrets.token_hex(8)}")
        with self._call(f"create_table({name})") as client:
            client.createTable(self._scratch_view(name))
        try:
            with self._call(f"get_table({name})") as client:
                scratch = client.getTable(name.database, name.table)
            self._alter(name, scratch, Expectation(PROBE, "another"))
        except EntryModifiedError:
            return True
        finally:
            self.drop_entry(name)
        return False

    def close(self) -> None:
        """Close the connections of every thread."""
        while self._clients:
            self._clients.pop().close()
        self._thread = threading.local()

    def _alter(self, name: TableName, table: Any, expected: Expectation | None) -> None:
        with self._call(f"alter_table({name})") as client:
            client.alter_table_with_environmentContext(
                name.database, name.table, table, self._environment(expected)
            )

    def _environment(self, expected: Expectation | None) -> Any:
        context = self._hive.api.EnvironmentContext()
        for key, value in environment(expected).items():
            context.putToProperties(key, value)
        return context

    def _scratch_view(self, name: TableName) -> Any:
        """A view, because it has no directory."""
        storage = self._hive.api.StorageDescriptor()
        storage.setCols(self._jvm.java.util.ArrayList())
        storage.setSerdeInfo(self._hive.api.SerDeInfo())
        view = self._hive.api.Table()
        view.setDbName(name.database)
        view.setTableName(name.table)
        view.setTableType(VIEW)
        view.setViewOriginalText("select 1")
        view.setViewExpandedText("select 1")
        view.setSd(storage)
        view.setPartitionKeys(self._jvm.java.util.ArrayList())
        view.putToParameters(PROBE, "here")
        return view

    def _read(self, what: str, call: Callable[[Any], Any]) -> Any:
        """A call that changes nothing, made again on a new connection if the old one was dead.

        A long job leaves the connection idle until a server or a proxy closes it.
        """
        try:
            with self._call(what) as client:
                return call(client)
        except RefusedError:
            raise
        except MetastoreError:
            with self._call(what) as client:
                return call(client)

    @contextmanager
    def _call(self, what: str) -> Iterator[Any]:
        try:
            if getattr(self._thread, "client", None) is None:
                self._thread.client = self._hive.HiveMetaStoreClient(self._conf)
                self._clients.append(self._thread.client)
            yield self._thread.client
        except (Py4JError, OSError) as error:
            translated = _translated(what, error)
            if not isinstance(translated, RefusedError):
                self._thread.client = None  # its connection may be dead
            raise translated from error


def _translated(what: str, error: Exception) -> MetastoreError:
    """The error by the server's own words; anything else may have had its effect."""
    if not isinstance(error, Py4JJavaError):
        return MetastoreError(f"metastore call {what} failed: {error}")
    kind = error.java_exception.getClass().getSimpleName()
    text = f"metastore call {what}: {kind}: {error.java_exception.getMessage()}"
    return refusals.named(kind, text)


def _entry(name: TableName, table: Any) -> TableEntry:
    storage = table.getSd()
    serde = storage.getSerdeInfo()
    path = serde.getParameters().get("path") if serde and serde.getParameters() else None
    return TableEntry(
        name=name,
        table_type=str(table.getTableType()),
        location=path or storage.getLocation(),
        columns=tuple((c.getName(), c.getType()) for c in storage.getCols()),
        partition_keys=tuple(key.getName() for key in table.getPartitionKeys()),
        create_time=int(table.getCreateTime()),
        parameters=dict(table.getParameters()),
        raw=table,
    )


def _table(change: EntryChange) -> Any:
    """A copy of the staged entry under the target's name, with the base's own fields."""
    staged: Any = change.staged.raw
    table = staged.deepCopy()
    table.setDbName(change.target.database)
    table.setTableName(change.target.table)
    table.getParameters().clear()
    for key, value in change.parameters.items():
        table.putToParameters(key, value)
    if change.base is not None:
        base: Any = change.base.raw
        table.setOwner(base.getOwner())
        table.setCreateTime(base.getCreateTime())
        table.setPrivileges(base.getPrivileges())
    return table
