"""How a Thrift server is connected to: over sockets and HTTP, again and again, and never twice."""

import base64
import itertools
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.cookies import SimpleCookie
from unittest.mock import MagicMock

import pytest
from puresasl.mechanisms import mechanisms

from ctas_spark.engines.thrift import Http, ThriftServer, channel
from ctas_spark.engines.thrift.channel import KERBEROS, LDAP, NONE, Access, Login, Tls
from ctas_spark.engines.thrift.line import Line, connected
from ctas_spark.engines.thrift.results import LostAnswerError, NoLineError, ServerError
from ctas_spark.engines.thrift.session import SESSIONS, ThriftJob, ThriftSession
from ctas_spark.errors import StagingError
from fakes.thrift_http import HttpFront, over_http
from fakes.thrift_server import HOST, Answer, FakeThriftServer
from servers.processes import wait_until

STATEMENT = "CREATE TABLE t AS SELECT 1"


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each pause, which is none here."""
    said: list[float] = []
    monkeypatch.setattr("ctas_spark.engines.thrift.line.time.sleep", said.append)
    return said


@pytest.fixture
def front(server: FakeThriftServer) -> Iterator[HttpFront]:
    """The server behind HTTP."""
    with over_http(server) as running:
        yield running


@pytest.fixture
def sessions() -> Iterator[None]:
    """What a test opens is closed."""
    yield
    SESSIONS.close()


def opened(address: ThriftServer, retries: int = 0) -> ThriftSession:
    """A session as a profile opens it, without settings."""
    server, cookies = replace(address, retries=retries), SimpleCookie()
    return ThriftSession(lambda: connected(server, cookies), retries=retries)


def refusal_of(address: ThriftServer) -> str:
    """What a profile is told that leads there."""
    with pytest.raises(StagingError, match="of this profile does not answer") as caught:
        SESSIONS.get(address, {})
    assert "use_http_transport" in caught.value.remedy
    return caught.value.what


@contextmanager
def saying(words: bytes) -> Iterator[int]:
    """A server that answers every connection with these words; its port."""
    with socket.create_server((HOST, 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    accepted, _ = listening.accept()
                except OSError:
                    return
                accepted.recv(4_096)
                accepted.sendall(words)
                accepted.close()

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def test_statements_go_over_http(server: FakeThriftServer, front: HttpFront) -> None:
    """With the user, the profile's own headers, and the balancer's cookie in each request."""
    server.answers["SELECT"] = Answer((("n", "INT"),), ((7,),))
    session = opened(front.address)
    assert session.sql("SELECT 7 AS n").collect()[0]["n"] == 7
    first, *others = front.requests
    who = base64.b64encode(b"me:x").decode()
    assert {one["Authorization"] for one in front.requests} == {f"Basic {who}"}
    assert {one["X-Tenant"] for one in front.requests} == {"shop"}
    assert "Cookie" not in first
    assert {one["Cookie"] for one in others} == {"AWSALB=a/b+c="}
    session.stop()
    assert server.sessions == set()


def test_a_headers_own_login_wins(front: HttpFront) -> None:
    """A gateway may want a token."""
    token = Http("gateway/hs2", (("Authorization", "Bearer t"),))
    opened(replace(front.address, http=token)).stop()
    assert {one["Authorization"] for one in front.requests} == {"Bearer t"}


@pytest.mark.usefixtures("sessions")
def test_what_http_refuses_is_said(server: FakeThriftServer, front: HttpFront) -> None:
    """A wrong password and a wrong path, at once and without the password."""
    server.admits = base64.b64encode(b"me:open sesame").decode()
    wrong = replace(front.address, access=Access(Login(LDAP, "me", "open barley")), retries=5)
    said = refusal_of(wrong)
    assert "the server refused the login: HTTP 401 Unauthorized" in said
    assert "barley" not in said
    right = Access(Login(LDAP, "me", "open sesame"))
    elsewhere = replace(front.address, access=right, http=Http("elsewhere"))
    assert "no HiveServer2 is at the path /elsewhere: HTTP 404 Not Found" in refusal_of(elsewhere)
    SESSIONS.get(replace(front.address, access=right), {})


def test_a_status_is_asked_for_again(
    server: FakeThriftServer, front: HttpFront, waited: list[float]
) -> None:
    """A balancer may fail in the middle of a statement, which is still sent once."""
    server.held = (STATEMENT,)
    session = opened(front.address, retries=2)
    errors: list[Exception] = []

    def run() -> None:
        try:
            session.sql(STATEMENT)
        except (ServerError, LostAnswerError) as error:
            errors.append(error)

    running = threading.Thread(target=run)
    running.start()
    assert server.began.wait(10.0)
    wait_until(lambda: bool(server.waited_for), 10.0, "the statement")
    front.failures = [502, 503]
    next(iter(server.operations.values())).ended.set()
    running.join()
    assert (errors, server.statements) == ([], [STATEMENT])
    assert waited.count(1.0) >= 1


def test_a_write_is_never_sent_twice(
    server: FakeThriftServer, front: HttpFront, waited: list[float]
) -> None:
    """Nobody knows whether the server has begun it; what reads is asked again."""
    session = opened(front.address, retries=3)
    server.lost = {"ExecuteStatement"}
    for statement in (STATEMENT, "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a"):
        with pytest.raises(LostAnswerError):
            session.sql(statement)
    assert (server.asked.count("ExecuteStatement"), waited) == (2, [])
    with pytest.raises(LostAnswerError):
        session.sql("/* dbt */ -- reads\nSELECT 1")
    assert (server.asked.count("ExecuteStatement"), waited) == (2 + 4, [1.0, 2.0, 4.0])


@pytest.mark.usefixtures("sessions")
def test_a_connection_is_tried_again_with_growing_pauses(
    server: FakeThriftServer, waited: list[float]
) -> None:
    """As often as the profile says."""
    address = replace(server.address, retries=6)
    server.close()
    assert "Connection refused" in refusal_of(address)
    assert waited == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0]


@pytest.mark.usefixtures("sessions")
@pytest.mark.parametrize(
    ("words", "access", "http", "said"),
    [
        (b"", Access(), None, "the server closed the connection without an answer"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", Access(), None, "speaks another protocol"),
        (b"hello, who is there?\r\n", Access(tls=Tls()), None, "does not speak TLS at this port"),
        (b"\x15\x03\x03\x00\x02\x02P", Access(), Http(), "speaks another protocol"),
        (b"", Access(), Http(), "closed"),  # by its own words, or by a reset
        (b"\x03\x00\x00\x00\x02no", Access(), None, "the server refused the login: no"),
    ],
)
def test_another_protocol_is_no_hang(
    words: bytes, access: Access, http: Http | None, said: str
) -> None:
    """Whatever answers at the port, the error comes within the connection's time."""
    with saying(words) as port:
        assert said in refusal_of(ThriftServer(HOST, port, access, http))


