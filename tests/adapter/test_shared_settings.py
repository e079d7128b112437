"""A node's own statements, and the settings that end with it."""

import threading
import time
from collections.abc import Mapping

import pytest
from py4j.protocol import Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.errors.exceptions.connect import SparkConnectGrpcException

from ctas_spark.errors import ServerNotReachedError
from dbt.adapters.ctas_spark.shared_settings import NodeSettings
from dbt.adapters.ctas_spark.turns import POLL_SECONDS


class Session:
    """Spark's settings; those in ``fixed`` can't be changed after its start.

    Answers to later calls are ``lost``, each once.
    """

    def __init__(self, values: Mapping[str, str], fixed: tuple[str, ...] = ()) -> None:
        self.conf = self
        self.values = dict(values)
        self.fixed = fixed
        self.end: Exception | None = None
        self.lost: list[Exception] = []

    def get(self, name: str, default: str | None) -> str | None:
        return self.values.get(name, default)

    def set(self, name: str, value: str) -> None:
        self._check(name)
        self.values[name] = value

    def unset(self, name: str) -> None:
        self._check(name)
        del self.values[name]

    def sql(self, statement: str) -> "Session":
        """One that has only a current schema."""
        if statement.startswith("USE "):
            self.values["schema"] = statement.removeprefix("USE ")
        return self

    def collect(self) -> list[dict[str, str]]:
        catalog, schema = self.values["schema"].split(".")
        return [{"c": catalog.strip("`"), "s": schema}]

    def _check(self, name: str) -> None:
        if self.lost:
            raise self.lost.pop()
        if self.end is not None:
            raise self.end
        if name in self.fixed:
            raise PySparkException("[CANNOT_MODIFY_CONFIG]")


def note(node: NodeSettings, sql: str) -> None:
    """The node runs a statement, and nobody cancels it."""
    node.note(sql, lambda: False)


def test_a_secret_that_a_server_hides_is_not_set_to_asterisks() -> None:
    """What the node sets stays."""
    session = Session({"a": "*********(redacted)"})
    node = NodeSettings(session)
    note(node, "set a = b")
    session.values["a"] = "b"
    node.restore()
    assert session.values == {"a": "b"}


def test_a_setting_that_can_not_be_set_back_stops_no_other() -> None:
    """Spark refuses some after its start."""
    session = Session({"b": "old"}, fixed=("a",))
    node = NodeSettings(session)
    for name in "ab":
        note(node, f"set {name} = new")
        session.values[name] = "new"
    node.restore()
    assert session.values == {"a": "new", "b": "old"}


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("/* {dbt: yes} */\n set `a-b`=1", "a-b"),
        ("-- why\nSET a.b.c = x y", "a.b.c"),
        ("reset a", "a"),
        ("set time zone 'UTC'", "spark.sql.session.timeZone"),
    ],
)
def test_what_a_node_set_is_set_back(sql: str, name: str) -> None:
    """In every way that Spark's SQL has; what it did not have is unset again."""
    for before in ({name: "old"}, {}):
        session = Session(before)
        node = NodeSettings(session)
        note(node, sql)
        session.values[name] = "new"
        node.restore()
        assert session.values == before


@pytest.mark.parametrize("sql", ["use other", "-- why\nUSE a.b ;", "set catalog other"])
def test_the_current_schema_is_set_back(sql: str) -> None:
    """Whichever part of its path the node has changed."""
    session = Session({"schema": "`ice`.shop"})
    node = NodeSettings(session)
    note(node, sql)
    session.values["schema"] = "`other`.default"
    node.restore()
    assert session.values == {"schema": "`ice`.shop"}


@pytest.mark.parametrize(
    "sql", ["set a", "set var x = 1", "select 1", "/* a */ select 1 /* b */ set c = 1", "/**/" * 99]
)
def test_other_statements_are_left_alone(sql: str) -> None:
    """Even what begins with SET may only show a setting."""
    session = Session({})
    session.end = AssertionError("nothing is set, and nothing is asked for")
    node = NodeSettings(session)
    note(node, sql)
    node.restore()


def test_a_setting_stays_while_another_node_needs_it() -> None:
    """Its old value comes back with the end of the last node that has set it."""
    session = Session({"a": "old", "theirs": "x"})
    first, second = NodeSettings(session), NodeSettings(session)
    for number, node in enumerate((first, second)):
        note(node, "set a = b")
        session.values["a"] = f"by {number}"
    first.restore()
    assert session.values == {"a": "by 1", "theirs": "x"}
    second.restore()
    assert session.values == {"a": "old", "theirs": "x"}


@pytest.mark.parametrize("end", [Py4JNetworkError("empty"), ConnectionRefusedError(111, "refused")])
def test_an_ended_spark_has_no_settings_to_set_back(end: Exception) -> None:
    """The model's own error is the one to tell."""
    session = Session({"a": "old"})
    node = NodeSettings(session)
    note(node, "set a = b")
    session.end = end
    node.restore()


LOST = [ConnectionError("lost"), SparkConnectGrpcException("status = StatusCode.UNAVAILABLE")]
"""A lost answer over Thrift, and over Spark Connect."""


@pytest.mark.parametrize("lost", LOST)
def test_what_could_not_be_set_back_is_before_the_next_statement(lost: Exception) -> None:
    """A server's answer may be lost, and the nodes that follow share its session."""
    session = Session({"a": "old"})
    first, second = NodeSettings(session), NodeSettings(session)
    note(first, "set a = b")
    session.values["a"] = "b"
    session.end = lost
    first.restore()
    assert session.values == {"a": "b"}
    with pytest.raises(ServerNotReachedError, match="a still has the value that an earlier node"):
        note(second, "select 1")
    session.end = None
    note(second, "select 1")
    assert session.values == {"a": "old"}


def test_a_node_that_has_waited_for_its_turn_runs_under_nobodys_settings() -> None:
    """The answer to the one before it was lost while it waited."""
    session = Session({"a": "old"})
    first = NodeSettings(session)
    note(first, "set a = b")
    session.values["a"] = "b"
    waiting = threading.Thread(target=lambda: note(NodeSettings(session), "select 1"))
    waiting.start()
    time.sleep(2 * POLL_SECONDS)
    session.lost.append(ConnectionError("lost"))
    first.restore()
    waiting.join()
    assert session.values == {"a": "old"}


def test_what_connect_refuses_by_name_is_an_answer() -> None:
    """Such as a setting that the server alone can have: nothing waits for it."""
    session = Session({"a": "old"})
    node = NodeSettings(session)
    note(node, "set a = b")
    session.end = SparkConnectGrpcException("[CANNOT_MODIFY_CONFIG] a is the server's")
    node.restore()
    note(NodeSettings(session), "select 1")
