"""A metastore's partitions in memory."""

from collections.abc import MutableMapping, Sequence

from ctas_spark.context import TableName
from ctas_spark.errors import EntryMissingError, RefusedError
from ctas_spark.metastore.client import Partition, TableEntry
from fakes.calls import Calls

Kept = dict[tuple[str, ...], Partition]


def partition(location: str, *values: str) -> Partition:
    """A partition at a location."""
    return Partition(values, location)


class FakePartitions(Calls):
    """``kept`` has the partitions of each table by their values, apart from the entries."""

    tables: MutableMapping[TableName, TableEntry]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[TableName, Kept] = {}

    def partitions(self, name: TableName) -> tuple[Partition, ...]:
        with self.made("partitions"):
            return tuple(self._of(name).values())

    def add_partitions(self, table: TableEntry, partitions: Sequence[Partition]) -> None:
        with self.made("add_partitions"):
            kept = self._of(table.name)
            for added in partitions:
                kept.setdefault(added.values, added)

    def alter_partitions(self, table: TableEntry, partitions: Sequence[Partition]) -> None:
        with self.made("alter_partitions"):
            kept = self._of(table.name)
            if missing := [one.values for one in partitions if one.values not in kept]:
                raise RefusedError(f"{table.name} has no partition {missing[0]}")
            kept.update({one.values: one for one in partitions})

    def drop_partitions(self, name: TableName, partitions: Sequence[Partition]) -> None:
        with self.made("drop_partitions"):
            kept = self._of(name)
            for dropped in partitions:
                kept.pop(dropped.values, None)

    def _of(self, name: TableName) -> Kept:
        if name not in self.tables:
            raise EntryMissingError(f"{name} is missing")
        return self.kept.setdefault(name, {})
