"""What a run survives on a cluster, and what it leaves when it does not."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.place import ClusterPlace
from faults.numbered import TABLE
from faults.surplus import Surplus
from servers.processes import wait_until
from servers.standalone import Cluster, running_cluster

pytestmark = pytest.mark.long

TWICE = [(number, 2 * number) for number in range(20)]
A_WHILE_MS = 4_000
"""For each of three rows."""
NOTED = """
def scored(number):
    import os, time
    from pathlib import Path
    from pyspark import TaskContext
    context = TaskContext.get()
    task, attempt, executor = context.partitionId(), context.attemptNumber(), os.getppid()
    Path("SEEN", f"{task}-{attempt}-{executor}").touch()
"""
"""It leaves a file for each attempt, with the process of the executor's Python."""
FAILS_AT_FIRST = f"""{NOTED}
    if attempt == 0:
        raise ValueError("the first attempt fails")
    return 2 * number
"""
SLOW_AT_FIRST = f"""{NOTED}
    if attempt == 0 and task == 0:
        time.sleep(30)
    return 2 * number
"""
SPECULATES = {
    "spark_speculation": "true",
    "spark_speculation_interval": "200ms",
    "spark_speculation_quantile": "0.5",
    "spark_speculation_multiplier": "1.1",
    "spark_speculation_minTaskRuntime": "100ms",
}
CHOOSES_EXECUTORS = {
    "spark_dynamicAllocation_enabled": "true",
    "spark_dynamicAllocation_shuffleTracking_enabled": "true",
    "spark_dynamicAllocation_minExecutors": "0",
    "spark_dynamicAllocation_executorIdleTimeout": "2s",
}
EXCLUDES = {"spark_excludeOnFailure_enabled": "true"}


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """One of each test, because a test may kill a part of it."""
    with running_cluster(tmp_path / "cluster") as running:
        yield running


@pytest.mark.parametrize(
    ("udf", "conf"),
    [(FAILS_AT_FIRST, EXCLUDES), (SLOW_AT_FIRST, SPECULATES)],
    ids=["repeated", "speculated"],
)
def test_a_task_with_two_attempts_writes_each_row_once(
    place: ClusterPlace, udf: str, conf: dict[str, str], tmp_path: Path
) -> None:
    """Of a task that failed, and of one that ran twice at the same time, on two executors."""
    (seen := tmp_path / "seen").mkdir()
    place.write_scores(udf.replace("SEEN", str(seen)))
    with place.submitted([place.command("run", "--select=scored")], **conf) as run:
        report = place.report(run)
    assert [one["success"] for one in report["runs"]] == [True], report
    attempts = [path.name.split("-") for path in seen.iterdir()]
    of_the_first = {attempt: executor for task, attempt, executor in attempts if task == "0"}
    assert {*of_the_first} == {"0", "1"}
    assert of_the_first["0"] != of_the_first["1"]
    assert place.scores() == TWICE
    assert place.left("scored") == Surplus()


def test_spark_may_choose_the_number_of_executors(place: ClusterPlace) -> None:
    """A rebuild after all of them have gone publishes the same as with a fixed number."""
    commands = [place.command("build", v=number) for number in (1, 2)]
    with place.submitted(commands, **CHOOSES_EXECUTORS) as run:
        report = place.report(run)
    assert all(one["success"] for one in report["runs"]), report
    assert place.numbered.number() == 2
    assert place.left() == Surplus()


@pytest.mark.parametrize("victim", ["executor", "worker", "master"])
def test_a_run_survives_the_loss_of_a_part_of_its_cluster(place: ClusterPlace, victim: str) -> None:
    """Spark repeats the tasks, and one version is published, with each row once."""
    command = place.command("run", "--select=numbered", v=1, ms=A_WHILE_MS)
    with place.submitted([command]) as run:
        run.wait_until(place.numbered.is_in_a_task, "a task")
        kill(place, victim)
        report = place.report(run)
    assert report["runs"][0]["success"], report
    assert place.numbered.number() == 1
    assert place.left(TABLE) == Surplus()


def kill(place: ClusterPlace, victim: str) -> None:
    """With SIGKILL; a worker with its executors, as when its machine is lost."""
    if victim == "executor":
        os.kill(place.cluster.executors()[0], signal.SIGKILL)
    elif victim == "worker":
        os.killpg(place.cluster.workers[0].pid, signal.SIGKILL)
    else:
        os.killpg(place.cluster.master.pid, signal.SIGKILL)


def test_a_driver_that_is_killed_leaves_the_last_version(
    place: ClusterPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its executors end by themselves, the next build publishes, and a vacuum takes the rest."""
    select = ("run", "--select=numbered")
    with place.submitted([place.command(*select, v=1)]) as run:
        assert place.report(run)["runs"][0]["success"]
    with place.in_client_mode(monkeypatch, *select, v=2, ms=A_WHILE_MS) as run:
        run.wait_until(place.numbered.is_in_a_task, "a task")
        run.kill()
    assert place.numbered.number() == 1
    wait_until(lambda: not place.cluster.executors(), 60.0, "the end of the executors")
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS")
    commands = [place.command(*select, v=3), place.vacuum()]
    with place.submitted(commands) as run:
        report = place.report(run)
    assert all(one["success"] for one in report["runs"]), report
    assert place.numbered.number() == 3
    assert place.left(TABLE) == Surplus()
