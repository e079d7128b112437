"""A real server at its default refuses a column's new type by position."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from pymetastore.hive_metastore import ttypes

from contract_clients.server_place import direct
from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    HiveColumns,
    StagingContext,
    TableName,
)
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.files import records
from dbt.adapters.ctas_spark.staging.files.catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.metastore.thrift.client import ThriftMetastore
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from fakes.engine import FakeEngine, FakeJob
from fakes.storage import FakeStorage
from servers.metastore import Metastore, running_metastore

STAGING = "shop__ctas_spark"
STRICT = {"hive.metastore.disallow.incompatible.col.type.changes": "true"}
SERDE = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"


@dataclass(frozen=True, slots=True)
class Strict:
    """The server, and a catalog that publishes on it without Spark."""

    server: Metastore
    client: ThriftMetastore
    catalog: SessionCatalog
    storage: FakeStorage

    def published(self, context: StagingContext, kind: str) -> StagedFileTable:
        """A version whose one column is of a type."""
        staged = self.catalog.apply_staging(context, FakeJob())
        staged.begin()
        self._stage(staged, kind)
        staged.commit()
        staged.settle()
        return staged

    def column(self, target: TableName) -> str:
        """The type of the one column, as other engines see it."""
        with direct(self.server) as hand:
            found = hand.get_table(target.database, target.table)
        kind: str = found.sd.cols[0].type
        return kind

    def _stage(self, staged: StagedFileTable, kind: str) -> None:
        """The entry that a CTAS makes."""
        record, root = staged.record, staged.root
        self.storage.empty_directories.add(root.version(staged.version))
        properties = records.record_properties(
            target=staged.target,
            version=staged.version,
            base=staged.base,
            lease="a run",
            root=str(root),
        )
        storage = ttypes.StorageDescriptor(
            cols=[ttypes.FieldSchema("c", kind)],
            location=root.version(staged.version),
            serdeInfo=ttypes.SerDeInfo(record.table, SERDE, {}),
            bucketCols=[],
            sortCols=[],
        )
        table = ttypes.Table(
            tableName=record.table,
            dbName=record.database,
            tableType="EXTERNAL_TABLE",
            parameters={"EXTERNAL": "TRUE", **properties},
            partitionKeys=[],
            sd=storage,
        )
        with direct(self.server) as hand:
            hand.create_table(table)


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strict]:
    """A server as Hive's default makes it."""
    at: Path = tmp_path_factory.mktemp("strict")
    with running_metastore(at / "server", at / "warehouse", STRICT) as server:
        with direct(server) as hand:
            for name in ("shop", STAGING):
                location = f"file:{server.warehouse}/{name}.db"
                hand.create_database(ttypes.Database(name, None, location, {}))
        client, storage = ThriftMetastore(server.uri, user="someone"), FakeStorage()
        lease = Lease(storage)
        catalog = SessionCatalog(client, storage, FakeEngine(), lease, kind="hive", locks=client)
        yield Strict(server, client, catalog, storage)
        lease.close()
        client.close()


@pytest.fixture
def context(strict: Strict, request: pytest.FixtureRequest) -> StagingContext:
    """A table whose column is a string."""
    name = request.node.name.removeprefix("test_")[:60]
    made = StagingContext(TableName("shop", name), STAGING)
    strict.published(made, "string")
    return made


def test_auto_publishes_by_rename(
    strict: Strict, context: StagingContext, caplog: pytest.LogCaptureFixture
) -> None:
    """For that run it is atomic, and the log names the server's setting."""
    changed = strict.published(context, "int")
    assert (changed.outcome, changed.level) == (Outcome.COMMITTED, Atomicity.ATOMIC)
    assert changed.strategy.name == "rename"
    assert strict.column(context.target) == "int"
    assert "disallow.incompatible.col.type.changes" in caplog.text
    assert strict.client.tables(STAGING, "auto_publishes_by_rename__aside") == ()


def test_isolated_by_name_is_refused(strict: Strict, context: StagingContext) -> None:
    """The error names the setting and hive_columns, and the table is as it was."""
    before = strict.client.get_table(context.target)
    with pytest.raises(AtomicityNotSupportedError, match="incompatible") as caught:
        strict.published(replace(context, atomicity=Atomicity.ISOLATED), "int")
    assert "hive_columns: keep_old" in str(caught.value)
    assert strict.client.get_table(context.target) == before


def test_old_hive_columns_stay_isolated(strict: Strict, context: StagingContext) -> None:
    """The new version is published in one call; other engines go on seeing the old type."""
    kept = replace(context, atomicity=Atomicity.ISOLATED, hive_columns=HiveColumns.KEEP_OLD)
    changed = strict.published(kept, "int")
    assert (changed.outcome, changed.strategy.name) == (Outcome.COMMITTED, "swap")
    assert strict.column(context.target) == "string"


def test_the_same_type_again_is_one_call(strict: Strict, context: StagingContext) -> None:
    """Nothing is weaker where nothing is refused."""
    again = strict.published(context, "string")
    assert (again.level, again.strategy.name) == (Atomicity.ISOLATED, "swap")
