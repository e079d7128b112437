"""A dbt run and a PySpark script that commit over one table at the same moment."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ctas_spark.context import TableName
from ctas_spark.steps import Step, observe
from functional.dbt_project import Project
from long import long
from readers.child import Child
from readers.content import select_sql
from readers.race import running_rivals
from readers.race_judge import Attempt, Round, judge_race
from readers.rival import SCHEMA, TABLE, Writers
from readers.tables import SharedTables
from servers.metastore import Metastore

NOTICE_SECONDS = 0.3
WITHIN_SECONDS = 300.0
REFUSED = "[CONCURRENT_WRITE]"


class Starter:
    """Tells the script to commit at the moment when dbt does."""

    def __init__(self, script: Child) -> None:
        self._script = script
        self.started = self.ended = 0.0

    def entered(self, step: Step, target: TableName) -> None:
        """Both commit as soon as the script has read of it."""
        if step is Step.COMMIT and target.table == TABLE:
            self.started = time.monotonic() + NOTICE_SECONDS
            self._script.tell(json.dumps(["commit", self.started]))
            time.sleep(NOTICE_SECONDS)

    def left(self, step: Step, target: TableName) -> None:
        """Nothing."""


def ask(script: Child, question: list[Any]) -> dict[str, Any]:
    """The script's answer."""
    answered = len(script.lines())
    script.tell(json.dumps(question))
    script.wait_for_lines(answered + 1, WITHIN_SECONDS)
    return script.lines()[answered]


def raced(project: Project, script: Child, number: int) -> Round:
    """The script begins and stages, then dbt does; then both commit."""
    theirs = ask(script, ["stage", 2 * number])
    answered, starter = len(script.lines()), Starter(script)
    with observe(starter):
        run = project.dbt("run", query=select_sql(2 * number + 1, same=True))
    script.wait_for_lines(answered + 1, WITHIN_SECONDS)
    commit, said = script.lines()[answered], run.message(TABLE)
    told = run.response(TABLE) if run.success else {}
    dbts = Attempt(
        2 * number + 1,
        told.get("version", ""),
        told.get("base_version") if run.success else theirs["base"],
        starter.started,
        time.monotonic(),
        None if run.success else "ConcurrentWriteError" if REFUSED in said else said,
        said,
    )
    seen = ask(script, ["read", None])["number"]
    return Round((Attempt(**theirs, **commit), dbts), seen)


@pytest.mark.parametrize("rounds", [2, long(20)])
def test_one_of_them_commits(
    project: Project, metastore: Metastore, tmp_path: Path, rounds: int
) -> None:
    """In each round; the other gets CONCURRENT_WRITE, which names the version that won."""
    config = f"{{{{ config(materialized='table', schema='{SCHEMA}', atomicity='isolated') }}}}"
    model = f"{config}\n{{{{ var('query') }}}}"
    named = "{% macro generate_schema_name(name, node) %}{{ name or target.schema }}{% endmacro %}"
    project.write({f"models/{TABLE}.sql": model, "macros/schema.sql": named})
    tables = SharedTables(metastore.spark_conf())
    with running_rivals(tables, Writers.SAVE_AS, 1, tmp_path / "scripts") as (script,):
        found = [raced(project, script, number) for number in range(1, rounds + 1)]
    assert judge_race(found, found[0].attempts[0].base) == []
    assert all(len(one.losers) == 1 for one in found)
