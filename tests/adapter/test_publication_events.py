"""Which events the hooks of a dbt run get for a node."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.context import Atomicity
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.hooks import (
    Column,
    Dataset,
    Hooks,
    PublicationEvent,
)
from ctas_spark.options import ModelPlan
from ctas_spark.retention.rules import RetentionRules
from dbt.adapters.ctas_spark import publication_events
from dbt.adapters.ctas_spark.model_build import planned
from dbt.adapters.ctas_spark.node_state import Addition, NodeState
from dbt.adapters.ctas_spark.publication_events import HookDispatcher, hooks_of
from dbt.adapters.ctas_spark.summary import Written
from fakes.hooks import Noting
from fakes.world import World

COLUMNS = (Column("id", "bigint"),)
KEEP = RetentionRules(versions_to_keep=1, grace_ms=0)


class Config(dict[str, Any]):
    """A node's configuration, as dbt has it."""

    @property
    def materialized(self) -> str:
        return str(self["materialized"])


def node(name: str = "orders", kind: str = "table", *, above: tuple[str, ...] = ()) -> Any:
    """A model of dbt's."""
    return SimpleNamespace(
        unique_id=f"model.shop.{name}",
        resource_type="model",
        config=Config(materialized=kind),
        database=None,
        schema="shop",
        alias=name,
        identifier=name,
        search_name=name,
        depends_on_nodes=above,
    )


class Run:
    """One run, whose hook notes what it is told."""

    def __init__(self, *nodes: Any) -> None:
        self.hook = Noting()
        self.state = NodeState()
        known = {one.unique_id: one for one in nodes}
        manifest = SimpleNamespace(nodes=known, sources={})
        hooks = Hooks({"noting": self.hook})
        self.dispatcher = HookDispatcher(hooks, str, lambda: manifest, lambda _: COLUMNS)

    def begins(self, of: Any, world: World | None = None, **asked: Any) -> NodeState:
        """The node begins; with a world it is staged there."""
        self.state = NodeState(of)
        if world is not None:
            plan = ModelPlan(world.context("create_or_replace", **asked), KEEP, 60)
            self.state.build = planned(world.catalog(), plan, world.job)()
            self.dispatcher.created(self.state)
            world.stage(self.state.build.staged)
            self.state.build.staged.verify()
        return self.state

    def ends(self, cause: BaseException | None = None, *, canceled: bool = False) -> Any:
        """The node ends; the event that the hook got for that."""
        build = self.state.build
        if build is not None and cause is not None:
            (build.on_canceled if canceled else build.on_failed)(cause)
        self.dispatcher.ended(self.state, cause, canceled=canceled)
        return self.hook.calls[-1][1] if self.hook.calls else None


def test_a_publication_that_is_committed_has_finished(world: World) -> None:
    """Created first; the end has version, figures, columns and the level that was kept."""
    world.job.counted = WriteFigures(rows=7, files=1, bytes=4)
    run = Run()
    build = run.begins(node(), world).build
    assert build is not None
    build.on_finished()
    ended = run.ends()
    assert run.hook.names == ["on_created", "on_finished"]
    created: PublicationEvent = run.hook.calls[0][1]
    assert created.publication == ended.publication
    assert created.path == ("spark_catalog", "shop", "orders")
    assert (ended.node_id, ended.version) == ("model.shop.orders", build.staged.version)
    assert (ended.rows, ended.files, ended.bytes) == (7, 1, 4)
    assert (ended.asked, ended.level, ended.columns) == ("auto", "isolated", COLUMNS)
    assert ended.error is None
    assert ended.seconds >= 0


@pytest.mark.parametrize("canceled", [False, True])
def test_one_that_is_aborted_has_failed_or_was_canceled(world: World, *, canceled: bool) -> None:
    """The event has the error; no version was published, so none is named."""
    run = Run()
    run.begins(node(), world)
    ended = run.ends(ValueError("broken"), canceled=canceled)
    assert run.hook.names == ["on_created", "on_canceled" if canceled else "on_failed"]
    assert (ended.outcome, ended.version, ended.columns) == ("not_committed", None, ())
    assert (ended.error.name, ended.error.message) == ("ValueError", "broken")


def test_what_fails_after_the_commit_does_not_undo_it(world: World) -> None:
    """A post-hook's error is in the event of a publication that finished."""
    run = Run()
    build = run.begins(node(), world).build
    assert build is not None
    build.on_finished()
    ended = run.ends(ValueError("post-hook"))
    assert run.hook.names == ["on_created", "on_finished"]
    assert (ended.outcome, ended.error.message) == ("committed", "post-hook")


