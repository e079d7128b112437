"""Previews: every node is a temporary view that shadows its table, which stays as it is."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from functional.dbt_project import Project, Run, new_project
from functional.permanent import Permanent, everything
from functional.previewed import BUILT, BUILT_COUNTS, CHANGED
from servers.metastore import Metastore

AFTER = {"rows": 4, "appended": 5, "merged": 4, "by_part": 3, "history": 4}
"""What the tables would hold with one more row of input."""
BROKEN = {
    **CHANGED,
    "models/totals.sql": "select no_such_column from {{ ref('orders') }}",
    "models/merged.sql": CHANGED["models/merged.sql"] + " where id < 2",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, metastore: Metastore) -> Project:
    """A project whose tables exist."""
    project = new_project(tmp_path_factory.mktemp("previewed"), metastore)
    project.write(BUILT)
    run = project.dbt("build", **BUILT_COUNTS)
    assert run.success, run.log
    return project


@pytest.fixture
def permanent(built: Project, metastore: Metastore) -> Iterator[Permanent]:
    """What there is before a test of the built project, and has to be there after it."""
    before = everything(metastore, built.schema)
    assert f"{built.schema}.totals" in before.entries
    yield before
    assert everything(metastore, built.schema) == before
    assert SparkSession.active().sql("show views in global_temp").collect() == []


def preview(project: Project, *command: str, **variables: object) -> Run:
    """``dbt build`` as a preview, unless another command is given."""
    return project.dbt(*(command or ("build",)), ctas_preview=True, **variables)


@pytest.mark.usefixtures("permanent")
def test_every_kind_of_node_is_previewed(built: Project) -> None:
    """Tests, unit tests and snapshots find the shadows, and the schemas' changes are listed."""
    built.write(CHANGED)
    run = preview(built, ctas_preview_rows=True, **AFTER)
    assert run.success, run.log
    assert {name: run.message(name) for name in ("codes", "totals", "viewed", "made")} == {
        "codes": "preview, 2 rows",
        "totals": "preview, 2 rows",
        "viewed": "preview, 2 rows",
        "made": "preview, 4 rows",
    }
    assert run.response("appended")["rows_affected"] == 2
    assert run.response("merged")["rows_affected"] == 4
    assert run.response("history")["preview"] is True
    assert run.response("totals")["schema_changes"] == [
        "+ code string",
        "twice: bigint -> string",
    ]
    assert f"| totals | {built.schema}.totals | + code string, twice: bigint -> string |" in run.log
    assert f"Tables and views that would be created: {built.schema}.added" in run.log
    assert "left out of the preview, a hook: insert into" in run.log
    assert "left out of the preview, a hook: create table if not exists" in run.log
    assert "a hook: set spark.sql.ansi.enabled" not in run.log


@pytest.mark.usefixtures("permanent")
def test_a_broken_model_and_a_failing_test_are_found(built: Project) -> None:
    """As in a build, and the error is Spark's."""
    built.write(BROKEN)
    run = preview(built, "build", "--exclude=doubles", **{**AFTER, "merged": 5})
    assert not run.success
    assert "no_such_column" in run.message("totals")
    assert run.results["viewed"]["status"] == "skipped"
    failed = [name for name, one in run.results.items() if one["status"] == "fail"]
    assert failed == ["count_merged"]
    published = built.dbt("retry", rows=3)
    assert "the run to retry was a preview" in f"{published.exception}{published.log}"
    retried = built.dbt("retry")
    assert "no_such_column" in retried.message("totals"), retried.log


@pytest.mark.usefixtures("permanent")
def test_what_is_not_selected_is_read_from_its_table(built: Project) -> None:
    """Next to the shadow of what is, and never more rows than the limit of each input."""
    built.write(CHANGED)
    run = preview(built, "run", "--select", "merged", "viewed", rows=9, ctas_preview_rows=True)
    assert run.success, run.log
    assert run.response("merged")["rows_affected"] == 3
    assert run.response("viewed")["rows_affected"] == 2
    few = preview(
        built, "run", "--select", "merged totals", ctas_preview_rows=True, ctas_preview_limit=2
    )
    assert few.success, few.log
    assert few.response("merged")["rows_affected"] == 2


@pytest.mark.usefixtures("permanent")
def test_two_previews_on_one_spark_find_columns_by_their_tables_names(built: Project) -> None:
    """The names of Spark's global temporary views are taken by whoever comes first."""
    built.write(CHANGED)
    built.write(
        {"models/named.sql": "select orders.id from {{ ref('orders') }} where orders.id > 0"}
    )
    other = SparkSession.active().newSession()
    other.range(1).createGlobalTempView("orders")
    try:
        run = preview(built, "run", "--select", "orders", "named", ctas_preview_rows=True)
    finally:
        other.catalog.dropGlobalTempView("orders")
        (built.directory / "models" / "named.sql").unlink()
    assert run.success, run.log
    assert run.response("named")["rows_affected"] == 2


