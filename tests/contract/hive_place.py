"""The contract on Spark's session catalog with a Hive metastore, remote or embedded."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from pyspark.sql import SparkSession

from contract import spark_others
from contract.claims import CLAIMS
from contract.contents import Content
from contract.entry_clients import EntryClient, JvmClient, MemoryClient, ThriftClient
from contract.places import Entry, Others
from contract.rivals import in_a_process, in_a_thread
from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.catalogs.opened import OpenedCatalog
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines.launch import start_spark
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.staged_file_table import StagedFileTable
from readers.session import SMALL
from servers.metastore import Metastore, running_metastore
from servers.metastore_on_postgresql import running_metastore_on_postgresql

SCHEMA = "contract"
STAGING = f"{SCHEMA}__ctas_spark"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
NO_WAITING_FOR_THE_DISK = "-Dderby.system.durability=test"


class HivePlace:
    """A session in this process; entries are read by ``client``, rows by ``others``."""

    schema = SCHEMA
    staging_schema = STAGING

    def __init__(
        self, name: str, spark: SparkSession, warehouse: Path, others: Others, client: EntryClient
    ) -> None:
        self.name = name
        self.claim = CLAIMS[name]
        self.spark = spark
        self.others = others
        self._client = client
        self._leases = warehouse / f"{SCHEMA}.db" / "ctas-spark" / "leases"

    def open_run(self) -> OpenedCatalog:
        return spark_others.open_run(self.spark)

    def job(self) -> Job:
        return spark_others.job(self.spark)

    def stage(self, staged: StagedFileTable, content: Content) -> None:
        self.spark.sql(staged.statement(content.query))

    def fill(self, staged: StagedFileTable, content: Content) -> None:
        self.spark.sql(staged.fill_statement(content.query))

    def read_here(self, target: TableName) -> dict[str, Any]:
        return spark_others.read(self.spark.table(quoting.table(target)))

    def entry(self, target: TableName) -> Entry | None:
        return self._client.entry(target)

    def partitions(self, entry: Entry) -> tuple[str, ...]:
        found = _path(entry.directory).glob("k=*")
        return tuple(sorted(unquote(path.name)[2:] for path in found))

    def files(self, directory: str) -> Mapping[str, object]:
        stats = {path: path.stat() for path in _path(directory).rglob("*") if path.is_file()}
        return {str(path): (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}

    def remove(self, directory: str) -> None:
        shutil.rmtree(_path(directory))

    def records(self) -> list[str]:
        return self._client.tables(STAGING)

    def leases(self) -> list[str]:
        return [path.name for path in self._leases.glob("[0-9]*")]


@contextmanager
def remote(directory: Path) -> Iterator[HivePlace]:
    """A metastore server on Derby."""
    with (
        running_metastore(directory / "server", directory / "warehouse") as server,
        _on_server("hive_remote", server, directory) as place,
    ):
        yield place


@contextmanager
def postgresql(directory: Path) -> Iterator[HivePlace]:
    """A metastore server on PostgreSQL, with its lock tables."""
    with (
        running_metastore_on_postgresql(
            directory / "server", directory / "warehouse", lock_tables=True
        ) as server,
        _on_server("hive_postgresql", server, directory) as place,
    ):
        yield place


@contextmanager
def _on_server(name: str, server: Metastore, directory: Path) -> Iterator[HivePlace]:
    """Others are another process, entries are read over Thrift."""
    spark = _session(directory, server.spark_conf())
    client = ThriftClient(server)
    with in_a_process(server.spark_conf(), STAGING, directory) as others:
        yield HivePlace(name, spark, server.warehouse, others, client)
    client.close()
    spark.stop()


@contextmanager
def embedded(directory: Path) -> Iterator[HivePlace]:
    """Derby in this process; others are another invocation in another session of it."""
    warehouse = directory / "warehouse"
    database = directory / "metastore_db"
    settings = {
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={database};create=true"
        ),
        "spark.sql.warehouse.dir": str(warehouse),
        JAVA_OPTIONS: f"{SMALL[JAVA_OPTIONS]} {NO_WAITING_FOR_THE_DISK}",
    }
    spark = _session(directory, settings)
    client = JvmClient(spark)
    with in_a_thread(spark, STAGING) as others:
        yield HivePlace("hive_embedded", spark, warehouse, others, client)
    client.close()
    spark.stop()


@contextmanager
def in_memory(directory: Path) -> Iterator[HivePlace]:
    """Spark's in-memory catalog; others are another invocation in another session of it."""
    warehouse = directory / "warehouse"
    settings = {
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(warehouse),
    }
    spark = _session(directory, settings)
    with in_a_thread(spark, STAGING) as others:
        yield HivePlace("in_memory", spark, warehouse, others, MemoryClient(spark))
    spark.stop()


def _session(directory: Path, conf: Mapping[str, str]) -> SparkSession:
    spark = start_spark({**SMALL, **conf}, str(directory / "logs"))
    spark_others.make_schema(spark, SCHEMA)
    return spark


def _path(directory: str) -> Path:
    return Path(unquote(urlparse(directory).path))
