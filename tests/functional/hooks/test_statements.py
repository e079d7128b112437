"""Hooks with any statements, and queries that end in a semicolon."""

import json

from functional.dbt_project import Project

GUARD = "select raise_error('the guard says stop'); -- always"
ENDED = "select 1 as id, 'a;b' as t; -- the end; really\n  ;\n/* x */"
LOGGED = "insert into {{{{ target.schema }}}}.log values ('{}')"
CONFIG = "{{{{ config(materialized='{}') }}}} "
FILES = {
    "models/guarded.sql": f"{{{{ config(materialized='table', pre_hook=\"{GUARD}\") }}}} "
    "select 1 as id",
    "models/late.sql": "{{ config(materialized='view', post_hook='select assert_true(false)') }} "
    "select 1 as id",
    "models/several.sql": "{{ config(materialized='table', "
    f"pre_hook=[\"{LOGGED.format('pre; 1')}; select 1, 1; select 'b';\", '-- nothing', '  ', "
    f"'{{% if false %}}select{{% endif %}}', \"{LOGGED.format('a -- b')}\"], "
    f"post_hook={{'sql': \"{LOGGED.format('post')}\", 'transaction': false}}) }}}} select 1 as id",
    "models/headed.sql": "{{ config(materialized='view') }} {% call set_sql_header(config) %}"
    f"{LOGGED.format('header')}; set a.b = 1;{{% endcall %}} select 1 as id",
    "models/ended_table.sql": CONFIG.format("table") + ENDED,
    "models/ended_view.sql": CONFIG.format("view") + ENDED,
    "models/ended_merge.sql": "{{ config(materialized='incremental', unique_key='id', "
    f"incremental_strategy='merge') }}}} {ENDED}",
    "models/ended_append.sql": CONFIG.format("incremental") + ENDED,
    "models/ended_contract.sql": CONFIG.format("table") + ENDED,
    "models/between.sql": CONFIG.format("ephemeral") + ENDED,
    "models/asked.sql": "{% if execute %}{% set found = run_query('select 7 as n; -- one') %}"
    "{% endif %}select {{ found.columns[0].values()[0] if execute }} as n",
    "models/above.sql": "select * from {{ ref('between') }};",
    "snapshots/kept.sql": "{% snapshot kept %}{{ config(unique_key='id', strategy='check', "
    f"check_cols='all') }}}} {ENDED} {{% endsnapshot %}}",
    "tests/no_rows.sql": "{{ config(limit=1) }} select * from {{ ref('ended_table') }} "
    "where id > 5; ",
    "models/schema.yml": "models: [{name: ended_contract, config: {contract: {enforced: true}}, "
    "columns: [{name: id, data_type: int}, {name: t, data_type: string}]}]",
}
LOGS = ["start;1", "pre; 1", "a -- b", "header", "post"]
START = (
    "create table if not exists {{ target.schema }}.log (msg string) using parquet; "
    "insert into {{ target.schema }}.log values ('start;1'); -- twice"
)


def test_a_hook_runs_each_of_its_statements_and_queries_may_end_in_semicolons(
    project: Project,
) -> None:
    """A guard stops its model, before it or after it, in the first run as in the second.

    A view's header runs, too.
    """
    config = {"name": "tested", "version": "1.0.0", "profile": "tested"}
    hooks = {"on-run-start": ["-- nothing", START], "on-run-end": ["select 1;"]}
    project.write({**FILES, "dbt_project.yml": json.dumps({**config, **hooks})})
    for _ in range(2):
        run = project.dbt("build")
        failed = {name for name, one in run.results.items() if one["status"] in ("error", "fail")}
        assert failed == {"guarded", "late"}, run.log
        assert "the guard says stop" in run.message("guarded")
    rows = project.rows(f"select msg from {project.schema}.log")
    assert sorted(row.msg for row in rows) == sorted([*LOGS, *LOGS])
    assert project.rows(f"select n from {project.schema}.asked") == [(7,)]
    shown = project.dbt("show", "--inline", "select id from range(9); -- done", "--limit", "2")
    assert shown.success, shown.log
    headed = (
        "{{ config(sql_header='set own.seven = 7; select 1;') }} select '${own.seven}' as seven"
    )
    shown = project.dbt("show", "--inline", headed, "--output=json")
    assert '"seven": "7"' in shown.log, shown.log
