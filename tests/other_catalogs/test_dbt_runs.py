"""dbt runs in catalogs that publish by statement."""

import itertools
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from functional.dbt_project import Project

_numbers = itertools.count(1)

MODEL = """
{{ config(materialized='table', partition_by=['bucket(2, id)'],
          persist_docs={'relation': true, 'columns': true}) }}
select id, cast('{{ var("name", "old") }}' as string) as name from range(3)
{% if var("fails", false) %} where cast(raise_error('no ' || id) as boolean) {% endif %}
"""
SCHEMA = """
models:
  - name: m
    config: {contract: {enforced: true}}
    columns:
      - {name: id, data_type: bigint, description: its number, constraints: [{type: not_null}]}
      - {name: name, data_type: string,
         constraints: [{type: check, expression: "name <> 'bad'"}]}
"""


@pytest.fixture
def project(spark: SparkSession, tmp_path: Path) -> Project:
    """A project with one model in a hadoop catalog."""
    conf = {"spark.app.name": spark.conf.get("spark.app.name") or ""}
    project = Project(tmp_path, f"dbt_{next(_numbers)}", conf)
    project.write({"models/m.sql": MODEL, "models/schema.yml": SCHEMA})
    project.write_profile(database="hadoop")
    return project


def rows(project: Project, query: str) -> list[tuple[object, ...]]:
    """What a new session reads."""
    return [tuple(row) for row in project.rows(query)]


def test_a_model_is_built_and_rebuilt(project: Project) -> None:
    """Its run results say what was published, how, and how strong the promise was."""
    first = project.build().response("m")
    second = project.build(name="new").response("m")
    assert (first["commit_strategy"], second["commit_strategy"]) == ("create", "fast_forward")
    promised = ("atomicity", "conflict_check", "reader_window")
    assert [second[key] for key in promised] == ["isolated", "cas", "none"]
    assert rows(project, "select distinct name from hadoop.{schema}.m") == [("new",)]
    described = {row[0]: row[2] for row in project.rows("describe hadoop.{schema}.m")}
    assert described["id"] == "its number"
    assert rows(project, "show tables in hadoop.{schema}__ctas_spark") == []
    assert rows(project, "select name from hadoop.{schema}.m.refs") == [("main",)]


@pytest.mark.parametrize("wrong", [{"fails": True}, {"name": "bad"}])
def test_a_model_that_fails_leaves_the_old_table(
    project: Project, wrong: dict[str, object]
) -> None:
    """Its query, or a check of what it staged."""
    project.build()
    failed = project.dbt("run", **wrong)
    assert not failed.success
    assert "is unchanged" in failed.message("m")
    assert rows(project, "select distinct name from hadoop.{schema}.m") == [("old",)]
    assert rows(project, "select name from hadoop.{schema}.m.refs") == [("main",)]
    assert rows(project, "show tables in hadoop.{schema}__ctas_spark") == []


def test_run_operations_say_what_there_is(project: Project) -> None:
    """The last publication; no version to go back to; nothing to clean up."""
    built = project.build().response("m")
    history = project.dbt("run-operation", "ctas_history", "--args", "{model: m}")
    assert built["version"] in history.log
    back = project.dbt("run-operation", "ctas_rollback", "--args", "{model: m}")
    assert not back.success
    assert "has no statement that restores" in back.log
    assert project.dbt("run-operation", "ctas_vacuum", "--args", "{model: m}").success
    assert project.dbt("run-operation", "ctas_recover", "--args", "{model: m}").success


def test_a_false_declaration_fails_the_model(project: Project) -> None:
    """The profile's."""
    project.write_profile(database="derby", iceberg_catalogs=["derby"])
    run = project.dbt("run")
    assert "iceberg_catalogs in the profile names the catalog derby" in run.message("m")
