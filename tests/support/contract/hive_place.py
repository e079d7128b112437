"""The contract on tables of files in Spark's session catalog: Hive, remote or embedded, or none."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pyspark.sql import SparkSession

from contract import file_tables
from contract.claims import CLAIMS
from contract.entry_clients import JvmClient, ThriftClient
from contract.places import Entry, Run
from contract.rivals import in_a_process, in_a_thread
from contract.spark_place import SCHEMA, STAGING, SparkPlace, make_schemas, path_of
from ctas_spark.context import TableName
from ctas_spark.engines.launch import start_spark
from ctas_spark.files.directories import FOLDER
from ctas_spark.publish.staged_table import StagedTable
from ctas_spark.storage.hadoop import HadoopStorage
from readers.session import SMALL
from servers.metastore import NO_SETTINGS, Metastore, running_metastore
from servers.metastore_on_mariadb import running_metastore_on_mariadb
from servers.metastore_on_postgresql import running_metastore_on_postgresql
from servers.other_hive import CLIENT_OF_HIVE_4, running_hive

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
NO_WAITING_FOR_THE_DISK = "-Dderby.system.durability=test"


class HivePlace(SparkPlace):
    """Partitions are directories, and what changes a target is a call of the metastore."""

    def partitions(self, target: TableName, entry: Entry) -> tuple[str, ...]:  # noqa: ARG002
        found = path_of(entry.directory).glob("k=*")
        return tuple(sorted(unquote(path.name)[2:] for path in found))

    def files_of(self, staged: StagedTable[Any]) -> list[str]:
        return list(self.files(file_tables.version_of(staged).directory))

    def calls(self, run: Run) -> Sequence[tuple[object, str]]:
        return file_tables.calls(run, STAGING)

    def left_beside(self, live: StagedTable[Any]) -> list[str]:
        """Without tombstones, which stay for longer than any clock can be turned on here."""
        left = file_tables.left_beside(live, HadoopStorage(self.spark), self.records())
        return [name for name in left if not self._is_tombstone(name)]

    def _is_tombstone(self, name: str) -> bool:
        entry = self.entry(TableName(STAGING, name))
        return entry is not None and entry.is_view

    def forget(self, target: TableName) -> None:
        run = self.open_run()
        metastore = file_tables.metastore_of(run, STAGING)
        file_tables.forget(target, metastore, self.records(), STAGING)
        run.close()
        key = f"{target.database}.{target.table}"
        for versions in (self._warehouse / f"{SCHEMA}.db" / FOLDER).glob(f"*/{key}"):
            shutil.rmtree(versions)


@contextmanager
def remote(directory: Path) -> Iterator[HivePlace]:
    """A metastore server on Derby with its default settings."""
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
def mariadb(directory: Path) -> Iterator[HivePlace]:
    """A metastore server on MariaDB, both with their default settings."""
    with (
        running_metastore_on_mariadb(directory / "server", directory / "warehouse") as server,
        _on_server("hive_mariadb", server, directory) as place,
    ):
        yield place


@contextmanager
def hive_3(directory: Path) -> Iterator[HivePlace]:
    """A server of Hive 3 on Derby, which compares nothing; Spark's own client of Hive 2.3."""
    with (
        running_hive("3.1.3", directory / "server", directory / "warehouse") as server,
        _on_server("hive_3", server, directory) as place,
    ):
        yield place


@contextmanager
def hive_4(directory: Path) -> Iterator[HivePlace]:
    """A server of Hive 4 on Derby, which Spark reaches by Hive's own client of that version."""
    with (
        running_hive("4.0.1", directory / "server", directory / "warehouse") as server,
        _on_server("hive_4", server, directory, CLIENT_OF_HIVE_4) as place,
    ):
        yield place


@contextmanager
def _on_server(
    name: str, server: Metastore, directory: Path, settings: Mapping[str, str] = NO_SETTINGS
) -> Iterator[HivePlace]:
    """Others are another process, entries are read over Thrift."""
    conf = {**server.spark_conf(), **settings}
    spark = _session(directory, conf)
    client = ThriftClient(server)
    repeatable = CLAIMS[name].reaches is None
    with in_a_process(conf, STAGING, directory, repeatable_reads=repeatable) as others:
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


def _session(directory: Path, conf: Mapping[str, str]) -> SparkSession:
    spark = start_spark({**SMALL, **conf}, str(directory / "logs"))
    make_schemas(spark)
    return spark
