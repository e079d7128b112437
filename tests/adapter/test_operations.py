"""Run-operations: which models they mean, and what they print."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.context import StagingContext, TableName
from ctas_spark.errors import (
    ConfigurationError,
    InvalidArgumentError,
    MetastoreError,
    NoSuchModelError,
    OperationIncompleteError,
    StorageError,
)
from ctas_spark.retention.rules import Event, Sweep
from dbt.adapters.ctas_spark import operations
from dbt.adapters.ctas_spark.project import Project
from dbt.adapters.ctas_spark.text_tables import text_of
from fakes.graph import GRAPH, node
from fakes.world import TARGET_NAME, World

ROOT = Path(__file__).parents[2]
HELP = (ROOT / "dbt/include/ctas_spark/macros/operations/ctas_help.sql").read_text()
DOCS = (ROOT / "docs/operations.md").read_text()
WRONG = {"materialized": "table", "grace_period": "1h"}
VACUUM = ["version", "|", "state", "|"]
ALL = {"json": True}
COLUMNS = 100
"""Of a terminal."""


def run(name: str, known: Project, arguments: Mapping[str, Any]) -> str:
    """What an operation prints."""
    return operations.run(name, known, arguments).text


def project(world: World | None = None) -> Project:
    """The project, on one catalog."""
    catalog = (world or World()).catalog()
    return Project(GRAPH, None, lambda _context: catalog)


def event(time: str) -> Event:
    """A publication at that time."""
    return Event("v", "c", time, "build", "kept", None, None, "")


def targets(**chosen: str) -> list[str]:
    """The tables that a choice means."""
    known = project()
    return [str(known.plan(one).context.target) for one in known.nodes(chosen)]


def rows(world: World, name: str, **arguments: object) -> list[dict[str, object]]:
    """What an operation prints as JSON."""
    printed = run(name, project(world), {**arguments, "json": True})
    found: list[dict[str, object]] = json.loads(printed)
    return found


def test_every_published_model_is_meant_without_a_choice() -> None:
    """In every catalog; views and tests have no versions."""
    assert targets() == ["sales.customers", "ice.shop.ELSEWHERE", "shop.orders"]


def test_a_model_or_a_schema_can_be_chosen() -> None:
    """By the model's name, or by the schema in any case."""
    assert targets(model="customers") == ["sales.customers"]
    assert targets(schema="SHOP") == ["ice.shop.ELSEWHERE", "shop.orders"]


def test_a_model_that_is_not_there_is_an_error() -> None:
    """A mistyped name is not "nothing to do"; the nearest names come first."""
    with pytest.raises(NoSuchModelError, match="no table is published for model order\n") as caught:
        targets(model="order")
    assert caught.value.remedy.endswith("the nearest models are: orders")
    with pytest.raises(NoSuchModelError) as caught:
        targets(model="zzz")
    assert caught.value.remedy.endswith("have one; dbt ls lists the nodes of the project")
    with pytest.raises(NoSuchModelError, match="for model orders and schema sales\n"):
        targets(model="orders", schema="sales")
    with pytest.raises(NoSuchModelError, match="for schema sale\n") as caught:
        targets(schema="sale")
    assert caught.value.remedy.endswith("the nearest schemas are: sales")


def test_a_vacuum_says_what_became_of_each_version() -> None:
    """Deleted and kept ones, with the reason; a dry run says what it would do."""
    world = World()
    old, live = world.published(), world.published()
    assert rows(world, "ctas_vacuum", model="orders", dry_run=True) == [
        {"table": str(TARGET_NAME), "version": old.version, "state": "would be deleted"},
        {"table": str(TARGET_NAME), "version": live.version, "state": "kept: it is the table"},
    ]
    kept = rows(world, "ctas_vacuum", model="orders", older_than=10**6)
    assert "readers that resolved it" in str(kept[1]["state"])
    assert old.version in world.versions_on_storage()
    rows(world, "ctas_vacuum", model="orders")
    assert world.versions_on_storage() == {live.version}


def test_a_vacuum_of_all_searches_the_metastore_once() -> None:
    """What may go of every table is taken before anything is deleted."""
    world, customers = World(), TableName("sales", "customers")
    world.metastore.databases |= {"sales": "file:/s", "sales__ctas_spark": "file:/s"}
    for _ in range(2):
        world.published()
        world.published(target=customers, staging_schema="sales__ctas_spark")
    world.metastore.calls.clear()
    states = [one["state"] for one in rows(world, "ctas_vacuum") if "state" in one]
    assert states.count("deleted") == 2
    assert world.metastore.calls.count("databases") == 1


