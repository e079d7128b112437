"""A real metastore server, with a client that goes through a relay."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pymetastore.hive_metastore import ThriftHiveMetastore, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TApplicationException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from contract_clients.places import KEYS, Client, unused
from contract_clients.relay import Relay
from ctas_spark.context import TableName
from ctas_spark.metastore.client import VIEW, TableEntry
from fakes.metastore import entry
from servers.metastore import Metastore

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """A real server. ``client`` goes through the relay, everything else does not."""

    client: Client
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

    def partitioned(self, *values: tuple[str, ...], **changes: object) -> TableEntry:
        made = self.new(partition_keys=KEYS, **changes)
        table = self.seen(made.name)
        parts = [self._partition(table, at, one) for at, one in enumerate(values)]
        request = ttypes.AddPartitionsRequest(made.name.database, made.name.table, parts, False)
        self.ask(lambda hand: hand.add_partitions_req(request))
        return made

    def count_values(self, name: TableName) -> None:
        """What ANALYZE leaves in the metastore."""
        counted = ttypes.ColumnStatisticsData(longStats=ttypes.LongColumnStatsData(1, 9, 0, 5))
        column = ttypes.ColumnStatisticsObj("id", "bigint", counted)
        table = ttypes.ColumnStatisticsDesc(True, name.database, name.table)
        statistics = ttypes.ColumnStatistics(table, [column])
        self.ask(lambda hand: hand.update_table_column_statistics(statistics))

    def has_counted_values(self, name: TableName) -> bool:
        """True if the server answers with statistics; without them it breaks."""
        try:
            self.ask(lambda hand: hand.get_table_column_statistics(*_key(name), "id"))
        except (TApplicationException, ttypes.NoSuchObjectException):
            return False
        return True

    @property
    def other_database(self) -> str:
        """A database of the same warehouse."""
        return "other"

    def tables(self) -> list[str]:
        return self.ask(lambda hand: list(hand.get_all_tables(self.database)))

    def seen(self, name: TableName) -> ttypes.Table:
        """The entry as an independent client reads it."""
        return self.ask(lambda hand: hand.get_table(*_key(name)))

    def raw_partitions(self, name: TableName) -> list[ttypes.Partition]:
        """A table's partitions as an independent client reads them."""
        return self.ask(lambda hand: list(hand.get_partitions(*_key(name), -1)))

    def locks(self) -> list[ttypes.ShowLocksResponseElement]:
        """Every lock of the server."""
        return list(self.ask(lambda hand: hand.show_locks(ttypes.ShowLocksRequest())).locks)

    def directory(self, name: TableName) -> Path:
        """Where ``new`` puts a table's data."""
        return self.server.warehouse / "outside" / name.table

    def ask(self, question: Callable[[ThriftHiveMetastore.Client], T]) -> T:
        """What the server says to an independent client."""
        with direct(self.server) as hand:
            return question(hand)

    def _partition(
        self, table: ttypes.Table, number: int, values: tuple[str, ...]
    ) -> ttypes.Partition:
        location = f"{table.sd.location}/{number}"
        Path(location.removeprefix("file:")).mkdir(parents=True)
        storage = _elsewhere(table.sd, location)
        return ttypes.Partition(list(values), table.dbName, table.tableName, 0, 0, storage, {})

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
            partitionKeys=[ttypes.FieldSchema(name, "string") for name in made.partition_keys],
            viewOriginalText="select 1" if location is None else None,
            viewExpandedText="select 1" if location is None else None,
            sd=ttypes.StorageDescriptor(
                cols=columns, location=location, serdeInfo=serde, bucketCols=[], sortCols=[]
            ),
        )


def _elsewhere(storage: ttypes.StorageDescriptor, location: str) -> ttypes.StorageDescriptor:
    """The same storage elsewhere."""
    return ttypes.StorageDescriptor(**{**vars(storage), "location": location})


def _key(name: TableName) -> tuple[str, str]:
    return name.database, name.table


@contextmanager
def direct(server: Metastore) -> Iterator[ThriftHiveMetastore.Client]:
    """A connection of generated code."""
    transport = TBufferedTransport(TSocket("127.0.0.1", server.port))
    transport.open()
    try:
        yield ThriftHiveMetastore.Client(TBinaryProtocol(transport))
    finally:
        transport.close()
