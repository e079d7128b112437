"""What nodes cost in calls of Spark's JVM."""

import json

import pytest
from pyspark.sql import SparkSession

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import StagingContext, TableName
from ctas_spark.engines import jvm
from functional.dbt_project import Project
from functional.outside import Outside
from round_trips import Counter, counted_by_node

MOST_ROUND_TRIPS = 63
MOST_OF_NODES = {
    "model.tested.table": 69,
    "model.tested.added": 84,
    "model.tested.view": 6,
    "seed": 69,
    "test": 14,
}
"""By how their unique ids begin. In a session that has run much, a table takes two more than in a
new one: another execution stands before its own in Spark's list."""


@pytest.fixture(autouse=True)
def alone(spark: SparkSession) -> None:
    """No other test's session has to forget what is published."""
    jvm._sessions(jvm.classes(spark)).clear()  # noqa: SLF001 (for tests alone)


def test_a_plain_rebuild_takes_few_round_trips(
    spark: SparkSession, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From begin to the end of settle, at most 63 besides the CTAS."""
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {outside.schema}")
    context = StagingContext(TableName(outside.schema, "t"), f"{outside.schema}__ctas_spark")
    opened = CatalogsWithJvm(spark)
    sent = Counter(monkeypatch).of_the_last_rebuild(opened, context)
    opened.close()
    assert len(sent) <= MOST_ROUND_TRIPS


def test_no_node_takes_more_round_trips_than_before(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a node in ``dbt build``, when Spark knows it already.

    In one thread: which of two pays for what is opened once depends on which is first. The first
    table of the thread opens something, so there are more than one.
    """
    tables = dict.fromkeys(
        ("table_1", "table_2", "table_3"), "{{ config(materialized='table') }} select 1 as n"
    )
    views = dict.fromkeys(("view_1", "view_2"), "{{ config(materialized='view') }} select 1 as n")
    adds = "{{ config(materialized='incremental') }} select 1 as n"
    added = dict.fromkeys(("added_1", "added_2"), adds)
    tested = [
        {"name": name, "columns": [{"name": "n", "data_tests": ["unique"]}]} for name in tables
    ]
    project.write(
        {
            **{f"models/{name}.sql": sql for name, sql in {**tables, **views, **added}.items()},
            **dict.fromkeys(("seeds/seed_1.csv", "seeds/seed_2.csv"), "n\n1\n"),
            "models/tests.yml": json.dumps({"models": tested}),
        }
    )
    for _ in range(2):
        jvm._sessions(jvm.classes(SparkSession.active())).clear()  # noqa: SLF001 (as above)
        with counted_by_node(monkeypatch) as counts:
            assert project.dbt("build", "--threads", "1").success
    for kind, most in MOST_OF_NODES.items():
        assert min(count for node, count in counts.items() if node.startswith(kind)) <= most, counts
