"""What a publication keeps of its target, and what is read after it, in three runs."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from pyspark.sql import SparkSession

from ctas_spark.engines.jvm import shared_state
from functional.dbt_project import NAME, Project, Run, new_project
from functional.outside import Outside
from servers.metastore import Metastore

LATER = "{% if var('n') > 1 %}STATEMENT{% endif %}"
LOG = LATER.replace(
    "STATEMENT", "insert into {{ target.schema }}.log select 'HOOK', n from {{ this }}"
)
ALTERS = LATER.replace("STATEMENT", "alter table {{ this }} set tblproperties ('by_hook' = 'yes')")
HOOKS = {
    "pre-hook": [
        LOG.replace("HOOK", "pre"),
        ALTERS,
        {"sql": LOG.replace("HOOK", "outside"), "transaction": False},
    ],
    "post-hook": [LOG.replace("HOOK", "post")],
}
PROJECT = {
    "name": NAME,
    "version": "1.0.0",
    "profile": NAME,
    "on-run-start": "create table if not exists {{ target.schema }}.log (w string, n int)",
    "models": {NAME: {"orders": HOOKS}},
}
FILES = {
    "dbt_project.yml": json.dumps(PROJECT),
    "models/orders.sql": "{{ config(materialized='table') }} select {{ var('n') }} as n",
    "models/follows.sql": "{{ config(materialized='table') }} select n from {{ ref('orders') }}",
    "models/turned.sql": "{{ config(materialized=var('as')) }} select {{ var('n') }} as n",
    "models/broken.sql": (
        "{{ config(materialized=var('as')) }} "
        "select {{ 'no_such_column' if var('as') == 'view' else var('n') }} as n"
    ),
    "tests/orders_fit.sql": "select n from {{ ref('orders') }} where n != {{ var('n') }}",
}
USER = "analyst"


@dataclass(slots=True)
class Story:
    """The project and what was seen of it between its runs."""

    project: Project
    outside: Outside
    runs: list[Run] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)

    def value(self, table: str) -> int:
        """The one value of a table, read by a new session."""
        (row,) = self.project.rows(f"select n from {{schema}}.{table}")
        found: int = row.n
        return found


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory, metastore: Metastore) -> Story:
    """Tables; then a build in which some become views; then a full refresh to tables again."""
    project = new_project(tmp_path_factory.mktemp("around"), metastore)
    told = Story(project, Outside(metastore, project.schema))
    project.write(FILES)
    told.runs.append(project.build(n=1, **{"as": "table"}))
    before_the_second(told)
    told.runs.append(project.dbt("build", n=2, **{"as": "view"}))
    after_the_second(told)
    told.runs.append(project.dbt("run", "--full-refresh", n=3, **{"as": "table"}))
    return told


def before_the_second(told: Story) -> None:
    """Others grant, analyze and cache; the version of ``turned`` is noted."""
    told.outside.grant("orders", USER, "SELECT")
    told.seen["granted"] = told.outside.privileges("orders", USER)
    told.project.rows("analyze table {schema}.orders compute statistics for columns n")
    told.seen["analyzed"] = statistics(told.outside.parameters("orders"))
    told.seen["directory"] = told.outside.directory("turned")
    session, schema = SparkSession.active(), told.project.schema
    session.sql(f"create view {schema}.over as select n + 0 as n from {schema}.orders")
    for table in ("orders", "over"):
        session.sql(f"cache table {schema}.{table}")
        assert session.table(f"{schema}.{table}").first() == (1,)


def after_the_second(told: Story) -> None:
    """What stands in metastore, storage and the session's caches."""
    told.seen["after"] = told.outside.parameters("orders")
    told.seen["types"] = {
        table: told.outside.entry(table).tableType for table in ("turned", "broken")
    }
    told.seen["tables"] = told.outside.tables()
    told.seen["values"] = {table: told.value(table) for table in ("turned", "broken", "follows")}
    told.seen["records"] = told.outside.records()
    told.seen["files"] = list(told.seen["directory"].glob("*.parquet"))
    session, schema = SparkSession.active(), told.project.schema
    for table in ("orders", "over"):
        told.seen[f"cached {table}"] = session.table(f"{schema}.{table}").first()
    told.seen["is in memory"] = not shared_state(session).cacheManager().isEmpty()
    told.seen["shown"] = told.project.dbt(
        "show", "--inline", "select n as shown from {{ ref('orders') }}", n=2, **{"as": "view"}
    ).log


