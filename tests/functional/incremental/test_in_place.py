"""Increments of files in place: checked first, by names, and only then is anything changed."""

import json
from dataclasses import replace
from datetime import date

from functional import changed_rows
from functional.changed_rows import IN_ANY_FORMAT, MERGED, NESTED, SYNCS, Case
from functional.dbt_project import Project

DROPPED = Case(
    SYNCS,
    "select 1 as id, 2 as gone",
    "select 2 as id",
    ((1, 2),),
    "a table of files can't drop it",
)
OF_FILES = {
    **IN_ANY_FORMAT,
    **MERGED,
    "dropped": DROPPED,
    "nested_version": replace(NESTED, config="atomicity='atomic'"),
}
DOCS = "description: '{0} table', columns: [{{name: id, description: '{0} column'}}]"
PERSISTED = "persist_docs: {relation: true, columns: true}"
KEPT = f"config: {{unique_key: id, strategy: check, check_cols: [id], {PERSISTED}}}"
BATCHED = (
    "{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='at', "
    "batch_size='day', begin='2026-03-08', partition_by='d'%s) }} "
    "select id, at, to_date(at) as d from {{ ref('events') }}"
)
EVENTS = (
    "{{ config(event_time='at', materialized='table') }} "
    "select id, cast(at as timestamp) as at, to_date(timestamp(at) - interval 5 hours) as d "
    "from values (1, '2026-03-08 23:30:00Z'), (2, '2026-03-09 00:30:00Z'), "
    "(3, '2026-03-09 23:30:00Z') as t(id, at)"
)
SHIFTED = (BATCHED % "").replace("to_date(at)", "to_date(at - interval 5 hours)")
COARSE = (BATCHED % "").replace("to_date(at)", "date_format(at, 'yyyy-MM')")
FIXED = (
    "{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='at', "
    "batch_size='day', begin='2026-03-08', partition_by='d') }} select %s, 1 as d"
)
OUTSIDE = (
    "[USER_RAISED_EXCEPTION] microbatch: the model's query returned a row whose at is NULL or "
    "outside the batch from 2026-03-08"
)
DAYS = "--event-time-start=2026-03-08", "--event-time-end=2026-03-10"


def test_what_rows_do_not_fit_is_known_before_the_table_changes(project: Project) -> None:
    """And what fits is written where its name is, whatever its case and its place."""
    project.write(changed_rows.files(OF_FILES))
    first = project.dbt("run")
    assert first.success, first.log
    then = project.dbt("run")
    for name, case in OF_FILES.items():
        found = project.rows(changed_rows.query(name, project.schema))
        assert tuple(map(tuple, found)) == case.rows, (name, then.message(name))
        assert case.refused in then.message(name), name
        assert (then.results[name]["status"] == "success") is not bool(case.refused), name


def test_comments_follow_the_model(project: Project) -> None:
    """Of the table and of its columns, in place as with a version, and of seeds and snapshots."""
    config = "materialized='incremental', persist_docs={'relation': true, 'columns': true}"
    model = f"{{{{ config({config}) }}}} select 1 as id, 2 as part"
    for text in ("old", "new"):
        said = DOCS.format(text)
        snapshot = f"{{name: kept, relation: ref('docs'), {KEPT}, {said}}}"
        project.write(
            {
                "models/docs.sql": model,
                "models/docs.yml": f"models: [{{name: docs, {said}}}]",
                "seeds/given.csv": "id\n1\n",
                "seeds/given.yml": f"seeds: [{{name: given, config: {{{PERSISTED}}}, {said}}}]",
                "snapshots/kept.yml": f"snapshots: [{snapshot}]",
            }
        )
        run = project.dbt("build")
        assert run.success, run.log
        for name in ("docs", "given", "kept"):
            rows = project.rows(f"describe extended {{schema}}.{name}")
            described = {row[0]: row[1:] for row in rows}
            assert described["id"][1] == f"{text} column", name
            assert described["Comment"][0] == f"{text} table", name


def test_a_batch_replaces_no_rows_of_another(project: Project) -> None:
    """Days of another zone hold rows of two batches: in place that is refused, a version has them.

    What the query's expressions don't tell, the rows do: that statement fails before it commits.
    """
    given = (BATCHED % "").replace("to_date(at) as d", "d")
    project.write(
        {
            "models/events.sql": EVENTS,
            "models/utc.sql": BATCHED % "",
            "models/given.sql": given,
            "models/shifted.sql": SHIFTED,
            "models/coarse.sql": f"with months as ({COARSE}) select * from months",
            "models/versions.sql": SHIFTED.replace("'d')", "'d', atomicity='atomic')"),
            "models/fixed.sql": FIXED % "timestamp'2026-03-20 12:00:00' as at",
            "models/timeless.sql": FIXED % "1 as id",
        }
    )
    for _ in range(2):
        run = project.dbt("run", *DAYS)
        for name in ("utc", "versions"):
            found = project.rows(f"select id from {{schema}}.{name} order by id")
            assert found == [(1,), (2,), (3,)], name
        assert "microbatch: a partition (d)" in run.log
        assert project.rows("select id from {schema}.given") == [(1,)]
        for name in ("shifted", "coarse"):
            said = f"configuration error in model.tested.{name}; no job was started"
            assert said in run.log, run.log
        assert "partition_by: a partition (d) with rows of the batch from 2026-03-08" in run.log
        assert "Partition by the UTC day of at" in run.log
        assert OUTSIDE in run.log
        assert "there is no column at in the model's rows, by which microbatch" in run.log
    refused = "shifted|coarse|fixed|timeless"
    assert project.rows(f"show tables in {{schema}} like '{refused}'") == []