def test_a_vacuum_of_all_finds_what_no_model_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was renamed or removed; its rows say whose it is, and its schema can be chosen."""
    world = World()
    old = world.published()
    world.metastore.tables.pop(TARGET_NAME)
    rows(world, "ctas_vacuum")
    monkeypatch.setitem(GRAPH["nodes"], "orders", node("orders", "view"))
    states = {"table": f"{TARGET_NAME} (no model)", "version": old.version}
    assert old.version in str(rows(world, "ctas_vacuum"))  # notes that the table is gone
    for schema in ({}, {"schema": "shop"}):
        would = rows(world, "ctas_vacuum", older_than=0, dry_run=True, **schema)
        assert {**states, "state": "would be deleted"} in would
    assert old.version not in str(rows(world, "ctas_vacuum", older_than=0, schema="sales"))
    assert {**states, "state": "deleted"} in rows(world, "ctas_vacuum", older_than=0)
    assert world.versions_on_storage() == set()


def test_older_than_replaces_grace_and_orphan_age() -> None:
    """So that a table can be tidied at once."""
    world = World()
    orphan = world.begun()
    world.clock.pass_ms(1_000)
    live = world.published()
    states = {r["version"]: r["state"] for r in rows(world, "ctas_vacuum", model="orders")}
    assert "so recent that" in str(states[orphan.version])
    assert orphan.version in world.versions_on_storage()
    rows(world, "ctas_vacuum", model="orders", older_than=0)
    assert world.versions_on_storage() == {live.version}


def test_a_fence_lets_old_attempts_go() -> None:
    """The table's version stays."""
    world = World()
    live, orphan = world.published(), world.begun()
    found = rows(world, "ctas_vacuum", model="orders", older_than=0)
    states = {r["version"]: r["state"] for r in found}
    assert "may still publish it" in str(states[orphan.version])
    rows(world, "ctas_vacuum", model="orders", older_than=0, fence=True)
    assert world.versions_on_storage() == {live.version}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"older_than": "3600"}, "older_than: '3600' is not a number of seconds"),
        ({"older_than": -1}, "older_than: -1 is not a number of seconds"),
        ({"older_than": True}, "older_than: True is not a number of seconds"),
        ({"dry_run": "yes"}, "dry_run: 'yes' is not true or false"),
        ({"fence": 1}, "fence: 1 is not true or false"),
        ({"metastore": "moved"}, "metastore: 'moved' is not one of same, clone"),
        ({"model": 7}, "model: 7 is not the name of a model"),
        ({"modle": "orders"}, "modle: unknown (it takes model, schema, older_than, dry_run"),
        ({"fence": 1, "dry": 1}, "dry: unknown (it takes"),
    ],
)
def test_a_wrong_argument_is_an_error(arguments: dict[str, object], said: str) -> None:
    """``dry_run: 'false'`` would be true; nothing is guessed, and nothing is done."""
    with pytest.raises(InvalidArgumentError, match="ctas_vacuum can't be run") as caught:
        run("ctas_vacuum", project(), arguments)
    assert said in str(caught.value)


def test_a_rollback_needs_a_model() -> None:
    """The error shows how to give it."""
    with pytest.raises(InvalidArgumentError, match="model: missing") as caught:
        run("ctas_rollback", project(), {"version": "v1"})
    assert "dbt run-operation ctas_rollback --args '{model: orders}'" in caught.value.remedy


def test_the_help_and_the_docs_name_every_argument() -> None:
    """Each operation has a row in both, and each argument one in the help, in 100 columns."""
    assert max(map(len, HELP.splitlines())) <= COLUMNS
    for name, arguments in operations.ARGUMENTS.items():
        section = HELP.split(f"| {name} ")[1].split("| ctas_")[0].split("| the four")[0]
        rows = [row.split("|")[2].strip() for row in section.splitlines()[1:] if "|" in row]
        own = tuple(one for one in arguments if one != "json")
        assert tuple(dict.fromkeys(one.split(":")[0] for one in rows if one)) == own
        listed = ", ".join(f"`{one}`" for one in own)
        assert f"| `{name}` | {listed} |" in DOCS


def test_a_metastore_that_moved_is_told_once() -> None:
    """Then its versions may be deleted again."""
    world = World()
    old, live = world.published(), world.published()
    world.address = "thrift://elsewhere:9083"
    states = {r["version"]: r["state"] for r in rows(world, "ctas_vacuum", model="orders")}
    assert "another address" in str(states[old.version])
    rows(world, "ctas_vacuum", model="orders", metastore="same")
    assert world.versions_on_storage() == {live.version}


def test_a_wrong_config_of_one_model_is_a_row() -> None:
    """The other models are looked after; named by itself it is an error."""
    world = World()
    world.published()
    wrong = {**node("broken"), "config": WRONG}
    graph = {"nodes": {"broken": wrong, **GRAPH["nodes"]}}
    known = Project(graph, None, lambda _context: world.catalog())
    found = json.loads(run("ctas_vacuum", known, {"schema": "shop", "json": True}))
    wrong_value = "[INVALID_CONFIGURATION] grace_period: '1h' is not a number of seconds"
    assert found[0] == {"table": "shop.broken", "failed": wrong_value}
    assert found[1]["table"] == str(TARGET_NAME)
    printed = run("ctas_vacuum", known, {"schema": "shop"}).splitlines()
    assert printed[0].split() == ["|", "table", "|", *VACUUM]
    assert printed[-1] == f"shop.broken failed: {wrong_value}"
    with pytest.raises(ConfigurationError):
        run("ctas_vacuum", known, {"model": "broken"})


