"""Entries as a client sees them that does not belong to the product."""

from typing import Any, Protocol

from py4j.protocol import Py4JJavaError
from pymetastore.hive_metastore import ThriftHiveMetastore, ttypes
from pyspark.sql import SparkSession
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from contract.places import Entry
from ctas_spark.context import TableName
from ctas_spark.engines import jvm
from ctas_spark.metastore.client import VIEW
from servers.metastore import Metastore

PROVIDER = "spark.sql.sources.provider"


class EntryClient(Protocol):
    """Looks entries up, and writes none."""

    def entry(self, target: TableName) -> Entry | None:
        """The entry, or None where there is none."""

    def tables(self, schema: str) -> list[str]:
        """All tables and views of a schema."""

    def close(self) -> None:
        """Close the connection."""


class ThriftClient:
    """Asks a metastore server over one connection, without a JVM."""

    def __init__(self, server: Metastore) -> None:
        self._transport = TBufferedTransport(TSocket("127.0.0.1", server.port))
        self._transport.open()
        self._client = ThriftHiveMetastore.Client(TBinaryProtocol(self._transport))

    def entry(self, target: TableName) -> Entry | None:
        try:
            wanted = ttypes.GetTableRequest(target.database, target.table)  # get_table is gone in 4
            found = self._client.get_table_req(wanted).table
        except ttypes.NoSuchObjectException:
            return None
        return Entry(
            parameters=found.parameters,
            directory=found.sd.location or "",
            is_view=found.tableType == VIEW,
            create_time=found.createTime,
            owner=found.owner,
            whole=found,
            hive_columns=tuple(one.name for one in found.sd.cols),
        )

    def tables(self, schema: str) -> list[str]:
        return list(self._client.get_all_tables(schema))

    def close(self) -> None:
        self._transport.close()


class JvmClient:
    """A Hive client of its own in this JVM, for a metastore that no other process can reach."""

    def __init__(self, spark: SparkSession) -> None:
        conf = jvm.shared_state(spark).externalCatalog().unwrapped().client().conf()
        hive = jvm.classes(spark).org.apache.hadoop.hive.metastore
        self._client = hive.HiveMetaStoreClient(conf)

    def entry(self, target: TableName) -> Entry | None:
        try:
            found: Any = self._client.getTable(target.database, target.table)
        except Py4JJavaError as error:
            if "NoSuchObjectException" in error.java_exception.toString():
                return None
            raise
        parameters = dict(found.getParameters())
        stored = found.getSd()
        # What only Spark can read has its path here, and a placeholder for others' location.
        path = stored.getSerdeInfo().getParameters().get("path")
        return Entry(
            parameters=parameters,
            directory=str(path or stored.getLocation() or ""),
            is_view=found.getTableType() == VIEW,
            create_time=int(found.getCreateTime()),
            owner=found.getOwner(),
            whole=(parameters, found.toString()),
            hive_columns=tuple(one.getName() for one in stored.getCols()),
        )

    def tables(self, schema: str) -> list[str]:
        return list(self._client.getAllTables(schema))

    def close(self) -> None:
        self._client.close()
