"""Queries whose rows differ from scan to scan: a live table of a database, a LIMIT, rand()."""

from functional.dbt_project import Project

SOME = "select id, 'new' as v, id as p, timestamp'2026-01-02 12:00:00' as at from range(60)"
ALL = "select id, 'old' as v, id as p, timestamp'2026-01-01 12:00:00' as at from range(60)"
STRATEGIES = {
    "deleted": "incremental_strategy='delete+insert', unique_key='id'",
    "overwritten": "incremental_strategy='insert_overwrite', partition_by='p', atomicity='atomic'",
    "merged": "incremental_strategy='merge', unique_key='id'",
}
SNAPSHOT = "{name: kept, relation: ref('rows'), config: {unique_key: id, hard_deletes: %s, %s}}"
CHECK = "strategy: check, check_cols: [v]"
FIRST = "java_method('java.lang.System', 'setProperty', '{{ this }} {{ var('n') }}', 'x') = 'null'"
"""True where the query is computed for the first time in a run."""
CHECKED = (
    "{{ config(materialized='incremental', on_schema_change='fail', contract={'enforced': true}) }}"
    f" select {{% if is_incremental() %}} if({FIRST}, 2, null) {{% else %}} 1 {{% endif %}} as id"
)
FILLED = (
    "{{ config(materialized='table', atomicity='none', contract={'enforced': true}) }} "
    f"select if({FIRST}, 2, null) as id"
)
COLUMNS = "columns: [{name: id, data_type: int, constraints: [{type: not_null}]}]"
CONTRACT = f"models: [{{name: checked, {COLUMNS}}}, {{name: filled, {COLUMNS}}}]"
CURRENT = "select id from {schema}.kept where dbt_valid_to is null group by id having count(*) > 1"


def test_a_query_is_read_once(project: Project) -> None:
    """No key is lost or doubled, no record has two successors, and what was checked is written."""
    models = {
        f"models/{name}.sql": f"{{{{ config(materialized='incremental', {config}) }}}}"
        f"{{% if is_incremental() %}}{SOME} where rand() < 0.5{{% else %}}{ALL}{{% endif %}}"
        for name, config in STRATEGIES.items()
    }
    rows = "{{ config(materialized='view') }} select id, {{ var('n') }} as v from range(60)"
    snapshot = SNAPSHOT % ("new_record", CHECK)
    project.write(
        {
            **models,
            "models/checked.sql": CHECKED,
            "models/filled.sql": FILLED,
            "models/contract.yml": CONTRACT,
            "models/rows.sql": f"{rows} where rand() < 0.5",
            "snapshots/kept.yml": f"snapshots: [{snapshot}]",
        }
    )
    for n in (1, 2, 3):
        run = project.dbt("build", n=n)
        assert run.success, run.log
        assert project.rows(CURRENT) == [], n
    assert project.rows("select id from {schema}.checked order by id") == [(1,), (2,), (2,)]
    assert project.rows("select id from {schema}.filled") == [(2,)]
    for name in STRATEGIES:
        counted = f"select count(*), count(distinct id), count(distinct v) from {{schema}}.{name}"
        assert project.rows(counted) == [(60, 60, 2)], name
