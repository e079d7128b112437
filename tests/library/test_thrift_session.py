"""A session of a Thrift server: one for all threads, and nothing is ever sent twice."""

import threading
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal

import pytest

from ctas_spark.engines.calls import core_errors
from ctas_spark.engines.thrift.line import Line
from ctas_spark.engines.thrift.results import LostAnswerError, ServerError
from ctas_spark.engines.thrift.session import (
    SESSIONS,
    ThriftJob,
    ThriftSession,
)
from ctas_spark.errors import MetastoreError, RefusedError, StagingError
from fakes.thrift_server import Answer, FakeThriftServer, failure
from servers.processes import wait_until

STATEMENT = "CREATE TABLE t AS SELECT 1"


@pytest.fixture
def session(server: FakeThriftServer) -> Iterator[ThriftSession]:
    """A session on it."""
    address = server.address
    opened = ThriftSession(lambda: Line(address))
    yield opened
    opened.stop()


def job_in(session: ThriftSession, seconds: float = 10.0) -> ThriftJob:
    """A model's job."""
    return ThriftJob(session, "model.a", threading.Event(), seconds)


def begun(job: ThriftJob, server: FakeThriftServer, session: ThriftSession) -> "list[Exception]":
    """Run a statement that does not end by itself, in a thread; the errors it ends with."""
    errors: list[Exception] = []
    before = server.waited_for

    def run() -> None:
        job.attach()
        try:
            session.sql(STATEMENT)
        except (ServerError, OSError) as error:
            errors.append(error)

    threading.Thread(target=run, daemon=True).start()
    wait_until(lambda: server.waited_for > before, 10.0, "the statement")
    return errors


def test_values_come_as_pythons(server: FakeThriftServer, session: ThriftSession) -> None:
    """By the protocol's types; what is nested is a text, and null is None."""
    server.answers["SELECT"] = Answer(
        (
            ("b", "BOOLEAN"),
            ("i", "BIGINT"),
            ("d", "DECIMAL(10,2)"),
            ("day", "DATE"),
            ("t", "TIMESTAMP"),
            ("a", "ARRAY"),
            ("s", "STRING"),
            ("f", "FLOAT"),
        ),
        (
            (True, 7, "1.50", "2026-01-02", "2026-01-02 03:04:05.6", '["x"]', None, 3.3),
            (None, None, None, None, "+10000-01-01 00:00:00", None, "text", None),
        ),
    )
    server.answers["DESCRIBE QUERY SELECT"] = Answer(
        (("col_name", "STRING"), ("data_type", "STRING")), (("a", "array<string>"),)
    )
    result = session.sql("SELECT 1")
    first, second = result.collect()
    assert tuple(first) == (
        True,
        7,
        Decimal("1.50"),
        date(2026, 1, 2),
        datetime(2026, 1, 2, 3, 4, 5, 600_000),  # noqa: DTZ001 (a session's own time)
        '["x"]',
        None,
        3.299999952316284,  # of 32 bits
    )
    assert tuple(second) == (None, None, None, None, "+10000-01-01 00:00:00", None, "text", None)
    assert first.asDict()["i"] == 7
    assert result.take(1) == [first]
    types = [(one.name, one.dataType.simpleString()) for one in result.schema.fields]
    assert types[2:4] == [("d", "decimal(10,2)"), ("day", "date")]
    assert types[5] == ("a", "array<string>")


def test_more_than_eight_nulls_are_nulls(server: FakeThriftServer, session: ThriftSession) -> None:
    """Each byte says it of eight rows."""
    rows = tuple((None if number % 3 else number,) for number in range(20))
    server.answers["SELECT"] = Answer((("n", "INT"),), rows)
    assert [tuple(row) for row in session.sql("SELECT n").collect()] == list(rows)


def test_threads_share_the_session_and_no_connection(
    server: FakeThriftServer, session: ThriftSession
) -> None:
    """What one of them refreshes, the others see."""
    thread = threading.Thread(target=session.sql, args=("SELECT 1",))
    thread.start()
    thread.join()
    session.sql("SELECT 2")
    assert (len(server.sessions), server.connections) == (1, 3)
    assert server.operations == {}


