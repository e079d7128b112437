"""A table's partitions through Hive's client in Spark's JVM.

They come and go as the bytes of one Thrift struct: asking the JVM for each field of each partition
takes longer than the metastore does.
"""

from typing import Any

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.metastore import partition_names
from dbt.adapters.ctas_spark.staging.metastore.jvm.connection import InJvmConnection
from dbt.adapters.ctas_spark.staging.metastore.partitions import Partition
from dbt.adapters.ctas_spark.staging.metastore.thrift import partition as thrift_partition
from dbt.adapters.ctas_spark.staging.metastore.thrift.bytes import packed, unpacked
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import Struct

NO_LIMIT = -1


class InJvmPartitions(InJvmConnection):
    """The protocol's three calls on partitions."""

    def partitions(self, name: TableName) -> tuple[Partition, ...]:
        """One get_partitions call."""
        found = self._read(
            f"get_partitions({name})",
            lambda client: client.listPartitions(name.database, name.table, NO_LIMIT),
        )
        request = self._hive.api.AddPartitionsRequest(name.database, name.table, found, True)
        data = self._jvm.org.apache.thrift.TSerializer().serialize(request)
        parts = unpacked(data).structs(thrift_partition.OF_THE_REQUEST)
        return tuple(map(thrift_partition.partition_of, parts))

    def add_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """One add_partitions_req call for some hundreds."""
        for batch in thrift_partition.batches(partitions):
            request = self._hive.api.AddPartitionsRequest()
            self._fill(request, thrift_partition.addition(name, batch))
            with self._call(f"add_partitions({name})") as client:
                client.add_partitions(request.getParts(), True, False)

    def drop_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """One call for all names, one drop_partitions_req call for some hundreds."""
        names = partition_names.named(self._names(name), partitions)
        for batch in thrift_partition.batches(names):
            request = self._hive.api.DropPartitionsRequest()
            self._fill(request, thrift_partition.dropping(name, batch))
            with self._call(f"drop_partitions({name})") as client:
                _beneath(client).drop_partitions_req(request)

    def _names(self, name: TableName) -> list[str]:
        try:
            found = self._read(
                f"get_partition_names({name})",
                lambda client: client.listPartitionNames(name.database, name.table, NO_LIMIT),
            )
        except MetastoreError:
            self.partitions(name)  # Hive 2.3 breaks at a missing table there, and says so here
            raise
        return self._listed(found)

    def _fill(self, request: Any, value: Struct) -> None:
        self._jvm.org.apache.thrift.TDeserializer().deserialize(request, packed(value))


def _beneath(client: Any) -> Any:
    """The Thrift calls under the client, whose own takes no names of partitions but expressions."""
    calls = client.getClass().getDeclaredField("client")
    calls.setAccessible(True)
    return calls.get(client)
