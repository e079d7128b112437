"""Avro, whose data source is a jar of its own."""

import subprocess
import sys
from pathlib import Path

from functional.dbt_project import Project
from readers.session import SMALL
from servers.jars import AVRO, fetched

DBT = Path(sys.executable).with_name("dbt")
MODEL = (
    "{{ config(materialized='table', file_format='avro', persist_docs={'columns': true}) }} "
    "select {{ var('n') }} as n, named_struct('a', array('x')) as s"
)


def test_avro_with_its_jar_is_published_and_replaced(tmp_path: Path) -> None:
    """With spark-avro in spark.jars, a model's files are avro and are replaced."""
    conf = {**SMALL, "spark.jars": str(fetched(AVRO))}
    project = Project(tmp_path, "shop", conf)
    documented = '{"models": [{"name": "t", "columns": [{"name": "n", "description": "it\'s n"}]}]}'
    project.write({"models/t.sql": MODEL, "models/t.yml": documented})
    for number in (1, 2):
        dbt(project, "run", n=number)
    shown = dbt(project, "show", "--inline", "select n + 40 as n, s.a[0] as a from {{ ref('t') }}")
    assert "| 42 | x |" in shown
    assert len(list(tmp_path.glob("spark-warehouse/shop.db/ctas-spark/*/shop.t/*/*.avro"))) == 2


def dbt(project: Project, *arguments: str, **variables: object) -> str:
    """What the console shows of an invocation in a process of its own, which has to succeed."""
    done = subprocess.run(
        [str(DBT), *project.command(*arguments, **{"n": 0, **variables})],
        cwd=project.directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
