"""A table's partitions over plain Thrift."""

from thrift.Thrift import TType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.metastore import partition_names
from dbt.adapters.ctas_spark.staging.metastore.partitions import Partition
from dbt.adapters.ctas_spark.staging.metastore.thrift import partition as thrift_partition
from dbt.adapters.ctas_spark.staging.metastore.thrift.calls import (
    META,
    MISSING,
    NO_LIMIT,
    Method,
    ThriftCalls,
)
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import Field, string, words_of

PARTITIONS = Method("get_partitions", {1: MISSING, 2: META}, returns=True)
NAMES = Method("get_partition_names", {1: MISSING, 2: META}, returns=True)
ADD = Method(
    "add_partitions_req", {1: "InvalidObjectException", 2: "AlreadyExistsException", 3: META}
)
DROP = Method("drop_partitions_req", {1: MISSING, 2: META})


class ThriftPartitions(ThriftCalls):
    """The protocol's three calls on partitions."""

    def partitions(self, name: TableName) -> tuple[Partition, ...]:
        """One get_partitions call."""
        arguments = string(name.database), string(name.table), NO_LIMIT
        found = self._call(f"get_partitions({name})", PARTITIONS, *arguments)
        return tuple(map(thrift_partition.partition_of, found.values))

    def add_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """One add_partitions_req call for some hundreds."""
        for batch in thrift_partition.batches(partitions):
            request = thrift_partition.addition(name, batch)
            self._call(f"add_partitions({name})", ADD, Field(TType.STRUCT, request))

    def drop_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """One call for all names, one drop_partitions_req call for some hundreds."""
        names = partition_names.named(self._names(name), partitions)
        for batch in thrift_partition.batches(names):
            request = thrift_partition.dropping(name, batch)
            self._call(f"drop_partitions({name})", DROP, Field(TType.STRUCT, request))

    def _names(self, name: TableName) -> tuple[str, ...]:
        arguments = string(name.database), string(name.table), NO_LIMIT
        try:
            return words_of(self._call(f"get_partition_names({name})", NAMES, *arguments))
        except MetastoreError:
            self.partitions(name)  # Hive 2.3 breaks at a missing table there, and says so here
            raise
