"""Increments of files in place: checked first, by names, and only then is anything changed."""

from dataclasses import replace

from functional import changed_rows
from functional.changed_rows import IN_ANY_FORMAT, NESTED, SYNCS, Case
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
    "dropped": DROPPED,
    "nested_version": replace(NESTED, config="atomicity='atomic'"),
    "nested_merged": replace(NESTED, config="incremental_strategy='merge', unique_key='id'"),
}
DOCS = """
models:
- {name: docs, description: '%s table', columns: [{name: id, description: '%s column'}]}
"""
BATCHED = (
    "{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='at', "
    "batch_size='day', begin='2026-03-08', partition_by='d'%s) }} "
    "select id, at, to_date(at) as d from {{ ref('events') }}"
)
EVENTS = (
    "{{ config(event_time='at') }} select id, cast(at as timestamp) as at from values "
    "(1, '2026-03-08 23:30:00Z'), (2, '2026-03-09 00:30:00Z'), (3, '2026-03-09 23:30:00Z') "
    "as t(id, at)"
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
    """Of the table and of its columns, in place as with a version."""
    config = "materialized='incremental', persist_docs={'relation': true, 'columns': true}"
    model = f"{{{{ config({config}) }}}} select 1 as id, 2 as part"
    for text in ("old", "new"):
        project.write({"models/docs.sql": model, "models/docs.yml": DOCS % (text, text)})
        project.build()
        described = {row[0]: row[1:] for row in project.rows("describe extended {schema}.docs")}
        assert described["id"] == ("int", f"{text} column")
        assert described["Comment"][0] == f"{text} table"


def test_a_batch_replaces_no_rows_of_another(project: Project) -> None:
    """Days of another zone hold rows of two batches: in place that fails, a version has them."""
    shifted = (BATCHED % "").replace("to_date(at)", "to_date(at - interval 5 hours)")
    project.write(
        {
            "models/events.sql": EVENTS,
            "models/utc.sql": BATCHED % "",
            "models/shifted.sql": shifted,
            "models/versions.sql": shifted.replace("'d')", "'d', atomicity='atomic')"),
        }
    )
    for _ in range(2):
        run = project.dbt("run", *DAYS)
        for name in ("utc", "versions"):
            found = project.rows(f"select id from {{schema}}.{name} order by id")
            assert found == [(1,), (2,), (3,)], name
        assert "holds rows of other batches, too" in run.log
        assert project.rows("select id from {schema}.shifted") == [(1,)]
