"""The client over Thrift, on servers that answer as told."""

import socket
import threading

import pytest
from thrift.Thrift import TApplicationException, TType

from ctas_spark.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from ctas_spark.metastore import connections
from ctas_spark.metastore.client import CallUnansweredError
from ctas_spark.metastore.connections import ThriftMetastore
from ctas_spark.wire import (
    Field,
    Struct,
    sequence,
    string,
)
from fakes.scripted_server import (
    Answer,
    HangUpError,
    ScriptedServer,
    answering,
    failed,
    raised,
    returned,
    scripted_server,
)
from fakes.thrift_tables import CHANGE, NAME, table
from servers import answering as servers

ALTER = "alter_table_with_environment_context"
CREATE = "create_table_with_environment_context"
DROP = "drop_table_with_environment_context"


def result_of_get(value: Struct) -> Struct:
    """The result of get_table_req."""
    return Struct({1: Field(TType.STRUCT, value)})


def alter(client: ThriftMetastore) -> None:
    """A call that changes something."""
    client.alter_table(CHANGE, None)


def test_an_entry_is_read(client: ThriftMetastore, server: ScriptedServer) -> None:
    """An entry's fields are those of the answer; it lies where Spark reads it, and Hive elsewhere.

    Hive's CREATE TABLE LIKE copies the path of another table, which then is nobody's.
    """
    server.answer = answering(get_table_req=returned(result_of_get(table("staged", a="1"))))
    found = client.get_table(NAME)
    assert found is not None
    assert (found.name, found.location) == (NAME, "file:/placeholder")
    assert found.also_at == "file:/w/staged"
    of_spark = table("staged", **{"spark.sql.sources.provider": "parquet"})
    server.answer = answering(get_table_req=returned(result_of_get(of_spark)))
    read = client.get_table(NAME)
    assert read is not None
    assert (read.location, read.also_at) == ("file:/w/staged", "file:/placeholder")
    assert (found.columns, found.partition_keys) == ((("id", "bigint"),), ("day",))
    assert (found.table_type, found.create_time) == ("EXTERNAL_TABLE", 6)
    assert found.parameters == {"a": "1"}


def of_insert_only(method: str, arguments: Struct) -> Answer:
    """Hive 3 and 4, which show an insert-only table to nobody who does not ask for such."""
    capabilities = arguments.struct(1).struct(3).value(1)
    if capabilities is None or 2 not in capabilities.values:
        return raised(1, "Your client does not appear to support insert-only tables.")
    found = table("acid", transactional_properties="insert_only")
    if method == "get_table_req":
        return returned(result_of_get(found))
    named = found.replaced({1: string(NAME.table)})
    return returned(Struct({1: sequence(TType.STRUCT, named)}))


def test_insert_only_tables_are_read(client: ThriftMetastore, server: ScriptedServer) -> None:
    """One of them, anywhere in the metastore, breaks no listing of all tables."""
    server.answer = of_insert_only
    one = client.get_table(NAME)
    assert one is not None
    assert one.parameters == {"transactional_properties": "insert_only"}
    assert [found.name for found in client.entries([NAME])] == [NAME]


REFUSALS = [
    (ALTER, 1, "shop.orders table not found", EntryMissingError),
    (ALTER, 1, "types incompatible", RefusedError),
    (ALTER, 1, "new table shop.orders already exists", EntryExistsError),
    (ALTER, 2, "The table has been modified. The parameter value", EntryModifiedError),
    (CREATE, 1, "Table orders already exists", EntryExistsError),
    (CREATE, 2, "orders is not a valid object name", RefusedError),
    (CREATE, 4, "shop", EntryMissingError),
]
UNKNOWN_OUTCOMES = [
    (ALTER, raised(2, "Unable to alter table")),
    (ALTER, raised(3, "an exception that a later version declares")),
    (ALTER, failed()),
    (ALTER, HangUpError()),
    (CREATE, raised(3, "out of disk")),
    (CREATE, failed()),
    (DROP, raised(2, "out of disk")),
    (DROP, HangUpError()),
]