def statistics(parameters: dict[str, str]) -> list[str]:
    """Spark's statistics of columns."""
    return [key for key in parameters if key.startswith("spark.sql.statistics.colStats")]


def test_privileges_hang_on_the_table_and_survive(story: Story) -> None:
    """What was granted on the table is granted on every later version."""
    assert [each.grantInfo.privilege for each in story.seen["granted"]] == ["SELECT"]
    assert story.outside.privileges("orders", USER) == story.seen["granted"]


def test_column_statistics_of_the_old_version_are_gone(story: Story) -> None:
    """Spark never plans the new version by what the old one held."""
    assert story.seen["analyzed"]
    assert statistics(story.seen["after"]) == []


def test_hooks_run_before_begin_and_after_the_commit(story: Story) -> None:
    """A pre-hook sees the old version and may change the table; a post-hook sees the new one.

    Spark has no transactions: hooks outside of one run like all others.
    """
    logged = story.project.rows("select w, n from {schema}.log")
    assert sorted((row.n, row.w) for row in logged) == [
        (1, "outside"),
        (1, "pre"),
        (2, "outside"),
        (2, "post"),
        (2, "pre"),
        (3, "post"),
    ]
    assert story.seen["after"]["by_hook"] == "yes"


def test_what_follows_in_the_same_run_reads_the_new_version(story: Story) -> None:
    """A following model and a test read what was just published; dbt show does, too."""
    second = story.runs[1]
    assert second.results["orders_fit"]["status"] == "pass"
    assert story.seen["values"]["follows"] == 2
    assert "|     2 |" in story.seen["shown"]


def test_cached_rows_of_the_old_version_are_not_read(story: Story) -> None:
    """What CACHE TABLE kept of the table, or of a view over it, is not even in memory any more."""
    assert story.seen["cached orders"] == (2,)
    assert story.seen["cached over"] == (2,)
    assert not story.seen["is in memory"]


def test_a_view_takes_the_place_of_a_table(story: Story) -> None:
    """The entry is a view then; the version's files and record stay for a later clean-up."""
    assert story.seen["types"]["turned"] == "VIRTUAL_VIEW"
    assert story.seen["values"]["turned"] == 2
    assert story.seen["files"]
    assert any(name.startswith("turned__") for name in story.seen["records"])
    assert not any("dbt_tmp" in name for name in story.seen["tables"])


def test_a_view_that_spark_refuses_costs_no_table(story: Story) -> None:
    """A model that becomes a view and fails leaves the table of the run before."""
    assert "no_such_column" in story.runs[1].message("broken")
    assert story.seen["types"]["broken"] == "EXTERNAL_TABLE"
    assert story.seen["values"]["broken"] == 1


def test_a_view_that_exists_is_altered(project: Project) -> None:
    """What a user has set on it stays, as it would not if it were dropped and created again."""
    view = "{{ config(materialized='view') }} select {{ var('columns') }}"
    project.write({"models/orders.sql": view})
    project.build(columns="1 as n")
    SparkSession.active().sql(f"alter view {project.schema}.orders set tblproperties ('a' = 'b')")
    project.build(columns="'x' as m, 2 as n")
    assert project.rows("select * from {schema}.orders") == [("x", 2)]
    properties = project.rows("show tblproperties {schema}.orders")
    assert ("a", "b") in [tuple(row) for row in properties]

    failed = project.dbt("run", columns="no_such_column as n")
    assert "no_such_column" in failed.message("orders")
    assert project.rows("select * from {schema}.orders") == [("x", 2)]


def test_a_view_with_comments_is_created_anew(project: Project) -> None:
    """Only that sets them."""
    view = "{{ config(materialized='view', persist_docs={'relation': true}) }} select 1 as n"
    models = "models: [{name: orders, description: %s}]"
    for text in ("first", "second"):
        project.write({"models/orders.sql": view, "models/orders.yml": models % text})
        project.build()
        described = {row[0]: row[1] for row in project.rows("describe extended {schema}.orders")}
        assert described["Comment"] == text


def test_a_table_takes_the_place_of_a_view(story: Story) -> None:
    """A view's place is taken by the same one call, and so is a table's under --full-refresh."""
    third = story.runs[2]
    assert third.success
    assert third.response("turned")["outcome"] == "committed"
    assert "base_version" not in third.response("turned")
    assert third.response("orders")["base_version"] == story.runs[1].response("orders")["version"]
    assert [story.value(table) for table in ("turned", "broken", "orders")] == [3, 3, 3]
