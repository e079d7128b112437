"""A Spark that outlives a run: who uses it, what each run keeps for itself, and how it ends."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ctas_spark.warm import sockets
from faults.numbered import TABLE, Numbered
from functional.dbt_project import NAME, Project, new_project
from functional.outside import Outside
from functional.terminal import DBT
from long import long
from servers.metastore import Metastore
from servers.processes import is_there, wait_until

WITHIN = 240.0
FOREVER_MS = 3_600_000
START = ("run-operation", "ctas_warm_spark")
STOP = (*START, "--args={stop: true}")
OWN = "Starting Spark "
PARTITIONS = "spark.sql.shuffle.partitions"
PYTHON_MODEL = """
def model(dbt, session):
    from pyspark.sql.functions import udf
    interpreter = udf(lambda _: __import__("sys").executable)
    rows = session.sql("select 1 as n")
    parallel = session.conf.get("spark.sql.shuffle.partitions")
    views = session.sql("show views like 'left_behind'").count()
    return rows.select(interpreter("n").alias("python"), "n").selectExpr(
        "python", f"'{parallel}' as partitions", f"{views} as views"
    )
"""


@dataclass(frozen=True, slots=True)
class Here:
    """A directory in which a user runs dbt on projects that share a warm Spark."""

    directory: Path
    metastore: Metastore

    def numbered(self, name: str, **conf: str) -> Numbered:
        """A project with a schema of its own."""
        (self.directory / name).mkdir()
        project = new_project(self.directory / name, self.metastore)
        project = replace(project, conf={**project.conf, **conf})
        return Numbered.written(project, Outside(self.metastore, project.schema))

    def dbt(self, project: Project, *arguments: str, **variables: object) -> str:
        """What dbt printed in an invocation that has to succeed."""
        with self.started(project, *arguments, **variables) as run:
            said, _ = run.communicate(timeout=WITHIN)
        assert run.returncode == 0, said
        return str(said)

    def started(
        self, project: Project, *arguments: str, **variables: object
    ) -> "subprocess.Popen[str]":
        """An invocation that runs, and takes Ctrl-C as from a terminal."""
        return subprocess.Popen(
            ["env", "--default-signal=INT", str(DBT), *project.command(*arguments, **variables)],
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        )


def greetings() -> list[sockets.Message]:
    """What the living ones say to a visitor."""
    found = []
    for visit in sockets.visits():
        found.append(visit.greeting)
        visit.close()
    return found


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, metastore: Metastore) -> Iterator[Here]:
    """A directory, and a place for sockets that no other test looks at."""
    directory = tmp_path_factory.mktemp("here")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(sockets.RUNTIME, str(directory))
        yield Here(directory, metastore)
        for one in greetings():
            os.killpg(one["pid"], signal.SIGKILL)


@pytest.fixture(scope="module")
def shop(here: Here) -> Numbered:
    """The project for which a warm Spark was started."""
    found = here.numbered("shop")
    said = here.dbt(found.project, *START)
    assert "a warm Spark runs now, in process " in said
    return found


@pytest.fixture
def process(shop: Numbered) -> int:  # noqa: ARG001 (for which it was started)
    """The process of the warm Spark, which lives."""
    (found,) = greetings()
    assert found["runs"] == []
    return int(found["pid"])


def test_projects_share_it_and_reach_isolated(here: Here, shop: Numbered, process: int) -> None:
    """Neither run starts a Spark; what one sets or names is not there for the next."""
    other = here.numbered("other", **{PARTITIONS: "5"})
    hooks = [f"set {PARTITIONS}=77", "create temporary view left_behind as select 1"]
    shop.project.write({"models/p.py": PYTHON_MODEL})
    configured = {"name": NAME, "version": "1.0.0", "profile": NAME, "on-run-start": hooks}
    (shop.project.directory / "dbt_project.yml").write_text(json.dumps(configured))
    other.project.write({"models/p.py": PYTHON_MODEL})
    for numbered, partitions, views in ((shop, "77", 1), (other, "5", 0)):
        said = here.dbt(numbered.project, "run", v=1)
        assert f"Using the warm Spark of process {process}; its log is " in said
        assert OWN not in said
        assert numbered.number() == 1
        results = json.loads((numbered.project.directory / "target/run_results.json").read_text())
        responses = [one["adapter_response"] for one in results["results"]]
        levels = [one["atomicity"] for one in responses if "outcome" in one]  # hooks have none
        assert levels == ["isolated", "isolated"]
        (row,) = pq.read_table(numbered.outside.directory("p")).to_pylist()
        assert row == {"python": sys.executable, "partitions": partitions, "views": views}


@pytest.mark.parametrize("number", [long(signal.SIGINT), signal.SIGKILL])
def test_a_run_that_ends_takes_only_its_own_work_along(
    here: Here, shop: Numbered, process: int, number: signal.Signals
) -> None:
    """By Ctrl-C or by kill -9: its job ends, the table stays, and the warm Spark is there."""
    before = shop.outside.entry(TABLE)
    with here.started(shop.project, "run", f"--select={TABLE}", v=2, ms=FOREVER_MS) as run:
        wait_until(lambda: shop.is_in_a_task() or run.poll() is not None, WITHIN, "a task")
        run.send_signal(number)
        said, _ = run.communicate(timeout=WITHIN)
    assert run.returncode != 0, said
    wait_until(lambda: greetings()[0]["runs"] == [], WITHIN, "the end of its work")
    assert greetings()[0]["pid"] == process
    assert shop.outside.entry(TABLE) == before


@pytest.mark.long
def test_a_run_that_it_does_not_fit_starts_its_own(
    here: Here, shop: Numbered, process: int
) -> None:
    """It says what differs; a socket on which nobody listens any more is removed."""
    stale = sockets.directory() / f"{socket.gethostname()}-1{sockets.SUFFIX}"
    with socket.socket(socket.AF_UNIX) as left_behind, sockets.short(stale) as name:
        left_behind.bind(name)
    different = replace(shop.project, conf={**shop.project.conf, "spark.driver.memory": "641m"})
    different.write_profile()
    said = here.dbt(different, "run", f"--select={TABLE}", v=3)
    shop.project.write_profile()
    assert (
        f"Not used: the warm Spark of process {process} does not fit: it differs in "
        "spark.driver.memory. dbt run-operation ctas_warm_spark --args '{stop: true}' ends it"
    ) in said
    assert OWN in said
    assert shop.number() == 3
    assert not stale.exists()


def test_it_is_stopped_by_the_command(here: Here, shop: Numbered, process: int) -> None:
    """No process of it is left; a second time there is none to stop."""
    assert f"ended: the warm Spark of process {process}" in here.dbt(shop.project, *STOP)
    wait_until(lambda: not is_there(process), WITHIN, "its end")
    assert greetings() == []
    assert "no warm Spark was started in this directory" in here.dbt(shop.project, *STOP)


@pytest.mark.long
def test_it_ends_when_nobody_uses_it(here: Here, shop: Numbered) -> None:
    """After the time that its user gave, here none at all."""
    if greetings():  # that of the other tests
        here.dbt(shop.project, *STOP)
    said = here.dbt(shop.project, *START, "--args={idle_minutes: 0}")
    (process,) = re.findall(r"a warm Spark runs now, in process (\d+)", said)
    wait_until(lambda: not is_there(int(process)), WITHIN, "its end")
    assert list(sockets.directory().iterdir()) == []