@pytest.mark.usefixtures("permanent")
def test_nothing_that_writes_is_run(built: Project) -> None:
    """Whatever a macro tries, failures that are to be stored, and a run-operation included."""
    writes = "{% if execute %}{% do run_query('drop table ' ~ this) %}{% endif %}"
    with_insert = "with a as (select 1) insert into {{ this }} select * from a"
    built.write(
        {
            **CHANGED,
            "models/viewed.sql": f"{writes} select 1 as n",
            "models/checked.sql": f"{{% call statement() %}}{with_insert}{{% endcall %}} select 1",
            "models/piped.sql": "select transform (id) using 'cat' as id from {{ ref('orders') }}",
            "models/shelled.sql": "select reflect('java.lang.System', 'nanoTime') as id",
            "macros/hurt.sql": "{% macro hurt() %}{% do run_query('create schema hurt') %}"
            "{% endmacro %}",
        }
    )
    run = preview(built, "build", "--exclude=made", "--store-failures", **AFTER)
    for name in ("viewed", "checked", "piped", "shelled"):
        assert "[NOT_SUPPORTED] a preview writes nothing" in run.message(name)
    assert run.results["count_history"]["status"] == "pass", run.log
    told = preview(built, "run-operation", "hurt")
    assert not told.success
    assert "a preview writes nothing" in told.log


@pytest.mark.usefixtures("permanent")
def test_a_wrong_value_starts_nothing(built: Project) -> None:
    """It would be a build."""
    wrong: list[tuple[dict[str, object], str]] = [
        ({"ctas_preview": "yes"}, "ctas_preview: 'yes' is neither true nor false"),
        ({"ctas_previw": True}, "ctas_previw: unknown; did you mean ctas_preview?"),
        ({"ctas_preview_limit": 5}, "only with ctas_preview: true"),
    ]
    for variables, problem in wrong:
        run = built.dbt("build", **variables)
        assert not run.success
        assert problem in f"{run.exception}"


@pytest.mark.usefixtures("permanent")
def test_the_environment_asks_for_it_too(built: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """And needs no parsing anew, as variables do."""
    monkeypatch.setenv("CTAS_PREVIEW", "true")
    built.write(BUILT)
    run = built.dbt("run", "--select=orders")
    assert run.message("orders") == "preview"


def test_a_project_without_tables_is_previewed(project: Project) -> None:
    """No schema is made; models of batches show all of them."""
    batches = (
        "{{ config(materialized='incremental', incremental_strategy='microbatch', "
        "event_time='at', batch_size='day', begin='2026-01-01', partition_by='at') }} "
        "select id, at from {{ ref('events') }}"
    )
    project.write(
        {
            "models/events.sql": "{{ config(event_time='at') }} select id, "
            "date_add(date'2026-01-01', cast(id as int)) as at from range(3)",
            "models/batches.sql": batches,
            "models/total.sql": "select count(*) as n from {{ ref('batches') }}",
            "tests/all.sql": "select * from {{ ref('total') }} where n <> 3",
        }
    )
    when = ("--event-time-start=2026-01-01", "--event-time-end=2026-01-04")
    run = preview(project, "build", *when)
    assert run.success, run.log
    assert not [row for row in project.rows("show schemas") if row[0] == project.schema]


def test_batches_replace_their_own_rows_alone(project: Project) -> None:
    """As a build's do: a partition may have rows of others, which stay."""
    batches = (
        "{{ config(materialized='incremental', incremental_strategy='microbatch', "
        "event_time='at', batch_size='day', begin='2026-01-01', partition_by='month', "
        "atomicity='isolated') }} select id, at, '1' as month from {{ ref('events') }}"
    )
    project.write(
        {
            "models/events.sql": "{{ config(event_time='at') }} select id, "
            "date_add(date'2026-01-01', cast(id as int)) as at from range(4)",
            "models/batches.sql": batches,
        }
    )
    built = project.dbt("build", "--event-time-start=2026-01-01", "--event-time-end=2026-01-05")
    assert built.success, built.log
    counted = {"models/total.sql": "select count(*) as n from {{ ref('batches') }}"}
    project.write({**counted, "tests/all.sql": "select * from {{ ref('total') }} where n <> 4"})
    run = preview(project, "build", "--event-time-start=2026-01-02", "--event-time-end=2026-01-04")
    assert run.success, run.log


def test_what_a_build_would_refuse_is_refused(project: Project) -> None:
    """An increment, whose configuration says how rows are added, as well as a table."""
    config = "materialized='incremental', on_conflict='overwrite'"
    project.write({"models/events.sql": f"{{{{ config({config}) }}}} select 1 as id"})
    run = preview(project)
    assert "on_conflict: overwrite would lose the rows" in run.message("events")
