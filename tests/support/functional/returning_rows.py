"""Snapshots of a source whose rows go and come back, and whose names change their case."""

from collections.abc import Collection, Iterable

from functional.dbt_project import Project

SNAPSHOTS = {
    "s_time": """{unique_key: ID, strategy: timestamp, updated_at: Updated_At,
   hard_deletes: new_record<config>}""",
    "s_check": """{unique_key: [id], strategy: check, check_cols: [NAME], hard_deletes: new_record,
   dbt_valid_to_current: "timestamp'9999-12-31 00:00:00'",
   snapshot_meta_column_names: {dbt_valid_from: SINCE, dbt_is_deleted: Is_Gone}<config>}""",
    "s_all": """{unique_key: id, strategy: check, check_cols: all, hard_deletes: invalidate,
   snapshot_meta_column_names: {dbt_valid_to: gone_at}<config>}""",
    "s_gone": """{unique_key: id, strategy: timestamp, updated_at: updated_at,
   hard_deletes: invalidate<config>}""",
}
"""Their configs. The first and the third have both strategies, and so have the others."""
OLD, LATE = "timestamp'2026-01-01 00:00:00'", "timestamp'2026-01-05 00:00:00'"
NAMED = "as t(id, name, updated_at)"
STEPS = (
    f"select * from values (1, 'a', {OLD}), (2, 'b', {OLD}), (3, null, {OLD}) {NAMED}",
    f"select 1 as id, 'a' as name, {OLD} as updated_at",
    f"select * from values (1, 'a', {OLD}), (2, 'b', {OLD}), (3, null, {LATE}) {NAMED}",
    f"select {OLD} as UPDATED_AT, 1 as ID, 'a' as NAME",
)
ENDS, BEGINS, DELETED = {"s_all": "gone_at"}, {"s_check": "SINCE"}, {"s_check": "Is_Gone"}
"""What snapshots call dbt's columns."""
TWICE = ("False", "False", "True", "True")
RECORDED = "|".join(
    ("1a False", *(f"{key} {is_deleted}" for key in ("2b", "3None") for is_deleted in TWICE))
)
KEPT = {
    "s_time": RECORDED,
    "s_check": RECORDED,
    "s_all": "1a|2b|2b|3None|3None",
    "s_gone": "1a|2b|2b|3None|3None",
}
"""Each record's id and name, and whether it is of a deletion, where the snapshot says that."""
EARLY = """
select id from (
  select id, {begins}, {ends},
    lag({ends}) over (partition by id order by {begins}, {ends}) as ended from {table})
where {begins} < ended or {ends} < {begins}
"""
"""Records that begin before the one before them ends, or end before they begin."""


def files(step: int, names: Iterable[str], file_format: str) -> dict[str, str]:
    """The project at one step."""
    of_model = f"materialized='table', file_format='{file_format}'"
    of_snapshot = f", file_format: {file_format}"
    listed = "".join(
        f"- {{name: {name}, relation: ref('src'), config: {SNAPSHOTS[name]}}}\n" for name in names
    )
    return {
        "models/src.sql": f"{{{{ config({of_model}) }}}} {STEPS[step]}",
        "snapshots/all.yml": f"snapshots:\n{listed}".replace("<config>", of_snapshot),
    }


def run_and_check(
    project: Project, file_format: str, names: Collection[str] = tuple(SNAPSHOTS)
) -> None:
    """Each step; a second run after rows have gone changes nothing."""
    counts: dict[str, int] = {}
    for step, attempts in enumerate(((1,), (1, 2), (1,), (1,))):
        project.write(files(step, names, file_format))
        for attempt in attempts:
            run = project.dbt("build")
            assert run.success, run.log
            for name in names:
                (row,) = project.rows(f"select count(*) from {{schema}}.{name}")
                assert attempt == 1 or row[0] == counts[name], (step, name)
                counts[name] = row[0]
    for name in names:
        _check(project, name)


def _check(project: Project, name: str) -> None:
    """Return if the table holds what it should."""
    table, deleted = f"{project.schema}.{name}", DELETED.get(name, "dbt_is_deleted")
    ends, begins = ENDS.get(name, "dbt_valid_to"), BEGINS.get(name, "dbt_valid_from")
    rows = project.rows(f"select * from {table}")
    shown = sorted(
        f"{row['id']}{row['name']} {row[deleted]}"
        if deleted in row
        else f"{row['id']}{row['name']}"
        for row in rows
    )
    assert "|".join(shown) == KEPT[name], name
    early = EARLY.format(table=table, begins=begins, ends=ends)
    assert project.rows(early) == [], name
    assert len({row["dbt_scd_id"] for row in rows}) == len(rows), name
