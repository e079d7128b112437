"""What partition bookkeeping needs of a metastore: the partitions that it keeps of a table."""

from dataclasses import dataclass, field
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition as the metastore keeps it.

    ``values`` stand in the order of the table's partition keys, unescaped, a null as
    ``__HIVE_DEFAULT_PARTITION__``. ``raw`` is the client's own object, which loses nothing.
    """

    values: tuple[str, ...]
    location: str
    raw: object = field(compare=False, repr=False)


class PartitionClient(Protocol):
    """A metastore's partitions. Every call raises MetastoreError, or RefusedError."""

    def partitions(self, name: TableName) -> tuple[Partition, ...]:
        """Every partition of the table; EntryMissingError when there is no table."""

    def add_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """Add copies of another table's partitions, at their own locations.

        Those whose values are there already stay as they are. Data is neither made nor moved.
        """

    def drop_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """Remove the partitions of these values and leave their data; missing ones are no error."""


class TableClient(MetastoreClient, PartitionClient, Protocol):
    """A metastore's tables with their partitions."""
