"""A metastore that restarts, or another in its place: what may be asked twice is asked again."""

from collections.abc import Iterator

import pytest
from thrift.Thrift import TApplicationException

from ctas_spark.engines.thrift.channel import NOSASL, Access, Login, NotConnectedError
from ctas_spark.errors import EntryMissingError, MetastoreError
from ctas_spark.metastore import connections
from ctas_spark.metastore.connections import ThriftMetastore
from ctas_spark.wire import Struct, words
from fakes.scripted_server import Answer, HangUpError, ScriptedServer, raised, scripted_server
from fakes.thrift_tables import CHANGE, NAME

READ, WRITE = "get_all_databases", "alter_table_with_environment_context"
FOUND = Struct({0: words("default")})


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each pause, which is none here."""
    said: list[float] = []
    monkeypatch.setattr("ctas_spark.metastore.connections.time.sleep", said.append)
    return said


def answers_after(silent: int) -> "Iterator[Answer]":
    """One answer, then silence for so many calls, then answers for ever."""
    yield FOUND
    for _ in range(silent):
        yield HangUpError()
    while True:
        yield FOUND


def in_turns(server: ScriptedServer, silent: int) -> None:
    """Let it answer so."""
    answers = answers_after(silent)
    server.answer = lambda _method, _arguments: next(answers)


def test_a_read_is_asked_again(
    client: ThriftMetastore, server: ScriptedServer, pauses: list[float]
) -> None:
    """With growing pauses, of a server that has answered before; users read of it once."""
    in_turns(server, silent=3)
    assert [client.databases() for _ in range(2)] == [("default",)] * 2
    assert (server.methods, pauses) == ([READ] * 5, [1.0, 2.0, 4.0])


def test_it_is_said_once(
    client: ThriftMetastore, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    """For how long that goes on, too."""
    in_turns(server, silent=3)
    client.databases()
    client.databases()
    assert len(caplog.records) == 1
    assert "it is asked again for 30 s" in caplog.text


def test_a_write_is_never_sent_twice(client: ThriftMetastore, server: ScriptedServer) -> None:
    """Whoever made it looks what became of it."""
    in_turns(server, silent=1)
    client.databases()
    with pytest.raises(MetastoreError):
        client.alter_table(CHANGE, None)
    assert server.methods == [READ, WRITE]


def test_a_server_that_never_answered_is_an_error_at_once(
    client: ThriftMetastore, server: ScriptedServer, pauses: list[float]
) -> None:
    """Its address may be wrong."""
    server.answer = lambda _method, _arguments: HangUpError()
    with pytest.raises(MetastoreError):
        client.databases()
    assert (server.methods, pauses) == ([READ], [])


def test_an_outage_that_lasts_is_waited_for_once(
    client: ThriftMetastore, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by each call that comes after."""
    in_turns(server, silent=99)
    client.databases()
    monkeypatch.setattr(connections, "OUTAGE_SECONDS", 0.0)
    for _ in range(3):
        with pytest.raises(MetastoreError):
            client.databases()
    assert server.methods == [READ] * 4


@pytest.mark.parametrize(
    "no",
    [
        raised(2, "shop.orders table not found"),
        TApplicationException(TApplicationException.UNKNOWN_METHOD, "get_table_req"),
    ],
)
def test_a_no_is_an_answer(
    client: ThriftMetastore, server: ScriptedServer, pauses: list[float], no: Answer
) -> None:
    """Nothing is asked again."""
    server.answer = lambda method, _arguments: FOUND if method == READ else no
    client.databases()
    with pytest.raises((MetastoreError, EntryMissingError)):
        client.partitions(NAME)
    assert pauses == []


def test_a_login_that_is_refused_is_not_tried_again(
    client: ThriftMetastore,
    server: ScriptedServer,
    monkeypatch: pytest.MonkeyPatch,
    pauses: list[float],
) -> None:
    """As with a ticket that has expired in a long run: no pause brings another one."""
    in_turns(server, silent=0)
    client.databases()
    client.close()

    def refused(*_: object) -> None:
        raise NotConnectedError("Kerberos: Ticket expired", may_pass=False)

    monkeypatch.setattr(connections, "opened", refused)
    with pytest.raises(MetastoreError, match="Ticket expired"):
        client.databases()
    assert pauses == []


def test_a_server_that_only_listens_costs_the_time_of_a_connection(server: ScriptedServer) -> None:
    """Then the next address is tried: it may hang, or be about to end."""
    silent = Access(Login(NOSASL), seconds=0.1)
    server.answer = lambda _method, _arguments: None
    with scripted_server() as second:
        second.answer = lambda method, _arguments: FOUND if method == READ else Struct({})
        client = ThriftMetastore(f"{server.uri},{second.uri}", user="ann", access=silent)
        assert client.databases() == ("default",)
        assert server.methods == ["set_ugi"]
        client.close()
