"""Snapshots of rows that change with an old time or none, or in another session's zone.

Also those whose times are texts, and those of rows with a flag of their own.
"""

from collections.abc import Mapping

from functional.dbt_project import Project

OLD, NEW = "timestamp'2026-01-01 00:00:00'", "timestamp'2026-01-02 00:00:00'"
STEPS = (("a", OLD), ("b", NEW), ("a", OLD), ("c", OLD))
"""What one row says, and when: as after a restore from a backup, and a correction by hand."""
STEP_WITHOUT = 2
"""That in which another row is not there."""
SNAPSHOT = """
{{% snapshot {name} %}}
{{{{ config(unique_key='id', file_format='{format}', {config}) }}}}
{query}
{{% endsnapshot %}}
"""
TOKYO = """
{% call set_sql_header(config) %}set spark.sql.session.timeZone = Asia/Tokyo{% endcall %}
"""
ZONED = "select 1 as id, to_date(timestamp'2026-01-01 20:00:00Z') as d"
KEPT = {"unknown": ["a", "a", "b", "c"], "gone": ["1", "2", "2"], "worded": ["a", "b"]}
"""What the records hold whose rows have no time, or a text for it."""
RECORDS = "select v from {schema}.restored order by v"
CURRENT = "select v from {schema}.restored where dbt_valid_to is null"


def run_and_check(project: Project, file_format: str) -> None:
    """Each change has a record, the last one is current, and a header counts in every run."""
    unused = dict.fromkeys(("models/m.sql", "models/plain.sql", "models/schema.yml"), "")
    for step, (text, at) in enumerate(STEPS, start=1):
        project.write({**unused, **_snapshots(file_format, text, at, step)})
        run = project.dbt("snapshot")
        assert run.success, run.log
        assert project.rows(CURRENT) == [(text,)], step
    assert [row.v for row in project.rows(RECORDS)] == sorted(text for text, _ in STEPS)
    ids = project.rows("select count(distinct dbt_scd_id) as n from {schema}.restored")
    assert ids == [(len(STEPS),)]
    for name, kept in KEPT.items():
        rows = project.rows(f"select v, dbt_scd_id as id from {{schema}}.{name}")
        assert sorted(row.v for row in rows) == kept, name
        assert len({row.id for row in rows}) == len(kept), name
        (valid,) = project.rows(
            f"select count(*) as n from {{schema}}.{name} where dbt_valid_to is null"
        )
        assert valid.n == (2 if name == "gone" else 1), name
    flags = project.rows("select flag, count(*) as n from {schema}.flagged group by flag")
    assert [(row.flag, row.n) for row in flags] == [("True", len(STEPS))]
    days = project.rows("select cast(d as string) as d from {schema}.zoned")
    assert [row.d for row in days] == ["2026-01-02"]


def _snapshots(file_format: str, text: str, at: str, step: int) -> Mapping[str, str]:
    row, rows = f"select 1 as id, '{text}' as v", (1, 2) if step != STEP_WITHOUT else (1,)
    listed = ", ".join(f"({number}, '{number}')" for number in rows)
    by_time, checked = "strategy='timestamp', updated_at='at'", "strategy='check', check_cols=['v']"
    own = "snapshot_meta_column_names={'dbt_is_deleted': 'flag'}"
    snapshots = {
        "restored": (f"{checked}, updated_at='at'", f"{row}, {at} as at"),
        "unknown": (f"{checked}, updated_at='at'", f"{row}, cast(null as timestamp) as at"),
        "gone": (
            f"{by_time}, hard_deletes='invalidate'",
            f"select id, v, cast(null as timestamp) as at from values {listed} as t(id, v)",
        ),
        "worded": (by_time, f"{row}, cast({at} as string) as at"),
        "flagged": (f"{checked}, {own}", f"{row}, 'True' as flag"),
        "zoned": ("strategy='check', check_cols=['d']", f"{TOKYO}{ZONED}"),
    }
    return {
        f"snapshots/{name}.sql": SNAPSHOT.format(
            name=name, format=file_format, config=config, query=query
        )
        for name, (config, query) in snapshots.items()
    }
