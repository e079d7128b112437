"""A table's partitions in Spark's in-memory catalog."""

from typing import Any

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore.jvm import scala
from dbt.adapters.ctas_spark.staging.metastore.memory.calls import InMemoryCalls
from dbt.adapters.ctas_spark.staging.metastore.partitions import Partition

NULL = "__HIVE_DEFAULT_PARTITION__"
IF_NOT_EXISTS = IF_EXISTS = RETAIN_DATA = True
PURGE = False


class InMemoryPartitions(InMemoryCalls):
    """The protocol's three calls on partitions."""

    def partitions(self, name: TableName) -> tuple[Partition, ...]:
        """One listPartitions call."""
        with self._call(f"listPartitions({name})") as catalog:
            keys = self._partition_keys(name)
            found = catalog.listPartitions(*self._key(name), scala.none(self._java))
            return tuple(self._partition(keys, one) for one in scala.as_tuple(self._java, found))

    def add_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """One createPartitions call for those that are missing: it would replace the others."""
        with self._writing, self._call(f"createPartitions({name})") as catalog:
            there = {one.values for one in self.partitions(name)}
            missing = [one.raw for one in partitions if one.values not in there]
            added = scala.sequence(self._java, missing)
            catalog.createPartitions(*self._key(name), added, IF_NOT_EXISTS)

    def drop_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """One dropPartitions call that leaves the data."""
        with self._writing, self._call(f"dropPartitions({name})") as catalog:
            keys = self._partition_keys(name)
            specs = [
                scala.mapping(self._java, dict(zip(keys, one.values, strict=True)))
                for one in partitions
            ]
            dropped = scala.sequence(self._java, specs)
            catalog.dropPartitions(*self._key(name), dropped, IF_EXISTS, PURGE, RETAIN_DATA)

    def _partition_keys(self, name: TableName) -> tuple[str, ...]:
        table = self._catalog.getTable(*self._key(name))
        return scala.as_tuple(self._java, table.partitionColumnNames())

    def _partition(self, keys: tuple[str, ...], partition: Any) -> Partition:
        spec = partition.spec()
        values = tuple(str(spec.apply(key) or NULL) for key in keys)
        return Partition(values, self._text(partition.location()), partition)