def call(client: ThriftMetastore, method: str) -> None:
    """The one call that uses this method."""
    if method == ALTER:
        client.alter_table(CHANGE, None)
    elif method == CREATE:
        client.create_table(CHANGE)
    else:
        client.drop_entry(NAME)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_refusal_is_told_by_its_name(
    client: ThriftMetastore,
    server: ScriptedServer,
    refusal: tuple[str, int, str, type[RefusedError]],
) -> None:
    """What a server refuses by name is the error of that name, with the server's words."""
    method, number, message, error = refusal
    server.answer = answering(**{method: raised(number, message)})
    with pytest.raises(error, match=message) as caught:
        call(client, method)
    assert caught.type is error


@pytest.mark.parametrize(("method", "answer"), UNKNOWN_OUTCOMES)
def test_every_other_failure_may_have_had_its_effect(
    client: ThriftMetastore, server: ScriptedServer, method: str, answer: Answer
) -> None:
    """A failure without a name of a refusal is never taken for one, nor tried again."""
    server.answer = answering(**{method: answer})
    with pytest.raises(MetastoreError) as caught:
        call(client, method)
    assert not isinstance(caught.value, RefusedError)
    assert [one for one in server.methods if one != "get_table_req"] == [method]


def test_a_creation_that_failed_where_the_entry_is_there_has_lost(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """Hive 4 tells it in the words of its database, such as those of a unique key."""
    is_there = returned(result_of_get(table("theirs")))
    said = "JDODataStoreException: duplicate key value in a unique index"
    answers: dict[str, Answer] = {CREATE: raised(3, said), "get_table_req": is_there}
    server.answer = answering(**answers)
    with pytest.raises(EntryExistsError, match="duplicate key value"):
        client.create_table(CHANGE)
    assert server.methods == [CREATE, "get_table_req"]


def test_a_creation_without_an_answer_may_still_come(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """What is there now is no answer to it."""
    is_there = returned(result_of_get(table("theirs")))
    answers: dict[str, Answer] = {CREATE: HangUpError(), "get_table_req": is_there}
    server.answer = answering(**answers)
    with pytest.raises(CallUnansweredError):
        client.create_table(CHANGE)
    assert server.methods == [CREATE]


def test_an_answer_without_content_is_no_absence(client: ThriftMetastore) -> None:
    """A read that returns nothing is an error, and never taken for a missing entry."""
    with pytest.raises(MetastoreError, match="returned nothing"):
        client.get_table(NAME)
    with pytest.raises(MetastoreError, match="returned nothing"):
        client.database_location("shop")


def test_silence_ends_with_the_timeout(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that never answers is an error of unknown effect once the time is over."""
    server.answer = answering(**{ALTER: None})
    monkeypatch.setattr(connections, "CALL_SECONDS", 0.5)
    client = ThriftMetastore(server.uri)
    with pytest.raises(MetastoreError, match=r"timeout|timed out") as caught:
        alter(client)
    assert caught.type is CallUnansweredError
    assert server.methods == [ALTER]


def test_a_connection_without_its_answer_is_not_used_again(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """After a failed call the next one is made on a new connection, and succeeds."""
    server.answer = answering(**{ALTER: HangUpError()})
    with pytest.raises(MetastoreError):
        alter(client)
    server.answer = answering()
    alter(client)
    assert (server.connections, server.methods) == (2, [ALTER, ALTER])


def test_an_answer_to_another_call_is_not_taken(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """An answer that names another method is an error, and ends the connection."""
    server.misnamed = "get_fields"
    with pytest.raises(MetastoreError, match="get_fields"):
        alter(client)
    server.misnamed = None
    alter(client)
    assert server.connections == 2


def test_a_connection_that_the_server_closed_is_replaced_unnoticed(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """A connection that was closed while idle, as after a long model, costs no error."""
    alter(client)
    server.hang_up()
    alter(client)
    assert (server.connections, server.methods) == (2, [ALTER, ALTER])


def test_a_connection_serves_many_calls(client: ThriftMetastore, server: ScriptedServer) -> None:
    """Calls of one thread go over one connection, refusals included."""
    server.answer = answering(**{ALTER: raised(2, "The table has been modified")})
    for _ in range(3):
        with pytest.raises(EntryModifiedError):
            alter(client)
    assert server.connections == 1


@pytest.mark.parametrize(
    ("version", "holds"),
    [
        (b"3.0", True),  # what 2.3.10 says
        (b"4.0.1", True),
        (b"4.0.0", False),
        (b"4.0.0-beta-1", False),
        (TApplicationException(TApplicationException.UNKNOWN_METHOD, "getVersion"), True),
    ],
)
def test_a_comparison_that_several_pass_at_once_is_none(
    client: ThriftMetastore, server: ScriptedServer, version: bytes | Exception, *, holds: bool
) -> None:
    """Hive 4.0.0 refuses a wrong expectation, and yet is not relied on; others are."""
    said = version if isinstance(version, Exception) else Struct({0: Field(TType.STRING, version)})
    server.answer = answering(
        **{ALTER: raised(2, "The table has been modified"), "getVersion": said}
    )
    assert client.compares_and_swaps(CHANGE.staged, "a") is holds


def test_each_thread_has_a_connection(client: ThriftMetastore, server: ScriptedServer) -> None:
    """Threads don't share a connection."""
    threads = [threading.Thread(target=alter, args=[client]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.connections == 3


def test_close_closes_and_a_later_call_connects_again(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """A closed client can be used again, on a new connection."""
    alter(client)
    client.close()
    alter(client)
    assert server.connections == 2


def test_close_wakes_a_thread_that_waits(server: ScriptedServer) -> None:
    """A call that is under way when the client is closed ends with an error."""
    asked = threading.Event()
    errors: list[MetastoreError] = []
    closed = ThriftMetastore(server.uri)

    def never(_method: str, _arguments: Struct) -> Answer:
        asked.set()
        return None

    def waiting() -> None:
        with pytest.raises(MetastoreError) as caught:
            alter(closed)
        errors.append(caught.value)

    server.answer = never
    thread = threading.Thread(target=waiting)
    thread.start()
    assert asked.wait(10)
    closed.close()
    thread.join(10)
    assert len(errors) == 1


def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def test_the_next_server_is_tried_when_one_is_gone(server: ScriptedServer) -> None:
    """The first server of the list that takes a connection is used."""
    with scripted_server() as second:
        uris = f"thrift://127.0.0.1:{closed_port()}, {server.uri},{second.uri}"
        alter(ThriftMetastore(uris))
        assert (server.methods, second.methods) == ([ALTER], [])


def test_no_server_is_an_error_that_names_them_all() -> None:
    """The message of a call that reached nobody has every address with its reason."""
    ports = closed_port(), closed_port()
    client = ThriftMetastore(",".join(f"thrift://127.0.0.1:{port}" for port in ports))
    with pytest.raises(MetastoreError) as caught:
        alter(client)
    assert all(f"127.0.0.1:{port}: " in str(caught.value) for port in ports)
    assert str(caught.value).count("refused") == 2


def test_a_call_that_failed_is_not_made_on_the_next_server(server: ScriptedServer) -> None:
    """The list is for connections; a call that was sent is never sent to another server."""
    server.answer = answering(**{ALTER: HangUpError()})
    with scripted_server() as second:
        with pytest.raises(MetastoreError):
            alter(ThriftMetastore(f"{server.uri},{second.uri}"))
        assert (server.methods, second.methods) == ([ALTER], [])


def test_the_server_is_told_for_whom_it_acts(server: ScriptedServer) -> None:
    """The user is named once on every connection, before anything else."""
    client = ThriftMetastore(server.uri, user="ann")
    alter(client)
    alter(client)
    assert server.methods == ["set_ugi", ALTER, ALTER]
    assert server.asked[0][1].text(1) == "ann"


@pytest.mark.parametrize("uris", ["", " , ", "host:9083", "thrift://host", "thrift://host:port"])
def test_uris_that_cannot_be_read_are_refused_at_once(uris: str) -> None:
    """A URI without scheme, host or port is an error that says so before any call."""
    with pytest.raises(MetastoreError, match=r"hive\.metastore\.uris"):
        ThriftMetastore(uris)


def test_a_server_of_another_protocol_is_named_as_the_likely_cause() -> None:
    """Of an answer in HTTP, Thrift only says that it has read 0 bytes."""
    with servers.answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        store = ThriftMetastore(f"thrift://127.0.0.1:{port}")
        with pytest.raises(MetastoreError, match="another protocol at this port, such as HTTP or"):
            store.databases()
