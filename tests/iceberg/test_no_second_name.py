"""A REST server that takes no fork, as Polaris by default: versions are staged in SQL."""

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ctas_spark.context import Atomicity
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConcurrentWriteError,
    NoSuchVersionError,
    RefusedError,
)
from ctas_spark.iceberg.tables import IcebergTables
from ctas_spark.retention.rules import RetentionRules
from functional.dbt_project import Project
from iceberg.place import Place

OLD = "SELECT id, 'old' AS name FROM range(3)"
NEW = "SELECT id, 'new' AS name FROM range(2)"
WIDER = "SELECT id, 'new' AS name, 1 AS more FROM range(2)"
OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]
NEW_ROWS = [(0, "new"), (1, "new")]


def test_control_the_server_refuses_a_second_name(inside: Place) -> None:
    """Or these tests would try nothing."""
    inside.publish(OLD)
    tables = IcebergTables(inside.spark, inside.catalog)
    found = tables.find(inside.target)
    assert found is not None
    other = replace(inside.another_name(), database=inside.staging_schema)
    with pytest.raises(RefusedError, match="outside of its namespace"):
        tables.register(other, found.facts.metadata_location)


def test_a_rebuild_of_the_same_columns_is_isolated(inside: Place) -> None:
    """The table is created at its usual place; a branch publishes over it; nothing staged stays."""
    created = inside.publish(OLD)
    assert (created.level, created.reach.strategy) == (Atomicity.ISOLATED, "create")
    place = inside.facts().location
    staged = inside.stage(NEW)
    assert (inside.rows(), staged.reach.strategy) == (OLD_ROWS, "fast_forward")
    staged.commit()
    staged.settle()
    assert (staged.level, inside.rows()) == (Atomicity.ISOLATED, NEW_ROWS)
    assert (inside.facts().location, inside.staged()) == (place, [])
    versions = [event.version for event in inside.staging.history(inside.context())]
    assert versions[0] == staged.version


def test_another_schema_is_published_by_a_copy(inside: Place) -> None:
    """At ``atomic``; a model that asks for ``isolated`` is refused before its job."""
    first, second = inside.publish(OLD), inside.publish(NEW)
    changed = inside.publish(WIDER)
    assert (changed.level, inside.columns()) == (Atomicity.ATOMIC, ["id", "name", "more"])
    versions = [event.version for event in inside.staging.history(inside.context())]
    assert versions == [changed.version, second.version, first.version]
    with pytest.raises(AtomicityNotSupportedError, match="refuses a second name"):
        inside.stage(OLD, inside.context(atomicity=Atomicity.ISOLATED))
    assert len(inside.rows()) == 2


def test_a_rivals_write_is_kept(inside: Place) -> None:
    """As where a fork is staged."""
    inside.publish(OLD)
    staged = inside.stage(NEW)
    inside.spark.sql(f"INSERT INTO {inside.table} VALUES (9, 'theirs')")
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("refused")
    assert inside.rows() == [*OLD_ROWS, (9, "theirs")]


def test_a_vacuum_drops_an_abandoned_branch(inside: Place) -> None:
    """In a run of its own, which has not met the server's refusal."""
    inside.publish(OLD)
    lost = inside.stage(NEW)
    branches = f"SELECT name FROM {inside.table}.refs"
    assert f"ctas_{lost.version}" in str(inside.spark.sql(branches).collect())
    rules = RetentionRules(orphan_age_ms=0, thorough=True)
    inside.another_run().staging.clean_up(inside.context(), rules)
    assert [row.name for row in inside.spark.sql(branches).collect()] == ["main"]
    assert inside.rows() == OLD_ROWS


def test_what_a_branch_published_can_be_rolled_back_to(inside: Place) -> None:
    """Not what a copy replaced: the table's history does not tell of that."""
    created, first, second = (inside.publish(query) for query in (OLD, OLD, NEW))
    assert inside.staging.roll_back(inside.context()).version == first.version
    assert inside.rows() == OLD_ROWS
    with pytest.raises(NoSuchVersionError, match=second.version):
        inside.staging.roll_back(inside.context(), created.version)


def test_dbt_builds_and_rebuilds_a_model(spark: SparkSession, tmp_path: Path) -> None:
    """In results and log as every other model; the first one meets the server's refusal."""
    conf = {"spark.app.name": spark.conf.get("spark.app.name") or ""}
    project = Project(tmp_path, "by_dbt", conf)
    model = "{{ config(materialized='table', database='inside') }} select {{ var('n') }} as n"
    project.write({"models/m.sql": model})
    responses = [project.build(n=n).response("m") for n in (1, 2)]
    assert [one["commit_strategy"] for one in responses] == ["create", "fast_forward"]
    assert {one["atomicity"] for one in responses} == {"isolated"}
    assert project.rows("select n from inside.{schema}.m") == [(2,)]
    log = project.dbt("run-operation", "ctas_history", "--args", "{model: m}").log
    assert responses[1]["version"] in log