def test_a_table_that_was_not_filled_has_failed(world: World) -> None:
    """At level none the commit publishes an empty version, and a failure leaves it so."""
    run = Run()
    build = run.begins(node(), world, atomicity=Atomicity.NONE).build
    assert build is not None
    build.on_finished()
    ended = run.ends(ValueError("the INSERT failed"))
    assert run.hook.names == ["on_created", "on_failed"]
    assert (ended.outcome, ended.version) == ("committed", build.staged.version)


def test_a_node_that_is_refused_before_it_begins_has_failed() -> None:
    """There is no event of its creation; a view or a test has no events at all."""
    run = Run()
    run.begins(node())
    assert run.ends(ValueError("wrong configuration")).outcome is None
    assert run.hook.names == ["on_failed"]
    for other in (node(kind="view"), SimpleNamespace(**{**vars(node()), "resource_type": "test"})):
        run.begins(other)
        run.ends(ValueError("broken"))
    assert run.hook.names == ["on_failed"]


def test_a_table_that_is_kept_has_finished(world: World) -> None:
    """No job was created for it, and nothing was published."""
    world.published()
    run = Run()
    context = world.context("create_if_not_exists")
    run.state = NodeState(node())
    run.state.build = planned(world.catalog(), ModelPlan(context, KEEP, 60), world.job)()
    run.dispatcher.created(run.state)
    ended = run.ends()
    assert run.hook.names == ["on_finished"]
    assert (ended.outcome, ended.version, ended.rows) == ("kept", None, None)


def test_rows_that_are_written_in_place_are_told_without_a_version() -> None:
    """As far as the statement that added them counted them."""
    run = Run()
    state = run.begins(node(kind="incremental"))
    state.addition = Addition(level=Atomicity.ATOMIC)
    run.dispatcher.created(state)
    state.written = Written.by(state.node, WriteFigures(rows=3))
    ended = run.ends()
    assert run.hook.names == ["on_created", "on_finished"]
    assert (ended.rows, ended.version, ended.outcome) == (3, None, None)
    assert ended.level == "atomic"


def test_inputs_are_the_tables_that_a_node_selects_from(world: World) -> None:
    """Through an ephemeral model; what this run has published has its version and columns."""
    orders, raw = node(), node("raw")
    between = node("between", "ephemeral", above=("model.shop.orders", "model.shop.raw"))
    total = node("total", above=("model.shop.between", "operation.shop.none"))
    run = Run(orders, raw, between)
    build = run.begins(orders, world).build
    assert build is not None
    build.on_finished()
    version = run.ends().version
    run.begins(total)
    assert run.ends(ValueError("broken")).inputs == (
        Dataset(("spark_catalog", "shop", "orders"), COLUMNS, version),
        Dataset(("spark_catalog", "shop", "raw")),
    )


def test_an_event_that_can_not_be_made_fails_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a warning that names the table."""
    said = list[str]()
    monkeypatch.setattr(publication_events, "logger", SimpleNamespace(warning=said.append))
    run, broken = Run(), node()
    del broken.unique_id
    run.dispatcher.created(run.begins(broken))
    assert run.hook.calls == []
    (line,) = said
    assert line.startswith("shop.orders: its hooks were not called: ")


def test_modules_of_the_project_can_be_named(tmp_path: Any) -> None:
    """A hook needs no package; and every hook that can't be made is an error at once.

    ``dbt debug`` has no project and publishes nothing, so it makes none.
    """
    (tmp_path / "own_hooks_of_shop.py").write_text("class Pager:\n    pass\n")
    credentials: Any = SimpleNamespace(
        hooks=["own_hooks_of_shop:Pager"], hook_timeout=1, hide_secrets=str
    )
    assert hooks_of(credentials, str(tmp_path))
    assert not hooks_of(credentials, None)
    credentials.hooks = ["own_hooks_of_shop:Pagr", "json"]
    with pytest.raises(
        Exception, match=r"(?s)2 errors in the profile.*Pagr.*json: there is no such hook"
    ):
        hooks_of(credentials, str(tmp_path))


def test_a_hook_is_that_of_its_project(tmp_path: Path) -> None:
    """A process that runs one project after the other has imported the first one's module."""
    credentials: Any = SimpleNamespace(
        hooks=["hooks_of_two:Pager"], hook_timeout=1, hide_secrets=str
    )
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "hooks_of_two.py").write_text(
            f"class Pager:\n    of = {name!r}\n    def on_finished(self, event): ...\n"
        )
    for name in ("first", "second", "first"):
        assert hooks_of(credentials, str(tmp_path / name))
        assert sys.modules["hooks_of_two"].Pager.of == name
