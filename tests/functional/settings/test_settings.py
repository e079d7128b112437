"""What a model sets in the session ends with it."""

import json

from pyspark.sql import SparkSession

from functional.dbt_project import Project

PARTITIONS = "spark.sql.shuffle.partitions"
SEEN = "'${own.one}' as own, '${of.the.run}' as of_run, '${of.header}' as header"
OVERWRITING = """{{ config(materialized='incremental', incremental_strategy='insert_overwrite',
                           partition_by='part', on_schema_change='ignore') }}
select {{ var('n') }} as n, {{ var('n') }} as part"""
MODELS = {
    "models/first.sql": "{{ config(pre_hook='set own.one = 1', sql_header='set of.header = 2;') }}"
    f"select {SEEN}",
    "models/then.sql": f"-- {{{{ ref('first') }}}}\nselect {SEEN}, n from shared",
    "models/overwriting.sql": OVERWRITING,
}


def test_a_model_s_settings_are_not_the_next_one_s(project: Project, spark: SparkSession) -> None:
    """Those of its hooks, its header and its strategy; the run's own hooks are for all models."""
    settings = {
        "name": "tested",
        "profile": "tested",
        "on-run-start": ["set of.the.run = 3", "create temporary view shared as select 4 as n"],
        "on-run-end": ["reset of.the.run", "drop view shared"],
        "models": {"+materialized": "table"},
    }
    project.write({"dbt_project.yml": json.dumps(settings), **MODELS})
    for n in (1, 2):
        project.build(n=n)
    (first,) = project.rows("select * from {schema}.first")
    (then,) = project.rows("select * from {schema}.then")
    assert tuple(first) == ("1", "3", "2")
    assert tuple(then) == ("", "3", "", 4)
    assert len(project.rows("select * from {schema}.overwriting")) == 2
    assert spark.conf.get("spark.sql.sources.partitionOverwriteMode") == "STATIC"


def test_what_the_run_sets_over_the_profile_stays(project: Project, spark: SparkSession) -> None:
    """For all of its models; the next run begins with the profile's settings again."""
    settings = {"name": "tested", "profile": "tested", "on-run-start": f"set {PARTITIONS} = 7"}
    seen = f"{{{{ config(materialized='table') }}}} select '${{{PARTITIONS}}}' as n"
    files = {"models/one.sql": seen, "models/two.sql": f"-- {{{{ ref('one') }}}}\n{seen}"}
    project.write({"dbt_project.yml": json.dumps(settings), **files})
    project.build()
    both = project.rows("select * from {schema}.one union all select * from {schema}.two")
    assert [row.n for row in both] == ["7", "7"]
    assert project.dbt("show", "--inline", "select 1 as n").success
    assert spark.conf.get(PARTITIONS) == project.conf[PARTITIONS]
