"""Ctrl-C in the middle of a model: its job stops and nothing of it is published."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from functional.dbt_project import Project
from functional.outside import Outside
from functional.terminal import steady
from servers.processes import wait_until

DBT = Path(sys.executable).with_name("dbt")
STARTS_WITHIN = 180.0
ENDS_WITHIN = 90.0
SLOW = (
    "{{ config(materialized='table') }} select {{ var('v') }} as v, "
    "java_method('java.lang.Thread', 'sleep', {{ var('ms') }}L) as slept from range(1)"
)
SAID = """1 of 2 START sql incremental model shop.grown .. [RUN]
2 of 2 START sql table model shop.slow .. [RUN]
CANCEL query model.tested.grown .. [CANCEL]
CANCEL query model.tested.slow .. [CANCEL]
CtasSpark adapter: shop.grown: its last statement was cancelled; what earlier statements did remains
CtasSpark adapter: shop.slow still holds version VERSION, and nothing of this model was published
1 of 2 ERROR creating sql incremental model shop.grown .. [ERROR in TIME]
2 of 2 ERROR creating sql table model shop.slow .. [ERROR in TIME]
Exited because of keyboard interrupt
Done. PASS=0 WARN=0 ERROR=0 SKIP=0 NO-OP=0 REUSED=0 TOTAL=0
[ERROR]: Encountered an error:
Runtime Error
  [JOB_CANCELED] the run was stopped
    left: published models stay published; no other table was changed, unless a line above says so
"""


@contextmanager
def running_dbt(project: Project, **variables: object) -> Iterator[subprocess.Popen[bytes]]:
    """dbt run in a process group of its own, as a terminal starts it.

    A shell without a terminal starts what runs in its background with SIGINT ignored.
    """
    with (project.directory / "console.log").open("wb") as console:
        process = subprocess.Popen(
            ["env", "--default-signal=INT", DBT, *project.command("run", **variables)],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def interrupt_while_a_task_runs(project: Project, outside: Outside, **variables: object) -> int:
    """Press Ctrl-C as soon as a task writes; return dbt's exit code."""
    warehouse = outside.metastore.warehouse / f"{project.schema}.db"
    before = set(warehouse.rglob("_temporary"))
    with running_dbt(project, **variables) as process:
        wait_until(
            lambda: bool(set(warehouse.rglob("_temporary")) - before) or _ended(process),
            STARTS_WITHIN,
            "a task that writes",
        )
        os.killpg(process.pid, signal.SIGINT)
        code = process.wait(ENDS_WITHIN)
        wait_until(lambda: _group_is_gone(process.pid), ENDS_WITHIN, "the end of Spark's JVM")
        return code


def _group_is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def _ended(process: subprocess.Popen[bytes]) -> bool:
    return process.poll() is not None


def test_ctrl_c_leaves_the_old_table_and_nothing_staged(project: Project, outside: Outside) -> None:
    """The old version stays, storage and metastore hold nothing of the cancelled one.

    A model that is not published as a version says so, and hooks are told of both.
    """
    grown = SLOW.replace("table", "incremental")
    project.write({"models/slow.sql": SLOW, "models/grown.sql": grown})
    lines = project.directory / "publications.jsonl"
    project.write_profile(hooks=[{"hook": "json_lines", "path": str(lines)}])
    project.build(v=1, ms=1)
    before, versions, records = outside.entry("slow"), outside.versions(), outside.records()

    code = interrupt_while_a_task_runs(project, outside, v=2, ms=30_000)

    assert code != 0
    assert outside.entry("slow") == before
    assert (outside.versions(), outside.records()) == (versions, records)
    assert project.rows("select v from {schema}.slow")[0].v == 1
    log = (project.directory / "logs" / "dbt.log").read_text()
    assert "was withdrawn: cancelled" in log
    console = steady((project.directory / "console.log").read_text(), project)
    said = console.partition("(target='test')\n")[2]
    assert sorted(said.splitlines()) == sorted(SAID.splitlines())  # two threads say it
    told = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [one["state"] for one in told] == ["finished", "finished", "canceled", "canceled"]
    assert {one["node_id"]: one["outcome"] for one in told[2:]} == {
        "model.tested.grown": None,
        "model.tested.slow": "not_committed",
    }


@pytest.mark.long
def test_stock_dbt_spark_publishes_after_ctrl_c(project: Project, outside: Outside) -> None:
    """The control: dbt-spark ignores the cancel, waits for the job and publishes its table."""
    project.write({"models/slow.sql": SLOW})
    project.write_profile("spark")
    code = interrupt_while_a_task_runs(project, outside, v=2, ms=8_000)
    assert code != 0
    assert outside.tables() == ["slow"]
