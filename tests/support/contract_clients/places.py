"""Metastores with a client under test, and a hand that does not need that client."""

import itertools
from dataclasses import dataclass, field
from typing import Protocol

from ctas_spark.context import TableName
from ctas_spark.metastore.client import (
    MetastoreClient,
    TableEntry,
    TableLockClient,
)
from fakes.metastore import FakeMetastore, entry
from fakes.partitions import partition

KEYS = ("day", "country")
_numbers = itertools.count(1)


class Client(MetastoreClient, TableLockClient, Protocol):
    """What every client can do."""


class Place(Protocol):
    """One database of one metastore, and another one next to it."""

    @property
    def client(self) -> Client:
        """The client under test."""

    @property
    def database(self) -> str:
        """A database that exists."""

    @property
    def other_database(self) -> str:
        """Another one."""

    def new(self, **changes: object) -> TableEntry:
        """An entry of a new table that was made by someone else, as the client reads it."""

    def partitioned(self, *values: tuple[str, ...], **changes: object) -> TableEntry:
        """The same by ``KEYS``, with partitions of these values."""

    def tables(self) -> list[str]:
        """The names of all entries of the database."""


def unused(place: Place) -> TableName:
    """The name of a table that nobody has."""
    return TableName(place.database, f"t{next(_numbers)}")


def _default_server() -> FakeMetastore:
    made = FakeMetastore()
    made.compares_columns = True
    return made


@dataclass(frozen=True, slots=True)
class FakePlace:
    """The fake, as a server with its default settings."""

    client: FakeMetastore = field(default_factory=_default_server)
    database: str = "shop"
    other_database: str = "shop__ctas_spark"

    def new(self, **changes: object) -> TableEntry:
        made = entry(unused(self), **changes)
        self.client.tables[made.name] = made
        return made

    def partitioned(self, *values: tuple[str, ...], **changes: object) -> TableEntry:
        made = self.new(partition_keys=KEYS, **changes)
        kept = {one: partition(f"{made.location}/{at}", *one) for at, one in enumerate(values)}
        self.client.kept[made.name] = kept
        return made

    def count_values(self, name: TableName) -> None:
        self.client.column_statistics.add(name)

    def has_counted_values(self, name: TableName) -> bool:
        return name in self.client.column_statistics

    def tables(self) -> list[str]:
        return [name.table for name in self.client.tables if name.database == self.database]
