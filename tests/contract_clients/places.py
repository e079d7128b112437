"""Metastores with a client under test, and a hand that does not need that client."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from pymetastore.hive_metastore import ThriftHiveMetastore, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from contract_clients.relay import Relay
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.metastore.entry import VIEW, TableEntry
from fakes.metastore import FakeMetastore, entry
from servers.metastore import Metastore

T = TypeVar("T")
_numbers = itertools.count(1)


class Place(Protocol):
    """One database of one metastore."""

    @property
    def client(self) -> MetastoreClient:
        """The client under test."""

    @property
    def database(self) -> str:
        """A database that exists."""

    def new(self, **changes: object) -> TableEntry:
        """An entry of a new table that was made by someone else, as the client reads it."""

    def tables(self) -> list[str]:
        """The names of all entries of the database."""


def unused(place: Place) -> TableName:
    """The name of a table that nobody has."""
    return TableName(place.database, f"t{next(_numbers)}")


@dataclass(frozen=True, slots=True)
class FakePlace:
    """The fake."""

    client: FakeMetastore = field(default_factory=FakeMetastore)
    database: str = "shop"

    def new(self, **changes: object) -> TableEntry:
        made = entry(unused(self), **changes)
        self.client.tables[made.name] = made
        return made

    def tables(self) -> list[str]:
        return [name.table for name in self.client.tables]


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """A real server. ``client`` goes through the relay, everything else does not."""

    client: MetastoreClient
    database: str
    server: Metastore
    relay: Relay

    def new(self, **changes: object) -> TableEntry:
        made = entry(unused(self), **changes)
        with direct(self.server) as hand:
            hand.create_table(self._generated(made))
        found = self.client.get_table(made.name)
        assert found is not None
        return found

    def tables(self) -> list[str]:
        return self.ask(lambda hand: list(hand.get_all_tables(self.database)))

    def seen(self, name: TableName) -> ttypes.Table:
        """The entry as an independent client reads it."""
        return self.ask(lambda hand: hand.get_table(name.database, name.table))

    def directory(self, name: TableName) -> Path:
        """Where ``new`` puts a table's data."""
        return self.server.warehouse / "outside" / name.table

    def ask(self, question: Callable[[ThriftHiveMetastore.Client], T]) -> T:
        """What the server says to an independent client."""
        with direct(self.server) as hand:
            return question(hand)

    def _generated(self, made: TableEntry) -> ttypes.Table:
        location = None if made.table_type == VIEW else f"file:{self.directory(made.name)}"
        columns = [ttypes.FieldSchema(name, kind) for name, kind in made.columns]
        serde = ttypes.SerDeInfo(made.name.table, "org.apache.hadoop.hive.serde2.OpenCSVSerde", {})
        return ttypes.Table(
            tableName=made.name.table,
            dbName=made.name.database,
            owner="someone",
            tableType=made.table_type,
            parameters={"EXTERNAL": "TRUE", **made.parameters},
            partitionKeys=[ttypes.FieldSchema(name, "date") for name in made.partition_keys],
            viewOriginalText="select 1" if location is None else None,
            viewExpandedText="select 1" if location is None else None,
            sd=ttypes.StorageDescriptor(
                cols=columns, location=location, serdeInfo=serde, bucketCols=[], sortCols=[]
            ),
        )


@contextmanager
def direct(server: Metastore) -> Iterator[ThriftHiveMetastore.Client]:
    """A connection of generated code."""
    transport = TBufferedTransport(TSocket("127.0.0.1", server.port))
    transport.open()
    try:
        yield ThriftHiveMetastore.Client(TBinaryProtocol(transport))
    finally:
        transport.close()