def test_settings_are_read_and_set(server: FakeThriftServer, session: ThriftSession) -> None:
    """One that has no value is the default."""
    server.settings["spark.x"] = "1"
    assert session.conf.get("spark.x") == "1"
    assert session.conf.get("spark.y", "none") == "none"
    session.conf.set("spark.z", "a b")
    assert server.statements[-1] == "SET `spark.z`=`a b`"


def test_a_setting_is_asked_for_once_until_it_may_have_changed(
    server: FakeThriftServer, session: ThriftSession
) -> None:
    """By SET, RESET or a statement that runs others; not by what reads or writes tables."""
    kept = "/* dbt */ CREATE TABLE t AS SELECT 1", "REFRESH TABLE t", "SELECT 1", "DROP VIEW v"
    may_change = "SET `spark.x` = 2", "-- mine\nRESET", "EXECUTE IMMEDIATE 'SET spark.x=2'"
    server.settings["spark.x"] = "1"
    for statement in kept:
        session.sql(statement)
        assert session.conf.get("spark.x") == "1"
    assert server.statements.count("SET `spark.x`") == 1
    for times, statement in enumerate(may_change, start=2):
        session.sql(statement)
        session.conf.get("spark.x")
        assert server.statements.count("SET `spark.x`") == times, statement


def test_a_failed_statement_is_refused_by_name(
    server: FakeThriftServer, session: ThriftSession
) -> None:
    """And the connection goes on."""
    server.errors[STATEMENT] = failure(
        "[UNRESOLVED_COLUMN] org.apache.spark.sql.catalyst.ExtendedAnalysisException: "
        "[UNRESOLVED_COLUMN] no such column"
    )
    with pytest.raises(RefusedError, match="no such column"), core_errors("publish t"):
        session.sql(STATEMENT)
    session.sql("SELECT 1")
    assert server.connections == 2


@pytest.mark.parametrize("method", ["ExecuteStatement", "GetOperationStatus"])
def test_a_lost_answer_is_never_asked_for_again(
    server: FakeThriftServer, session: ThriftSession, method: str
) -> None:
    """Nobody knows what became of the statement; the next one has a new connection."""
    server.lost = {method}
    with pytest.raises(MetastoreError) as caught, core_errors("publish t"):
        session.sql(STATEMENT)
    assert type(caught.value) is MetastoreError
    assert server.statements in ([], [STATEMENT])
    server.lost = set()
    session.sql("SELECT 1")
    assert server.connections == 3


def test_a_cancel_ends_the_jobs_statements_and_no_others(
    server: FakeThriftServer, session: ThriftSession
) -> None:
    """At once, over another connection than the one that waits."""
    server.held = (STATEMENT,)
    mine, others = job_in(session), job_in(session)
    errors, left = begun(mine, server, session), begun(others, server, session)
    mine.cancel()
    wait_until(lambda: bool(errors), 10.0, "the end of the cancelled statement")
    assert "OPERATION_CANCELED" in str(errors[0])
    assert mine.stop()
    assert (left, server.running()) == ([], [STATEMENT])


def test_a_statement_that_begins_while_it_is_cancelled_is_ended(
    server: FakeThriftServer, session: ThriftSession
) -> None:
    """The waiting thread cancels it once the server has given it a name."""
    server.held = (STATEMENT,)
    server.may_answer.clear()
    job, ends = job_in(session), threading.Event()

    def run() -> None:
        job.attach()
        with pytest.raises(ServerError, match="OPERATION_CANCELED"):
            session.sql(STATEMENT)
        ends.set()

    threading.Thread(target=run, daemon=True).start()
    assert server.began.wait(10.0)
    job.cancel()
    server.may_answer.set()
    assert ends.wait(10.0)
    assert job.stop()


def test_without_a_connection_nothing_of_a_job_runs(
    server: FakeThriftServer, session: ThriftSession
) -> None:
    """What was never sent need not be stopped."""
    job = job_in(session)
    job.attach()
    server.close()
    with pytest.raises(LostAnswerError):
        session.sql(STATEMENT)
    assert job.stop()


