"""Nodes of one name are different nodes."""

import re

from functional.dbt_project import Project

UNIT_TESTS = """
unit_tests:
  - {name: basic, model: MODEL, given: [], expect: {rows: [{COLUMN: 1}]}}
"""


def test_unit_tests_of_one_name_have_views_of_their_own(project: Project) -> None:
    """They run at the same time, in one session: each would read or drop the other's."""
    for model, column in (("first", "a"), ("second", "b")):
        told = UNIT_TESTS.replace("MODEL", model).replace("COLUMN", column)
        sql = f"select 1 as {column}"
        project.write({f"models/{model}.sql": sql, f"models/{model}.yml": told})
    run = project.dbt("build")
    assert run.success, run.log
    views = set(re.findall(r"basic_\w*__dbt_tmp_\w+", run.log))
    assert len(views) == 2


MERGED = """
{{ config(materialized='incremental', incremental_strategy='merge', unique_key='ID',
          merge_exclude_columns=['KEEP'], alias='MG_Upper', schema='Mixed', on_schema_change='fail',
          contract={'enforced': true}) }}
select {{ var('n') }} as Val, 'k{{ var('n') }}' as Keep, 1 as Id
"""
ASKED = """
-- depends_on: {{ ref('merged') }}
{% set found = adapter.get_relation(none, target.schema | upper ~ '_MIXED', 'mg_UPPER') %}
select '{{ found }}' as found,
  '{{ get_columns_in_relation(ref('merged')) | map(attribute='name') | join(',') }}' as columns
"""
SOURCE = """
models:
- {name: merged, columns: [{name: ID, data_type: INT}, {name: val, data_type: Int},
  {name: Keep, data_type: string}]}
sources: [{name: S, schema: "{{ target.schema }}_MIXED", tables: [{name: Mg_UPPER}]}]
"""


def test_names_in_another_case_are_the_same(project: Project) -> None:
    """Of tables and schemas, of columns in configs and contracts, and in what macros ask for."""
    project.write(
        {
            "models/merged.sql": MERGED,
            "models/asked.sql": ASKED,
            "models/read.sql": "select val, keep from {{ source('S', 'Mg_UPPER') }}",
            "models/all.yml": SOURCE,
        }
    )
    for n in (1, 2):
        run = project.dbt("run", "--select", "merged", n=n)
        assert run.success, run.log
    assert project.dbt("run", "--select", "asked", "read", n=2).success
    assert project.rows("select * from {schema}.read") == [(2, "k1")]
    (asked,) = project.rows("select * from {schema}.asked")
    assert tuple(asked) == (f"{project.schema}_mixed.mg_upper", "ID,val,Keep")
