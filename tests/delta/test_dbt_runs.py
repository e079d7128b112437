"""dbt runs on Delta's catalog, by this adapter and by the stock one."""

import itertools
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from functional.dbt_project import Project

_numbers = itertools.count(1)

MODEL = """
{{ config(materialized='table', file_format='delta', partition_by='day',
          tblproperties={'mine': 'yes'}, persist_docs={'relation': true, 'columns': true}) }}
select id, cast('{{ var("name", "old") }}' as string) as name, 'x' as day from range(3)
{% if var("fails", false) %} where cast(raise_error('no ' || id) as boolean) {% endif %}
"""
PLAIN = "{{ config(materialized='table', file_format='parquet') }} select * from {{ ref('m') }}"
SCHEMA = """
models:
  - name: m
    description: a table
    columns:
      - name: id
        description: its number
        constraints: [{type: not_null}]
"""


@pytest.fixture
def project(spark: SparkSession, tmp_path: Path) -> Project:
    """A project with one Delta model and one of parquet beside it."""
    conf = {"spark.app.name": spark.conf.get("spark.app.name") or ""}
    project = Project(tmp_path, f"dbt_{next(_numbers)}", conf)
    project.write({"models/m.sql": MODEL, "models/plain.sql": PLAIN, "models/schema.yml": SCHEMA})
    return project


def test_a_model_is_built_rebuilt_and_rolled_back(project: Project) -> None:
    """Its run results say what was published and how; comments are there; parquet works beside."""
    first = project.build().response("m")
    second = project.build(name="new").response("m")
    assert (first["commit_strategy"], second["commit_strategy"]) == ("create", "swap")
    assert second["atomicity"] == "isolated"
    assert second["conflict_check"] == "cas"
    assert second["reader_window"] == "none"
    assert second["base_version"] == first["version"]
    assert second["rows_affected"] == 3
    assert project.rows("select distinct name from {schema}.m") == [("new",)]
    assert project.rows("select count(*) from {schema}.plain") == [(3,)]
    described = {row[0]: row[2] for row in project.rows("describe {schema}.m")}
    assert described["id"] == "its number"
    history = project.dbt("run-operation", "ctas_history", "--args", "{model: m}")
    assert history.success
    assert first["version"] in history.log
    assert second["version"] in history.log
    assert project.dbt("run-operation", "ctas_rollback", "--args", "{model: m}").success
    assert project.rows("select distinct name from {schema}.m") == [("old",)]
    vacuum = project.dbt("run-operation", "ctas_vacuum", "--args", "{model: m}")
    assert "the format's own to expire" in vacuum.log
    assert project.dbt("run-operation", "ctas_recover", "--args", "{model: m}").success


def test_a_model_that_fails_leaves_the_old_table(project: Project) -> None:
    """As it was, and nothing is staged any more."""
    built = project.build().response("m")
    failed = project.dbt("run", "--select", "m", fails=True)
    assert not failed.success
    assert f"still holds version {built['version']}" in failed.message("m")
    assert project.rows("select count(*) from {schema}.m") == [(3,)]
    staged = project.rows("show tables in {schema}__ctas_spark like 'm__stage__*'")
    assert staged == []


def test_control_the_stock_adapter_replaces_a_delta_table_in_one_commit(project: Project) -> None:
    """So a failure leaves the old table there, too; that nothing was lost it does not check."""
    model = "{{ config(materialized='table', file_format='delta') }} select 1 as a"
    failing = f"{model} {{% if var('fails', false) %}} + raise_error('no') {{% endif %}}"
    project.write({"models/m.sql": failing, "models/schema.yml": "", "models/plain.sql": ""})
    project.write_profile("spark")
    assert project.dbt("run", "--select", "m").success
    assert not project.dbt("run", "--select", "m", fails=True).success
    assert project.rows("select * from {schema}.m") == [(1,)]


def test_a_config_that_delta_has_not_is_refused(project: Project) -> None:
    """Before any job, with what to write instead."""
    project.write(
        {"models/m.sql": MODEL.replace("partition_by", "options={'a': 'b'}, partition_by")}
    )
    run = project.dbt("run", "--select", "m")
    assert not run.success
    assert "use tblproperties" in run.message("m")
