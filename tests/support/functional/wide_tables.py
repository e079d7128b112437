"""Tables of more columns than one text of a metastore holds, and what is built on them."""

from functional.dbt_project import Project

COLUMNS = 1_200
KEY = "one_of_many_columns_0"
LAST = f"one_of_many_columns_{COLUMNS - 1}"


def build_and_check(project: Project, file_format: str) -> None:
    """A view, merged rows and a snapshot, in a first run and again with other values."""
    values = ", ".join(
        f"{{{{ var('n') }}}} + {number} as one_of_many_columns_{number}"
        for number in range(1, COLUMNS)
    )
    config = f"file_format='{file_format}'"
    merged = f"materialized='incremental', incremental_strategy='merge', unique_key='{KEY}'"
    snapshot = f"unique_key: {KEY}, strategy: check, check_cols: all, file_format: {file_format}"
    project.write(
        {
            "models/wide.sql": f"{{{{ config(materialized='table', {config}) }}}} "
            f"select 0 as {KEY}, {values}",
            "models/seen.sql": "{{ config(materialized='view') }} select * from {{ ref('wide') }}",
            "models/merged.sql": f"{{{{ config({merged}, {config}) }}}} "
            "select * from {{ ref('seen') }}",
            "snapshots/kept.yml": "snapshots: [{name: kept, relation: ref('wide'), "
            f"config: {{{snapshot}}}}}]",
        }
    )
    for n in (1, 2):
        run = project.dbt("build", n=n)
        assert run.success, run.log
        for name in ("wide", "seen", "merged"):
            assert project.rows(f"select {LAST} from {{schema}}.{name}") == [(n + COLUMNS - 1,)]
    records = f"select {LAST}, dbt_valid_to is null from {{schema}}.kept order by 1"
    assert project.rows(records) == [(COLUMNS, False), (COLUMNS + 1, True)]