@pytest.mark.usefixtures("sessions")
def test_a_file_of_certificates_has_to_be_there(server: FakeThriftServer) -> None:
    """Its name is in the error."""
    address = replace(server.address, access=Access(tls=Tls("/nowhere/ca.pem")), retries=5)
    assert "the file of certificates /nowhere/ca.pem can't be read" in refusal_of(address)


def test_a_line_leads_to_the_sessions_server(server: FakeThriftServer) -> None:
    """A balancer may lead elsewhere: the connection is made anew until it knows the session."""
    session = opened(server.address)
    turns = itertools.chain([True, True], itertools.repeat(False))
    server.is_another = lambda: next(turns)
    session.sql("SELECT 1")
    assert (server.connections, server.statements) == (1 + 3, ["SELECT 1"])


def test_each_request_is_sent_until_it_meets_the_sessions_server(
    server: FakeThriftServer, front: HttpFront
) -> None:
    """Over HTTP no connection stays; nothing is left there, neither statements nor the session."""
    session = opened(front.address)
    turns = itertools.cycle([True, True, False])
    server.is_another = lambda: next(turns)
    server.answers["SELECT"] = Answer((("n", "INT"),), ((7,),))
    assert [row["n"] for row in session.sql("SELECT 7 AS n").collect()] == [7]
    assert server.statements == ["SELECT 7 AS n"]
    assert server.operations == {}
    session.stop()
    assert server.sessions == set()


def test_a_session_that_no_server_knows_has_ended(server: FakeThriftServer) -> None:
    """After as many connections as a balancer can be expected to need."""
    session = opened(server.address)
    server.is_another = lambda: True
    with pytest.raises(ServerError, match="lead to other servers"):
        session.sql("SELECT 1")


