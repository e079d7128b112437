"""Partitions over Thrift, on servers that answer as told."""

import pytest
from thrift.Thrift import TType

from ctas_spark.context import TableName
from ctas_spark.errors import EntryMissingError, MetastoreError
from ctas_spark.metastore.connections import ThriftMetastore
from ctas_spark.metastore.messages import partition_of
from ctas_spark.wire import (
    Field,
    Struct,
    sequence,
    string,
    struct,
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
UNKNOWN = 4711


def part(*values: str) -> Struct:
    """A partition with a field of a Hive that does not exist yet."""
    storage = Struct({2: string(f"file:/w/{values[0]}"), UNKNOWN: string("kept")})
    return Struct(
        {
            1: words(*values),
            2: string("shop__ctas_spark"),
            3: string("orders__v2"),
            6: Field(TType.STRUCT, storage),
            UNKNOWN: struct(string("kept")),
        }
    )


PARTS = (part("a/b", "at"), part("größer", "de"))
PARTITIONS = tuple(map(partition_of, PARTS))


def test_partitions_are_read(client: ThriftMetastore, server: ScriptedServer) -> None:
    """Values and location are those of the answer, and nothing of it is lost."""
    server.answer = lambda _method, _arguments: Struct({0: sequence(TType.STRUCT, *PARTS)})
    found = client.partitions(NAME)
    assert [(one.values, one.location) for one in found] == [
        (("a/b", "at"), "file:/w/a/b"),
        (("größer", "de"), "file:/w/größer"),
    ]
    assert [one.raw for one in found] == list(PARTS)


def test_an_added_partition_loses_no_field(client: ThriftMetastore, server: ScriptedServer) -> None:
    """A partition is added as it was read but for its table, and only where there is none."""
    client.add_partitions(NAME, PARTITIONS)
    ((method, arguments),) = server.asked
    request = arguments.struct(1)
    moved = {2: string(NAME.database), 3: string(NAME.table)}
    assert method == ADD
    assert (request.text(1), request.text(2)) == (NAME.database, NAME.table)
    assert request.structs(3) == tuple(one.replaced(moved) for one in PARTS)
    assert (request.value(4), request.value(5)) == (True, False)


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
        client.add_partitions(NAME, PARTITIONS)
    assert caught.type is error
    assert server.methods == [ADD]
