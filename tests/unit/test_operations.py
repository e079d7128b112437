"""Run-operations: which models they mean, and what they print."""

import json

import pytest

from dbt.adapters.ctas_spark import operations
from dbt.adapters.ctas_spark.operations import text_of
from dbt.adapters.ctas_spark.staging.errors import StagingError
from fakes.world import TARGET_NAME, World


def node(name: str, materialized: str = "atomic_table", schema: str = "shop") -> dict[str, object]:
    """A model of dbt's graph."""
    return {
        "unique_id": f"model.p.{name}",
        "resource_type": "model",
        "name": name,
        "alias": name.upper(),
        "database": "spark_catalog",
        "schema": schema,
        "description": "",
        "config": {"materialized": materialized, "versions_to_keep": 0, "grace_period": 0},
    }


GRAPH = {
    "nodes": {
        each["name"]: each
        for each in (
            node("orders"),
            node("customers", "table", "sales"),
            node("looked_at", "view"),
            {**node("elsewhere"), "database": "ice"},
            {**node("a_test"), "resource_type": "test"},
        )
    }
}


def targets(**chosen: str) -> list[str]:
    """The tables that a choice means."""
    return [str(m.context.target) for m in operations.models(GRAPH, None, **chosen)]


def test_every_published_model_is_meant_without_a_choice() -> None:
    """In every catalog; views and tests have no versions."""
    assert targets() == ["shop.orders", "sales.customers", "ice.shop.ELSEWHERE"]


def test_a_model_or_a_schema_can_be_chosen() -> None:
    """By the model's name, or by the schema in any case."""
    assert targets(name="customers") == ["sales.customers"]
    assert targets(schema="SHOP") == ["shop.orders", "ice.shop.ELSEWHERE"]


def test_a_model_that_is_not_there_is_an_error() -> None:
    """A mistyped name is not "nothing to do"."""
    with pytest.raises(StagingError, match="there is no model order "):
        targets(name="order")


def test_a_vacuum_says_what_became_of_each_version() -> None:
    """Deleted and kept ones, with the reason; a dry run says what it would do."""
    world = World()
    old, live = world.published(), world.published()
    (model,) = operations.models(GRAPH, None, name="orders")
    rows = operations.vacuum(world.catalog(), model, None, dry_run=True)
    assert rows == [
        {"table": str(TARGET_NAME), "version": old.version, "state": "would be deleted"},
        {"table": str(TARGET_NAME), "version": live.version, "state": "kept: it is the table"},
    ]
    assert operations.vacuum(world.catalog(), model, 10**6, dry_run=False)[1]["version"]
    assert old.version in world.versions_on_storage()
    operations.vacuum(world.catalog(), model, None, dry_run=False)
    assert world.versions_on_storage() == {live.version}


def test_history_rollback_and_recover_answer_in_rows() -> None:
    """What they print is what the core says."""
    world = World()
    old, live = world.published(), world.published()
    (model,) = operations.models(GRAPH, None, name="orders")
    assert operations.recover(world.catalog(), model) == []
    assert operations.go_back(world.catalog(), model, None) == {
        "table": str(TARGET_NAME),
        "version": old.version,
        "replaced": live.version,
        "atomicity": "isolated",
    }
    rows = operations.show_history(world.catalog(), model)
    assert [row["kind"] for row in rows] == ["rollback", "build", "build"]


def test_rows_are_a_table_or_json() -> None:
    """A person reads whole ids, a program gets what JSON knows; no rows are said, too."""
    rows: list[dict[str, object]] = [
        {"version": "v" * 40, "rows": None},
        {"version": "w", "rows": 7},
    ]
    table = text_of(rows, as_json=False)
    assert "v" * 40 in table
    assert "| version" in table
    assert json.loads(text_of(rows, as_json=True)) == rows
    assert text_of([], as_json=False) == "nothing"
    assert text_of([], as_json=True) == "[]"
