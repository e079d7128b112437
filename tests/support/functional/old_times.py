"""Snapshots of rows that change with the time of an older record, or in another session's zone."""

from collections.abc import Mapping

from functional.dbt_project import Project

OLD, NEW = "timestamp'2026-01-01 00:00:00'", "timestamp'2026-01-02 00:00:00'"
STEPS = (("a", OLD), ("b", NEW), ("a", OLD), ("c", OLD))
"""What one row says, and when: as after a restore from a backup, and a correction by hand."""
SNAPSHOT = """
{{% snapshot {name} %}}
{{{{ config(unique_key='id', file_format='{format}', strategy='check', {config}) }}}}
{header}{query}
{{% endsnapshot %}}
"""
TOKYO = """
{% call set_sql_header(config) %}set spark.sql.session.timeZone = Asia/Tokyo{% endcall %}
"""
ZONED = "select 1 as id, to_date(timestamp'2026-01-01 20:00:00Z') as d"
RECORDS = "select v from {schema}.restored order by v"
CURRENT = "select v from {schema}.restored where dbt_valid_to is null"


def run_and_check(project: Project, file_format: str) -> None:
    """Each change has a record, the last one is current, and a header counts in every run."""
    unused = dict.fromkeys(("models/m.sql", "models/plain.sql", "models/schema.yml"), "")
    for step, (text, at) in enumerate(STEPS, start=1):
        query = f"select 1 as id, '{text}' as v, {at} as at"
        project.write({**unused, **_snapshots(file_format, query)})
        run = project.dbt("snapshot")
        assert run.success, run.log
        assert project.rows(CURRENT) == [(text,)], step
    assert [row.v for row in project.rows(RECORDS)] == sorted(text for text, _ in STEPS)
    ids = project.rows("select count(distinct dbt_scd_id) as n from {schema}.restored")
    assert ids == [(len(STEPS),)]
    days = project.rows("select cast(d as string) as d from {schema}.zoned")
    assert [row.d for row in days] == ["2026-01-02"]


def _snapshots(file_format: str, query: str) -> Mapping[str, str]:
    restored = SNAPSHOT.format(
        name="restored",
        format=file_format,
        config="check_cols=['v'], updated_at='at'",
        header="",
        query=query,
    )
    zoned = SNAPSHOT.format(
        name="zoned", format=file_format, config="check_cols=['d']", header=TOKYO, query=ZONED
    )
    return {"snapshots/restored.sql": restored, "snapshots/zoned.sql": zoned}