@pytest.mark.parametrize("name", ["ctas_vacuum", "ctas_recover", "ctas_history"])
@pytest.mark.parametrize(
    "error", [StorageError("refused"), MetastoreError("no answer"), ConnectionResetError("gone")]
)
def test_a_table_that_can_not_be_looked_at_stops_none_of_the_others(
    name: str, error: Exception
) -> None:
    """Whatever refused to answer is a row, and the operation ends with an error."""
    world = World()
    world.published()

    def catalog_for(context: StagingContext) -> Any:
        if context.target.table.lower() != "elsewhere":
            return world.catalog()
        raise error

    outcome = operations.run(name, replace(project(), catalog_for=catalog_for), {})
    (failed,) = outcome.failed
    assert failed.lower() == "ice.shop.elsewhere"
    assert f"{failed} failed: " in outcome.text
    with pytest.raises(OperationIncompleteError, match=f"{name} failed for {failed}"):
        outcome.require_all(name)


def test_a_version_that_can_not_be_deleted_is_a_row() -> None:
    """With its error, next to those of the others; and the operation ends with an error."""
    swept = Sweep(freed=["dir/one"], failed={"two": StorageError("refused: dir/two")})
    catalog: Any = SimpleNamespace(begin_clean_up=lambda *_, **__: lambda: swept)
    known = Project(GRAPH, None, lambda _context: catalog)
    outcome = operations.run("ctas_vacuum", known, {"model": "orders"})
    assert "| one     | deleted |" in outcome.text
    assert outcome.text.splitlines()[-1] == "shop.orders two failed: refused: dir/two"
    assert outcome.failed == ("shop.orders",)


def test_history_rollback_and_recover_answer_in_rows() -> None:
    """What they print is what the core says."""
    world = World()
    old, live = world.published(), world.published()
    assert rows(world, "ctas_recover", model="orders") == []
    assert rows(world, "ctas_rollback", model="orders") == [
        {
            "table": str(TARGET_NAME),
            "version": old.version,
            "replaced": live.version,
            "atomicity": "isolated",
        }
    ]
    found = rows(world, "ctas_history", model="orders")
    assert [row["kind"] for row in found] == ["rollback", "build", "build"]
    assert {row["table"] for row in found} == {str(TARGET_NAME)}


def test_without_rows_it_is_said_what_was_looked_at() -> None:
    """Tables that nobody has built, or a project that publishes none."""
    said = run("ctas_recover", project(), {"schema": "shop"})
    assert said == "ctas_recover found nothing; it looked at ice.shop.ELSEWHERE, shop.orders"
    empty = Project({"nodes": {}}, None, lambda _context: World().catalog())
    assert run("ctas_vacuum", empty, {}).endswith("it looked at no table")


def test_the_history_of_a_project_is_its_last_publications() -> None:
    """Of all tables by time, the newest first; a table that can't be looked at comes before."""
    times = {"orders": ("2026-01-03", "2026-01-01"), "customers": ("2026-01-02",) * 40}
    catalogs = {
        name: SimpleNamespace(history=lambda _, found=found: [event(time) for time in found])
        for name, found in times.items()
    }
    known = Project(GRAPH, None, lambda context: catalogs[context.target.table.lower()])
    nodes = {**GRAPH["nodes"], "broken": {**node("broken"), "config": WRONG}}
    del nodes["elsewhere"]
    found = json.loads(run("ctas_history", replace(known, graph={"nodes": nodes}), ALL))
    assert "failed" in found[0]
    assert [row["time"] for row in found[1:]] == ["2026-01-03", *["2026-01-02"] * 38]


def test_rows_are_a_table_or_json() -> None:
    """A person reads whole ids, a program gets what JSON knows; no rows are said, too."""
    shown: list[dict[str, object]] = [
        {"version": "v" * 40, "rows": None},
        {"version": "w", "rows": 7},
    ]
    table = text_of(shown, as_json=False)
    assert "v" * 40 in table
    assert "| version" in table
    assert json.loads(text_of(shown, as_json=True)) == shown
    assert text_of([], as_json=True) == "[]"


def test_a_rollback_is_of_one_of_a_models_versions() -> None:
    """Both have the model's name; ``orders.v2`` means what it means in --select."""
    nodes = {
        name: {**node(name), "name": "orders", "version": number}
        for number, name in enumerate(("orders_v1", "orders_v2"), 1)
    }
    versioned = replace(project(), graph={"nodes": nodes})
    chosen = versioned.nodes({"model": "orders.v2"})
    assert [one["alias"] for one in chosen] == ["ORDERS_V2"]
    with pytest.raises(InvalidArgumentError, match="2 have that name") as caught:
        run("ctas_rollback", versioned, {"model": "orders"})
    assert "model.p.orders_v1, model.p.orders_v2" in caught.value.remedy
