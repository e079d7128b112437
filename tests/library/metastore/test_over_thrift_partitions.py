"""Partitions over Thrift, on servers that answer as told."""

import pytest
from thrift.Thrift import TType

from ctas_spark.context import TableName
from ctas_spark.errors import EntryMissingError, MetastoreError
from ctas_spark.metastore.client import Partition
from ctas_spark.metastore.connections import ThriftMetastore
from ctas_spark.metastore.messages import entry_of
from ctas_spark.wire import (
    Field,
    Struct,
    sequence,
    string,
    words,
    words_of,
)
from fakes.scripted_server import (
    Answer,
    ScriptedServer,
    failed,
    raised,
)

NAME = TableName("shop", "orders")
ADD, DROP, NAMES = "add_partitions_req", "drop_partitions_req", "get_partition_names"
ALTER = "alter_partitions_with_environment_context"
UNKNOWN = 4711


STORAGE = Struct({2: string("file:/w/v2"), 3: string("parquet"), UNKNOWN: string("kept")})
TABLE = entry_of(NAME, Struct({7: Field(TType.STRUCT, STORAGE)}))
PARTITIONS = (
    Partition(("a/b", "at"), "file:/w/v2/k=a%2Fb/c=at", {"numFiles": "1"}),
    Partition(("größer", "de"), "file:/w/v2/k=größer/c=de"),
)


def part(*values: str) -> Struct:
    """A partition as a server answers it."""
    storage = Struct({2: string(f"file:/w/{values[0]}"), UNKNOWN: string("unread")})
    return Struct({1: words(*values), 6: Field(TType.STRUCT, storage)})


def test_partitions_are_read(client: ThriftMetastore, server: ScriptedServer) -> None:
    """Values and location are those of the answer."""
    answer = sequence(TType.STRUCT, part("a/b", "at"), part("größer", "de"))
    server.answer = lambda _method, _arguments: Struct({0: answer})
    assert [(one.values, one.location) for one in client.partitions(NAME)] == [
        (("a/b", "at"), "file:/w/a/b"),
        (("größer", "de"), "file:/w/größer"),
    ]


def test_an_added_partition_is_of_its_table(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """All but the location is the table's, unknown fields too; it is added where there is none."""
    client.add_partitions(TABLE, PARTITIONS)
    ((method, arguments),) = server.asked
    request = arguments.struct(1)
    assert method == ADD
    assert (request.text(1), request.text(2)) == (NAME.database, NAME.table)
    are_of_the_table(request.structs(3))
    assert (request.value(4), request.value(5)) == (True, False)


def test_an_altered_partition_is_of_its_table(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """The server counts no files for it: their numbers are given."""
    client.alter_partitions(TABLE, PARTITIONS)
    ((method, arguments),) = server.asked
    assert method == ALTER
    assert (arguments.text(1), arguments.text(2)) == (NAME.database, NAME.table)
    are_of_the_table(arguments.structs(3))
    assert arguments.struct(4).texts(1) == {"DO_NOT_UPDATE_STATS": "true"}


def are_of_the_table(sent: tuple[Struct, ...]) -> None:
    """The partitions were sent as they were given."""
    for one, given in zip(sent, PARTITIONS, strict=True):
        assert words_of(one.value(1)) == given.values
        assert (one.text(2), one.text(3)) == (NAME.database, NAME.table)
        assert one.struct(6) == STORAGE.replaced({2: string(given.location)})
        assert one.texts(7) == given.parameters


def test_partitions_are_dropped_by_the_servers_names(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """The names come from the server, which keeps the data and accepts that they are gone."""
    listed = words("k=a%2fb/c=at", "k=other/c=at")
    server.answer = lambda method, _arguments: Struct({0: listed} if method == NAMES else {})
    client.drop_partitions(NAME, PARTITIONS)
    request = server.asked[-1][1].struct(1)
    assert server.methods == [NAMES, DROP]
    assert words_of(request.struct(3).value(1)) == ("k=a%2fb/c=at",)
    assert (request.value(4), request.value(5)) == (False, True)


def test_what_the_server_does_not_have_is_not_dropped(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """No call is made for partitions that are gone already."""
    server.answer = lambda _method, _arguments: Struct({0: words("k=other/c=at")})
    client.drop_partitions(NAME, PARTITIONS)
    assert server.methods == [NAMES]


def test_a_missing_table_is_told_by_name(client: ThriftMetastore, server: ScriptedServer) -> None:
    """A server that breaks at the names of a missing table is asked in words that it knows."""
    missing = raised(1, "shop.orders table not found")
    server.answer = lambda method, _arguments: failed() if method == NAMES else missing
    with pytest.raises(EntryMissingError):
        client.drop_partitions(NAME, PARTITIONS)
    assert server.methods == [NAMES, "get_partitions"]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (raised(1, "because database or table shop.orders does not exist"), EntryMissingError),
        (raised(3, "out of disk"), MetastoreError),
        (failed(), MetastoreError),
    ],
    ids=["refused", "failed", "broken"],
)
def test_a_failed_addition_is_told(
    client: ThriftMetastore, server: ScriptedServer, answer: Answer, error: type[MetastoreError]
) -> None:
    """A missing table is a refusal; any other failure may have added some, and is not repeated."""
    server.answer = lambda _method, _arguments: answer
    with pytest.raises(error) as caught:
        client.add_partitions(TABLE, PARTITIONS)
    assert caught.type is error
    assert server.methods == [ADD]
