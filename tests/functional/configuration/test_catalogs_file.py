"""catalogs.yml gives names to Spark catalogs."""

import json
from pathlib import Path

import pytest

from functional.dbt_project import Project, Run

KEYS = ("--output=json", "--output-keys=database alias")
MODEL = "{{ config(materialized='table', catalog_name='lake') }} select 1 as n"


def listed(directory: Path, **integration: object) -> Run:
    """``dbt ls``, of a model in the catalog ``lake``."""
    project = Project(directory, "shop", {})
    written = {"name": "ice", "catalog_type": "spark", **integration}
    lake = {"name": "lake", "active_write_integration": "ice", "write_integrations": [written]}
    project.write({"catalogs.yml": json.dumps({"catalogs": [lake]}), "models/m.sql": MODEL})
    command = "parse" if integration else "ls"
    return project.dbt(command, *(KEYS if command == "ls" else ()))


def test_a_model_is_in_the_spark_catalog_that_its_catalog_names(tmp_path: Path) -> None:
    """Also in commands for which dbt does not read the file."""
    assert '{"database": "ice", "alias": "m"}' in listed(tmp_path).log


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("table_format", "delta", "table_format is iceberg, or left out"),
        ("external_volume", "s3://x", "external_volume has no effect here"),
        ("catalog_database", "other", "catalog_database has no effect here"),
        ("catalog_type", "unity", "Expected one of: spark"),
    ],
)
def test_what_spark_does_not_take_from_there_is_refused(
    tmp_path: Path, key: str, value: str, said: str
) -> None:
    """Before anything starts."""
    run = listed(tmp_path, **{key: value})
    assert said in str(run.exception)


@pytest.mark.parametrize(
    ("others", "remedy"), [(["sea"], "add it there, or use one of sea"), ([], "add it there")]
)
def test_an_unknown_name_is_an_error(tmp_path: Path, others: list[str], remedy: str) -> None:
    """It names those that there are."""
    project = Project(tmp_path, "shop", {})
    written = [{"name": "ice", "catalog_type": "spark"}]
    catalogs = [
        {"name": one, "active_write_integration": "ice", "write_integrations": written}
        for one in others
    ]
    files = {"catalogs.yml": json.dumps({"catalogs": catalogs})} if others else {}
    project.write({**files, "models/m.sql": MODEL})
    said = str(project.dbt("parse").exception)
    assert "[NO_SUCH_CATALOG] catalog_name lake of m is not in catalogs.yml" in said
    assert said.rstrip().endswith(f"to do: {remedy}")
