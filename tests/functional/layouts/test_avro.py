"""Avro, whose data source is a jar of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from functional.dbt_project import Project
from readers.session import SMALL
from servers.jars import AVRO, fetched

DBT = Path(sys.executable).with_name("dbt")
MODEL = (
    "{{ config(materialized='table', file_format='avro', persist_docs={'columns': true}) }} "
    "select {{ var('n') }} as n, named_struct('a', array('x')) as s"
)
IS_NOT_ONE_ROW = (
    "select count(*) as found from {{ ref('t') }} where n = {{ var('n') }} and s.a[0] = 'x' "
    "having count(*) <> 1"
)


@pytest.mark.long
def test_avro_with_its_jar_is_published_and_replaced(tmp_path: Path) -> None:
    """With spark-avro in spark.jars, a model's files are avro and are replaced."""
    conf = {**SMALL, "spark.jars": str(fetched(AVRO))}
    project = Project(tmp_path, "shop", conf)
    documented = '{"models": [{"name": "t", "columns": [{"name": "n", "description": "it\'s n"}]}]}'
    files = {"models/t.sql": MODEL, "models/t.yml": documented, "tests/t.sql": IS_NOT_ONE_ROW}
    project.write(files)
    for number in (1, 2):
        dbt(project, "build", n=number)
    assert len(list(tmp_path.glob("spark-warehouse/shop.db/ctas-spark/*/shop.t/*/*.avro"))) == 2


def dbt(project: Project, *arguments: str, **variables: object) -> None:
    """An invocation in a process of its own, which has to succeed."""
    done = subprocess.run(
        [str(DBT), *project.command(*arguments, **variables)],
        cwd=project.directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