def test_a_later_batch_is_refused_as_the_first_one_is(project: Project) -> None:
    """The table is as it was, and no job has run."""
    project.write({"models/events.sql": EVENTS, "models/m.sql": BATCHED % ""})
    assert project.dbt("run", *DAYS).success
    project.write({"models/m.sql": SHIFTED})
    run = project.dbt("run", "--select", "m", *DAYS)
    assert "; no job was started" in run.log
    assert project.rows("select id, d from {schema}.m order by id") == [
        (1, date(2026, 3, 8)),
        (2, date(2026, 3, 9)),
        (3, date(2026, 3, 9)),
    ]


def test_rows_added_in_place_are_said_wherever_a_table_is_looked_at(project: Project) -> None:
    """At the end of the run, in the history, by a rollback, and in dbt's docs; never as 0."""
    added = "{{ config(materialized='incremental', grace_period=0) }} select id from range(5)"
    project.write(
        {
            "models/added.sql": added,
            "models/once.sql": added,
            "snapshots/kept.sql": "{% snapshot kept %}{{ config(unique_key='id', strategy='check', "
            "check_cols=['id']) }} select id from range(4){% endsnapshot %}",
        }
    )
    assert "at level none" not in project.dbt("build").log
    assert "| none  |" in (again := project.dbt("run", "--select=added").log)
    assert again.count("Tables at level none were written in place; with atomicity: isolated") == 1
    listed = project.dbt("run-operation", "ctas_history", "--args={model: added}").log
    assert "| 5 + " in listed
    assert "+: a statement has added or replaced rows of this version in place since" in listed
    refused = project.dbt("run-operation", "ctas_rollback", "--args={model: added}").log
    said = "none is kept. Rows that an incremental model adds in place make no version: with "
    assert f"{said}atomicity: isolated each run publishes one" in refused
    assert project.dbt("docs", "generate").success
    nodes = json.loads((project.directory / "target" / "catalog.json").read_text())["nodes"]
    found = {one.rpartition(".")[2]: node for one, node in nodes.items()}
    rows = {one: node["stats"].get("rows", {}).get("value") for one, node in found.items()}
    assert rows == {"added": None, "once": 5, "kept": 4}
    assert {node["columns"]["id"]["type"] for node in found.values()} == {"bigint"}


NEW_YORK = "sql_header='set spark.sql.session.timeZone = America/New_York'"
HOURLY = (
    f"{{{{ config(materialized='incremental', partition_by='h', {NEW_YORK}, %s) }}}} "
    "select id, at, date_trunc('hour', at) as h from (%s)"
)
BY_HOUR = (
    "incremental_strategy='microbatch', event_time='at', batch_size='hour', begin='2026-11-01'"
)
OF_BATCH = (
    "select 1 as id, timestamp('{{ model.batch.event_time_start.strftime('%Y-%m-%d %H:30:00Z') }}')"
    " as at"
)
HOURS = "--event-time-start=2026-11-01 05:00:00", "--event-time-end=2026-11-01 07:00:00"


def test_the_hour_that_a_change_of_the_clocks_repeats_is_one_partition(project: Project) -> None:
    """Two hours of UTC have one directory: neither replaces the other, and none comes twice.

    Whether the query tells that before any job, or the rows do.
    """
    known = f"{OF_BATCH} from range(1)"
    by_query = known.replace("as at", "+ make_dt_interval(0, 0, id) as at")
    overwritten = "incremental_strategy='insert_overwrite', atomicity='isolated'"
    late = "select 1 as id, timestamp'2026-11-01 06:30:00Z' as at"
    project.write(
        {
            "models/told.sql": HOURLY % (BY_HOUR, by_query),
            "models/found.sql": HOURLY % (BY_HOUR, OF_BATCH),
            "models/version.sql": HOURLY % (overwritten, late),
            "models/hooked.sql": HOURLY.replace("sql_header", "pre_hook") % (BY_HOUR, known),
        }
    )
    for _ in range(3):
        run = project.dbt("run", *HOURS)
        for name in ("told", "found", "hooked"):
            assert "rows of other batches" in run.log, name
    assert project.rows("select count(*) from {schema}.version") == [(1,)]
    assert project.rows("show tables in {schema} like 'told'") == []
    rows = project.rows("select cast(at as string) as at from {schema}.found")
    assert len(rows) == 1, rows
