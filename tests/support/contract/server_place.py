"""The contract on tables of files over a server: our run has no JVM, all others have one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from contract import file_tables
from contract.entry_clients import EntryClient, ThriftClient
from contract.hive_place import HivePlace
from contract.places import Others
from contract.rivals import in_a_process
from contract.spark_place import STAGING, make_schemas, path_of
from ctas_spark.catalogs.server import CONNECT, CatalogsWithoutJvm, MetastoreAddress
from ctas_spark.engines.connect import ConnectJob
from ctas_spark.publish.staged_table import StagedTable
from servers.metastore import Metastore
from servers.remote import RemoteServer, server_of_files

NAME = "hive_over_connect"
_jobs = count(1)


class ServerPlace(HivePlace):
    """A client of Spark Connect, and of the metastore."""

    def __init__(
        self, server: RemoteServer, metastore: Metastore, others: Others, client: EntryClient
    ) -> None:
        session: Any = server.new_session()
        super().__init__(NAME, session, metastore.warehouse, others, client)
        self._address = MetastoreAddress(metastore.uri, "contract")

    def open_run(self) -> CatalogsWithoutJvm:  # type: ignore[override]  # it is no other's run
        return CatalogsWithoutJvm(self.spark, CONNECT, metastore=self._address)

    def job(self) -> ConnectJob:
        attached = ConnectJob(self.spark, f"contract {next(_jobs)}", threading.Event())
        attached.attach()
        return attached

    def left_beside(self, live: StagedTable[Any]) -> list[str]:
        """By the disk itself; without tombstones, as in a session."""
        root = path_of(file_tables.version_of(live).directory).parent
        versions = [one.name for one in root.iterdir() if one.name != live.version]
        record = file_tables.version_of(live).record.table
        own = [one for one in self.records() if one.startswith(f"{live.target.table}__")]
        return [*versions, *(one for one in own if one != record and not self._is_tombstone(one))]


@contextmanager
def over_connect(directory: Path) -> Iterator[ServerPlace]:
    """A server with a metastore server on Derby, both with their default settings."""
    with server_of_files(directory) as (server, metastore):
        make_schemas(server.new_session())
        client = ThriftClient(metastore)
        conf = metastore.spark_conf()
        with in_a_process(conf, STAGING, directory, repeatable_reads=False) as others:
            place = ServerPlace(server, metastore, others, client)
            yield place
            place.spark.stop()
        client.close()
