"""The contract on tables of files over a server: our run has no JVM, all others have one."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from contract import file_tables, spark_others
from contract.entry_clients import EntryClient, ThriftClient
from contract.hive_place import HivePlace
from contract.places import Others
from contract.rivals import in_a_process
from contract.spark_place import STAGING, make_schemas, path_of
from ctas_spark import quoting
from ctas_spark.catalogs.levels import OVER
from ctas_spark.catalogs.server import CatalogsWithoutJvm
from ctas_spark.catalogs.server_metastore import MetastoreAddress
from ctas_spark.context import TableName
from ctas_spark.engines.connect import ConnectJob
from ctas_spark.engines.protocol import StoppableJob
from ctas_spark.engines.thrift.session import ThriftJob
from ctas_spark.publish.staged_table import StagedTable
from servers.metastore import Metastore
from servers.remote import CLIENTS, RemoteServer, server_of_files

JOBS: Mapping[str, type[StoppableJob]] = {"connect": ConnectJob, "thrift": ThriftJob}
_jobs = count(1)


class ServerPlace(HivePlace):
    """A client of Spark Connect or of a Thrift server, and of the metastore."""

    def __init__(
        self,
        method: str,
        server: RemoteServer,
        metastore: Metastore,
        others: Others,
        client: EntryClient,
    ) -> None:
        session = CLIENTS[method](server.profile(method))
        super().__init__(f"hive_over_{method}", session, metastore.warehouse, others, client)
        self._method = method
        self._address = MetastoreAddress(metastore.uri, "contract")

    def open_run(self) -> CatalogsWithoutJvm:  # type: ignore[override]  # it is no other's run
        return CatalogsWithoutJvm(self.spark, OVER[self._method], metastore=self._address)

    def job(self) -> StoppableJob:
        attached = JOBS[self._method](self.spark, f"contract {next(_jobs)}", threading.Event())
        attached.attach()
        return attached

    def read_here(self, target: TableName) -> dict[str, Any]:
        return spark_others.read(self.spark.sql(f"SELECT * FROM {quoting.table(target)}"))

    def left_beside(self, live: StagedTable[Any]) -> list[str]:
        """By the disk itself; without tombstones, as in a session."""
        root = path_of(file_tables.version_of(live).directory).parent
        versions = [one.name for one in root.iterdir() if one.name != live.version]
        record = file_tables.version_of(live).record.table
        own = [one for one in self.records() if one.startswith(f"{live.target.table}__")]
        return [*versions, *(one for one in own if one != record and not self._is_tombstone(one))]


def over_connect(directory: Path) -> AbstractContextManager[ServerPlace]:
    """Over Spark Connect."""
    return _over("connect", directory)


def over_thrift(directory: Path) -> AbstractContextManager[ServerPlace]:
    """Over Spark's Thrift server."""
    return _over("thrift", directory)


@contextmanager
def _over(method: str, directory: Path) -> Iterator[ServerPlace]:
    """A server with a metastore server on Derby, both with their default settings."""
    with server_of_files(directory) as (server, metastore):
        make_schemas(server.new_session())
        client = ThriftClient(metastore)
        conf = metastore.spark_conf()
        with in_a_process(conf, STAGING, directory, repeatable_reads=False) as others:
            place = ServerPlace(method, server, metastore, others, client)
            yield place
            place.spark.stop()
        client.close()
