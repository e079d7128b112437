"""Locks over Thrift, on servers that answer as told."""

from collections.abc import Iterator

import pytest
from thrift.Thrift import TType

from ctas_spark.context import TableName
from ctas_spark.errors import EntryMissingError, MetastoreError
from ctas_spark.metastore.client import TableLock
from ctas_spark.metastore.connections import ThriftMetastore
from ctas_spark.wire import (
    Field,
    Struct,
    sequence,
    string,
    struct,
    words,
)
from fakes.scripted_server import (
    Answer,
    HangUpError,
    ScriptedServer,
    failed,
    raised,
)

NAME = TableName("shop", "orders")
BEYOND_32_BITS = 5_000_000_000
ACQUIRED, WAITING, ABORT, NOT_ACQUIRED = 1, 2, 3, 4


def answered(state: int) -> Struct:
    """The result of ``lock`` and ``check_lock``."""
    return Struct({0: struct(Field(TType.I64, BEYOND_32_BITS), Field(TType.I32, state))})


def test_an_exclusive_lock_is_asked_for(client: ThriftMetastore, server: ScriptedServer) -> None:
    """The request names table and owner, and the lock's id is the server's."""
    server.answer = lambda _method, _arguments: answered(WAITING)
    assert client.lock(NAME, "ann") == BEYOND_32_BITS
    request = server.asked[0][1].struct(1)
    (component,) = request.structs(1)
    assert (component.value(1), component.value(2)) == (3, 2)
    assert (component.text(3), component.text(4)) == (NAME.database, NAME.table)
    assert (request.text(3), request.text(5)) == ("ann", "dbt-ctas-spark")


@pytest.mark.parametrize("state", [ACQUIRED, WAITING, ABORT, NOT_ACQUIRED])
def test_a_lock_is_granted_once_it_is_acquired(
    client: ThriftMetastore, server: ScriptedServer, state: int
) -> None:
    """Only an acquired lock is granted."""
    server.answer = lambda _method, _arguments: answered(state)
    assert client.is_granted(BEYOND_32_BITS) == (state == ACQUIRED)


def test_locks_of_a_table_are_shown(client: ThriftMetastore, server: ScriptedServer) -> None:
    """The request names the table, the answer has each lock's id and owner."""
    shown = Struct(
        {
            1: Field(TType.I64, BEYOND_32_BITS),
            8: Field(TType.I64, BEYOND_32_BITS + 1),
            10: string("ann"),
        }
    )
    server.answer = lambda _method, _arguments: Struct({0: struct(sequence(TType.STRUCT, shown))})
    assert client.locks_on(NAME) == (TableLock(BEYOND_32_BITS, "ann", BEYOND_32_BITS + 1),)
    request = server.asked[0][1].struct(1)
    assert (request.text(1), request.text(2)) == (NAME.database, NAME.table)


def test_an_ended_lock_is_missing(client: ThriftMetastore, server: ScriptedServer) -> None:
    """A heartbeat for an ended lock is EntryMissingError; releasing it is no error."""
    server.answer = lambda _method, _arguments: raised(1, "No such lock lockid:7")
    with pytest.raises(EntryMissingError):
        client.heartbeat(7)
    client.unlock(7)


def test_the_probe_releases_its_lock(client: ThriftMetastore, server: ScriptedServer) -> None:
    """The probe asks for one lock, of a table that nobody has, and releases it."""
    server.answer = lambda method, _arguments: (
        answered(ACQUIRED) if method == "lock" else Struct({})
    )
    assert client.supports_locks()
    assert server.methods == ["lock", "unlock"]
    assert server.asked[1][1].struct(1).value(1) == BEYOND_32_BITS


@pytest.mark.parametrize("broken", [failed(), HangUpError()], ids=["breaks", "hangs up"])
def test_a_server_without_lock_tables_answers_the_next_call(
    client: ThriftMetastore, server: ScriptedServer, broken: Answer
) -> None:
    """A server that only breaks at locks has none."""
    databases = Struct({0: words("default")})
    server.answer = lambda method, _arguments: broken if method == "lock" else databases
    assert not client.supports_locks()


def test_one_lost_answer_does_not_mean_that_there_are_no_locks(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """Partitions that are tracked under a lock would be given up for good."""
    locks: Iterator[Answer] = iter([HangUpError(), answered(ACQUIRED)])

    def answer(method: str, _arguments: Struct) -> Answer:
        if method == "lock":
            return next(locks)
        return Struct({0: words("default")} if method == "get_all_databases" else {})

    server.answer = answer
    assert client.supports_locks()
    assert server.methods == ["lock", "get_all_databases", "lock", "unlock"]


def test_a_server_that_breaks_at_everything_says_nothing(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """A server that does not answer the next call either is an error."""
    server.answer = lambda _method, _arguments: HangUpError()
    with pytest.raises(MetastoreError):
        client.supports_locks()