def test_what_follows_a_stop_is_not_part_of_the_job(
    server: FakeThriftServer, session: ThriftSession
) -> None:
    """Clean-up runs to its end."""
    job = job_in(session)
    job.attach()
    session.sql(STATEMENT)
    job.cancel()
    assert job.stop()
    server.held = ("DROP",)
    cleaning = threading.Thread(target=session.sql, args=("DROP TABLE t",), daemon=True)
    cleaning.start()
    wait_until(lambda: bool(server.running()), 10.0, "the clean-up")
    operation = next(iter(server.operations.values()))
    assert not operation.canceled
    operation.ended.set()
    cleaning.join()


def test_a_statement_whose_answer_was_lost_is_stopped(
    server: FakeThriftServer, session: ThriftSession
) -> None:
    """Over a new connection; only then may what it wrote be removed."""
    server.held = (STATEMENT,)
    job = job_in(session)
    errors = begun(job, server, session)
    server.hang_up()
    wait_until(lambda: bool(errors), 10.0, "the lost answer")
    assert isinstance(errors[0], LostAnswerError)
    assert server.running() == [STATEMENT]
    assert job.stop()
    assert server.running() == []


@pytest.mark.parametrize("is_gone", [True, False])
def test_it_is_not_known_whether_it_has_stopped(
    server: FakeThriftServer, session: ThriftSession, *, is_gone: bool
) -> None:
    """Without a server, or where the statement's own name was lost."""
    server.lost = {"GetOperationStatus" if is_gone else "ExecuteStatement"}
    job = job_in(session)
    job.attach()
    with pytest.raises(LostAnswerError):
        session.sql(STATEMENT)
    if is_gone:
        server.close()
    assert not job.stop()


def test_a_session_gets_the_profiles_settings(server: FakeThriftServer) -> None:
    """Once for an invocation; it ends with it."""
    session = SESSIONS.get(server.address, {"spark.sql.shuffle.partitions": "3"})
    assert SESSIONS.get(server.address, {"spark.sql.shuffle.partitions": "3"}) is session
    assert server.settings["spark.sql.shuffle.partitions"] == "3"
    assert server.settings["spark.sql.ansi.enabled"] == "false"
    assert server.statements == []
    SESSIONS.close()
    assert server.sessions == set()


def test_settings_of_the_server_are_refused_at_once(server: FakeThriftServer) -> None:
    """All of them, and the session is given back."""
    server.refused = ("spark.driver.memory", "spark.jars")
    settings = dict.fromkeys((*server.refused, "spark.sql.x"), "1")
    with pytest.raises(StagingError, match=r"can have: spark\.driver\.memory, spark\.jars"):
        SESSIONS.get(server.address, settings)
    assert server.sessions == set()


def test_a_server_that_does_not_answer_is_said(server: FakeThriftServer) -> None:
    """With what to look at."""
    address = server.address
    server.close()
    with pytest.raises(StagingError, match=r"does not answer: .*Connection refused") as caught:
        SESSIONS.get(address, {})
    assert "host, port, auth and user" in caught.value.remedy


def test_a_password_lets_in(server: FakeThriftServer) -> None:
    """And a wrong one is said, without the word itself."""
    server.admits = "open sesame"
    right, wrong = server.address_for("open sesame"), server.address_for("open barley")
    assert SESSIONS.get(right, {}).conf.get("spark.x", "none") == "none"
    SESSIONS.close()
    with pytest.raises(StagingError, match="Error validating the login") as caught:
        SESSIONS.get(wrong, {})
    assert "barley" not in str(caught.value)


def test_a_closed_session_says_so(server: FakeThriftServer, session: ThriftSession) -> None:
    """As after a restart of the server."""
    server.sessions.clear()
    with pytest.raises(
        ServerError, match=r"\[SPARK_ENDED\] the session on the Thrift server has ended"
    ):
        session.sql("SELECT 1")
