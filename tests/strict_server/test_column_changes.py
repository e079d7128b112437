"""A real server with default settings, which refuses a column's new type by position."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from pymetastore.hive_metastore import ttypes

from contract_clients.server_place import direct
from ctas_spark.context import (
    Atomicity,
    StagingContext,
    TableLayout,
    TableName,
)
from ctas_spark.files.catalog import SessionCatalog
from ctas_spark.metastore.connections import ThriftMetastore
from ctas_spark.publish.staged_table import StagedTable
from ctas_spark.publish.version import Outcome
from ctas_spark.steps import Step, observe
from fakes.engine import FakeEngine, FakeJob
from fakes.storage import FakeStorage
from fakes.world import version_of
from model.attempts import columns_of, spark_schema
from servers.metastore import Metastore

SCHEMA, STAGING = "strict", "strict__ctas_spark"
BY_DAY = TableLayout(partition_by=("day",))
SERDE = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"


class DiesError(BaseException):
    """The process ends here; no abort catches it."""


class Dies:
    """A run that ends right after its publishing call."""

    def entered(self, step: Step, target: TableName) -> None:
        """Nothing yet."""

    def left(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (observer's shape)
        """The call has had its effect."""
        if step is Step.PUBLISH:
            raise DiesError


@dataclass(frozen=True, slots=True)
class Server:
    """The server, and a catalog that publishes on it without Spark."""

    server: Metastore
    client: ThriftMetastore
    catalog: SessionCatalog
    storage: FakeStorage

    def begun(self, context: StagingContext, kind: str, *keys: str) -> StagedTable[Any]:
        """A version whose one column is of a type, ready to be committed."""
        staged = self.catalog.plan(context, FakeJob()).begin()
        self._stage(staged, kind, keys)
        staged.verify()
        return staged

    def published(self, context: StagingContext, kind: str, *keys: str) -> StagedTable[Any]:
        """The same, published."""
        staged = self.begun(context, kind, *keys)
        staged.commit()
        staged.settle()
        return staged

    def entry(self, target: TableName) -> ttypes.Table:
        """The entry as the server holds it; an error if there is none."""
        with direct(self.server) as hand:
            return hand.get_table(target.database, target.table)

    def hive_columns(self, target: TableName) -> list[tuple[str, str]]:
        """The columns as other engines see them."""
        return [(one.name, one.type) for one in self.entry(target).sd.cols]

    @contextmanager
    def watched(self, target: TableName) -> Iterator[set[str]]:
        """What another client reads again and again meanwhile: Spark's type, or "absent"."""
        seen: set[str] = set()
        over = threading.Event()
        thread = threading.Thread(target=self._watch, args=(target, seen, over))
        thread.start()
        try:
            yield seen
        finally:
            over.set()
            thread.join()

    def _watch(self, target: TableName, seen: set[str], over: threading.Event) -> None:
        with direct(self.server) as hand:
            while not over.is_set():
                try:
                    found = hand.get_table(target.database, target.table)
                except ttypes.NoSuchObjectException:
                    seen.add("absent")
                    continue
                seen.add(columns_of(found.parameters)[0][1])

    def _stage(self, staged: StagedTable[Any], kind: str, keys: tuple[str, ...]) -> None:
        """The entry that a CTAS makes."""
        version = version_of(staged)
        self.storage.write(f"{version.directory}/part-0.parquet", "rows")
        record = version._staged.to_parameters(version._root)  # noqa: SLF001 (what the CTAS says)
        schema = spark_schema((("c", kind), *((key, "string") for key in keys)), keys)
        descriptor = ttypes.StorageDescriptor(
            cols=[ttypes.FieldSchema("c", kind)],
            location=version.directory,
            serdeInfo=ttypes.SerDeInfo(version.record.table, SERDE, {}),
            bucketCols=[],
            sortCols=[],
        )
        table = ttypes.Table(
            tableName=version.record.table,
            dbName=version.record.database,
            tableType="EXTERNAL_TABLE",
            parameters={"EXTERNAL": "TRUE", **record, **schema},
            partitionKeys=[ttypes.FieldSchema(key, "string") for key in keys],
            sd=descriptor,
        )
        with direct(self.server) as hand:
            hand.create_table(table)


@pytest.fixture(scope="module")
def server(metastore: Metastore) -> Iterator[Server]:
    """A server as Hive's defaults make it."""
    with direct(metastore) as hand:
        for name in (SCHEMA, STAGING):
            location = f"file:{metastore.warehouse}/{name}.db"
            hand.create_database(ttypes.Database(name, None, location, {}))
    client, storage = ThriftMetastore(metastore.uri, user="someone"), FakeStorage()
    catalog = SessionCatalog(client, storage, FakeEngine(), locks=client, address=metastore.uri)
    yield Server(metastore, client, catalog, storage)
    client.close()


@pytest.fixture
def context(server: Server, request: pytest.FixtureRequest) -> StagingContext:
    """A table whose column is a string."""
    name = request.node.name.removeprefix("test_")[:60]
    made = StagingContext(TableName(SCHEMA, name), STAGING)
    server.published(made, "string")
    return made


def test_a_new_type_is_published_without_a_moment_without_a_table(
    server: Server, context: StagingContext
) -> None:
    """Others read the old schema or the new one, and other engines have the new columns after."""
    staged = server.begun(context, "int")
    with server.watched(context.target) as seen:
        staged.commit()
        staged.settle()
    assert staged.outcome is Outcome.COMMITTED
    assert seen <= {"string", "int"}
    assert server.hive_columns(context.target) == [("c", "int")]


def test_what_a_publication_keeps_is_what_one_read_keeps(
    server: Server, context: StagingContext
) -> None:
    """A changed schema may be mixed by one read of such a server; the same schema is isolated."""
    changed = server.published(context, "int")
    again = server.published(context, "int")
    assert (changed.level, changed.reach.reader_window) == (Atomicity.ATOMIC, "mixed")
    assert (again.level, again.reach.reader_window) == (Atomicity.ISOLATED, "none")


def test_a_run_that_died_between_the_calls_is_finished_by_the_next(
    server: Server, context: StagingContext
) -> None:
    """Spark reads the new schema at once; the next begin fills in what other engines read."""
    staged = server.begun(context, "int")
    with pytest.raises(DiesError), observe(Dies()):
        staged.commit()
    assert columns_of(server.entry(context.target).parameters) == (("c", "int"),)
    assert server.hive_columns(context.target) == []
    server.catalog.plan(context, FakeJob()).begin().abort("it only looked")
    assert server.hive_columns(context.target) == [("c", "int")]


def test_changed_partition_keys_keep_hives_old_ones(
    server: Server, context: StagingContext
) -> None:
    """No metastore changes them in one call: Spark reads the new ones, Hive has the old ones."""
    keyed = StagingContext(context.target, STAGING, layout=BY_DAY)
    changed = server.published(keyed, "string", "day")
    entry = server.entry(context.target)
    assert changed.outcome is Outcome.COMMITTED
    assert entry.partitionKeys == []
    assert entry.parameters["spark.sql.sources.schema.partCol.0"] == "day"