def test_a_session_gives_signs_of_life(
    server: FakeThriftServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nothing in between ends the connection that the session ends with."""
    monkeypatch.setattr("ctas_spark.engines.thrift.session.KEEP_SECONDS", 0.01)
    session = opened(server.address)
    wait_until(lambda: server.asked.count("GetInfo") > 3, 10.0, "signs of life")
    session.stop()


def test_a_sign_of_life_waits_as_long_as_a_statement(
    server: FakeThriftServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may pause for longer than a connection may take: its session and jobs live on."""
    monkeypatch.setattr("ctas_spark.engines.thrift.session.KEEP_SECONDS", 0.01)
    server.may_answer.clear()
    access = replace(server.address.access, seconds=0.05)
    session = opened(replace(server.address, access=access))
    wait_until(lambda: "GetInfo" in server.asked, 10.0, "a sign of life")
    time.sleep(0.2)
    server.may_answer.set()
    wait_until(lambda: server.asked.count("GetInfo") > 2, 10.0, "others over the same connection")
    assert server.connections == 1
    session.stop()
    assert server.sessions == set()


def test_a_line_that_is_replaced_is_closed(server: FakeThriftServer) -> None:
    """Balancers end idle ones, and long runs would collect them."""
    lines: list[Line] = []
    session = ThriftSession(lambda: lines.append(Line(server.address)) or lines[-1])  # type: ignore[func-returns-value]
    for number in range(3):
        session.sql(f"SELECT {number}")
        server.hang_up()
    session.sql("SELECT 3")
    assert [one._is_closed for one in lines] == [False, True, True, True, False]  # noqa: SLF001
    session.stop()
    with pytest.raises(NoLineError, match="was closed by this process"):
        session.sql("SELECT 4")


def test_an_idle_line_is_tried_first(
    server: FakeThriftServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that a balancer has forgotten is replaced before a statement goes over it."""
    session = opened(server.address)
    session.sql("SELECT 1")
    monkeypatch.setattr("ctas_spark.engines.thrift.line.IDLE_SECONDS", 0.0)
    session.sql("SELECT 2")
    assert server.connections == 2
    server.lost = {"GetInfo"}
    session.sql("SELECT 3")
    assert server.connections > 2
    assert server.statements == ["SELECT 1", "SELECT 2", "SELECT 3"]


def test_kerberos_says_what_it_lacks(front: HttpFront, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package that is missing, or Kerberos' own most particular words."""
    by_ticket = Access(Login(KERBEROS, kerberos_service_name="hive"))
    monkeypatch.setitem(sys.modules, "kerberos", None)
    with pytest.raises(NoLineError, match=r"dbt-ctas-spark\[kerberos\]"):
        connected(replace(front.address, access=by_ticket))
    monkeypatch.setattr("puresasl.mechanisms.have_kerberos", False)
    monkeypatch.delitem(mechanisms, "GSSAPI", raising=False)
    with saying(b"") as port, pytest.raises(NoLineError, match=r"dbt-ctas-spark\[kerberos\]"):
        connected(ThriftServer(HOST, port, by_ticket))
    error = type("GSSError", (Exception,), {"__module__": "kerberos"})(
        ("Unspecified GSS failure", 851968), ("Ticket expired", -1765328352)
    )
    assert channel.words_of(error) == "Kerberos: Ticket expired"


def test_any_password_is_sent_where_none_is_looked_at() -> None:
    """SASL wants one."""
    plain = channel.Sasl(MagicMock(), HOST, Login(NONE, "me"))
    assert plain.sasl.process() == b"\0me\0x"


@pytest.mark.parametrize("is_restarted", [True, False])
def test_a_server_that_does_not_know_the_statement_says_nothing_of_it(
    server: FakeThriftServer, *, is_restarted: bool
) -> None:
    """It may run on another one, and may yet commit: so it has neither failed nor ended."""
    server.held = (STATEMENT,)
    session = opened(server.address)
    job, errors = ThriftJob(session, "model.a", threading.Event(), 10.0), []

    def run() -> None:
        job.attach()
        try:
            session.sql(STATEMENT)
        except (ServerError, LostAnswerError) as error:
            errors.append(type(error))

    running = threading.Thread(target=run)
    running.start()
    wait_until(lambda: bool(server.waited_for), 10.0, "the statement")
    server.operations.clear()
    if is_restarted:
        server.sessions.clear()
        server.hang_up()
    running.join()
    assert [issubclass(one, LostAnswerError) for one in errors] == [True]
    assert not job.stop()
