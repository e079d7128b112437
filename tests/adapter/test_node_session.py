"""Which nodes and statements get a session of their own."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ctas_spark import temporary
from ctas_spark.engines import clones, jvm
from ctas_spark.errors import NotSupportedError
from dbt.adapters.ctas_spark import invocation
from dbt.adapters.ctas_spark.credentials import SESSION
from dbt.adapters.ctas_spark.node_session import NodeSession, SessionsOfBatches, may_change
from dbt.adapters.ctas_spark.node_state import RunningNode
from dbt.adapters.ctas_spark.shared_settings import NodeSettings


class Session(str):
    """One that is known by its name."""

    __slots__ = ("__weakref__",)


class Handle:
    """A thread's statements, in a session that is known by its name."""

    canceled = False

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.of_run = self.spark = cast("Any", Session("run"))
        monkeypatch.setattr(clones, "clone", "{}'s".format)
        monkeypatch.setattr(jvm, "is_local", lambda _: True)
        monkeypatch.setattr(jvm, "forget_session", print)
        monkeypatch.setattr(temporary, "forget_functions", print)

    def use(self, spark: Any) -> None:
        self.spark = spark


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Handle:
    """One in the run's session."""
    return Handle(monkeypatch)


def node(resource_type: str = "model", **config: Any) -> Any:
    """A node of the kind, with this configuration."""
    shown = SimpleNamespace(materialized=config.get("materialized", "table"), get=config.get)
    return SimpleNamespace(resource_type=resource_type, config=shown, language="sql")


@pytest.mark.parametrize(
    "sql",
    [
        "set a = 1",
        "/* {dbt: yes} */\n reset a",
        "-- why\nuse elsewhere",
        "declare variable x = 1",
        "create or replace temporary view mine as select 1",
        "create temp function f as 'a.B'",
        "drop temporary function f",
        "drop view if exists mine",
        "drop view `mine`",
        "drop view mine ;",
        "cache table t",
        "begin set x = 1; end",
        "execute immediate 'set x = 1'",
    ],
)
def test_a_statement_that_changes_the_session_runs_in_one_of_the_node(
    handle: Handle, sql: str
) -> None:
    """And so do all after it, until the node ends."""
    session = NodeSession(node(), SessionsOfBatches())
    session.note(handle, sql)
    assert handle.spark == "run's"
    session.note(handle, "set b = 2")
    assert handle.spark == "run's"
    session.end()
    assert handle.spark == "run"


@pytest.mark.parametrize(
    "sql",
    [
        "select 1",
        "insert into settings select 1",
        "create view v as select 1",
        "drop view if exists shop.orders",
        "create or replace temporary view `orders__dbt_tmp` as select 1",
    ],
)
def test_a_statement_that_changes_nothing_of_it_runs_in_the_run_s(handle: Handle, sql: str) -> None:
    """The views of the adapter's own are none that another node can mean."""
    session = NodeSession(node(), SessionsOfBatches())
    session.note(handle, sql)
    assert handle.spark == "run"
    session.end()


@pytest.mark.parametrize(
    "context",
    [None, node("operation"), node("function"), node(materialized="temporary_view")],
)
def test_what_is_for_the_nodes_that_follow_is_made_in_the_run_s(
    handle: Handle, context: Any
) -> None:
    """The run's hooks, and nodes that make temporary objects."""
    session = NodeSession(context, SessionsOfBatches())
    session.part(handle)
    session.note(handle, "cache table t")
    assert handle.spark == "run"


def test_what_such_a_node_sets_is_set_back(handle: Handle, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the session that it shares with the run; the run's own hooks set for all."""
    set_by = []
    monkeypatch.setattr(NodeSettings, "note", lambda _self, sql, _: set_by.append(sql))
    for context in (node("operation"), node("function"), node(materialized="temporary_view")):
        NodeSession(context, SessionsOfBatches()).note(handle, f"set a = {context.resource_type}")
    assert set_by == ["set a = function", "set a = model"]


@pytest.mark.parametrize("config", [{"pre_hook": ["select 1"]}, {"sql_header": "set a = 1"}])
def test_a_node_with_statements_of_its_user_may_change_its_session(config: Any) -> None:
    """That is known before its table is planned; of a plain one it is not."""
    assert may_change(node(**config))
    assert not may_change(node())
    assert may_change(SimpleNamespace(config=node().config, language="python"))


def test_a_session_of_its_own_begins_with_nothing_that_a_node_has_set(
    handle: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that make temporary objects set it in the run's, from which it is cloned."""
    taken = []
    monkeypatch.setattr(NodeSettings, "note", lambda _self, sql, _: taken.append(sql))
    monkeypatch.setattr(clones, "clone", lambda _: taken.append("clone"))
    NodeSession(node(), SessionsOfBatches()).part(handle)
    assert taken == ["", "clone"]


def test_the_end_of_a_run_holds_no_session_of_a_node(
    handle: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old versions are looked after by the run's catalogs, and a node's go with it."""

    class Opened:
        """Catalogs that say whose they are."""

        def __init__(self, whose: str) -> None:
            self.whose = whose

        def in_session(self, spark: str) -> "Opened":
            return Opened(spark)

        def catalog_for(self, _context: Any) -> str:
            return f"{self.whose} catalog"

    method = SimpleNamespace(open_catalogs=lambda *_: Opened("run"))
    monkeypatch.setattr(invocation, "METHODS", {SESSION: method})
    connections: Any = SimpleNamespace(
        running=RunningNode(), get_thread_connection=lambda: SimpleNamespace(handle=handle)
    )
    profile: Any = SimpleNamespace(method=SESSION, hide_secrets=str)
    shared = invocation.Invocation(connections, profile, cast("Any", None))
    session = connections.running.state.session = NodeSession(node(), SessionsOfBatches())
    context: Any = None
    for own in ("run", "run's"):
        found = shared.catalogs.catalog_for(context)
        assert str(found) == f"{own} catalog"
        assert str(shared.of_run(found, context)) == "run catalog"
        session.part(handle)


def test_later_batches_begin_with_the_session_of_the_first(
    handle: Handle, capsys: pytest.CaptureFixture[str]
) -> None:
    """dbt runs pre-hooks before that alone, and leaves them out of the others' configuration."""
    batches = SessionsOfBatches()
    seen = []
    for config in ({"pre_hook": ["set a = 1"]}, {}, {"sql_header": "set a = 2"}):
        batch = node(**config)
        batch.unique_id, batch.batch = "model.p.batched", "one"
        session = NodeSession(batch, batches)
        session.begin(batch, handle)
        seen.append(handle.spark)
        session.end()
    assert seen == ["run's", "run's's", "run's's"]
    assert handle.spark == "run"
    assert capsys.readouterr().out.split() == ["run's's"] * 4
    batches.close()
    assert capsys.readouterr().out.split() == ["run's"] * 2


@pytest.mark.parametrize("sql", ["reset", "RESET ;", "/* all */ reset"])
def test_taking_back_all_settings_is_refused(handle: Handle, sql: str) -> None:
    """It would take those of the profile from the node."""
    with pytest.raises(NotSupportedError, match="RESET would also undo"):
        NodeSession(node(), SessionsOfBatches()).note(handle, sql)
