"""A job that is stopped, and tasks that ignore it."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from dbt.adapters.ctas_spark.staging.engines.session import SessionJob


class Tracker:
    """One job of one stage, whose running tasks are counted down."""

    def __init__(self, *counts: int) -> None:
        self.counts = list(counts)

    def getJobIdsForGroup(self, _group: str) -> list[int]:  # noqa: N802 (Spark's name)
        return [1]

    def getJobInfo(self, _job: int) -> Any:  # noqa: N802 (Spark's name)
        return SimpleNamespace(stageIds=[1])

    def getStageInfo(self, _stage: int) -> Any:  # noqa: N802 (Spark's name)
        return SimpleNamespace(numActiveTasks=self.counts.pop(0) if self.counts else 1)


def job(tracker: Tracker, canceled: list[str], version: str = "4.1.4") -> SessionJob:
    """A job of a session that only counts, and does not wait for stubborn tasks."""
    jvm_context = SimpleNamespace(
        cancelJobGroup=lambda group: canceled.append(f"running of {group}"),
        cancelJobGroupAndFutureJobs=lambda group: canceled.append(f"all of {group}"),
    )
    context = SimpleNamespace(
        version=version,
        statusTracker=lambda: tracker,
        _jsc=SimpleNamespace(sc=lambda: jvm_context),
    )
    session: Any = SimpleNamespace(sparkContext=context)
    return SessionJob(session, "mine", threading.Event(), stop_seconds=0)


def test_a_job_without_tasks_has_stopped() -> None:
    """The cancel is asked for before the tasks are counted."""
    canceled: list[str] = []
    assert job(Tracker(0), canceled).stop()
    assert canceled == ["all of mine"]


@pytest.mark.parametrize(
    ("version", "said"), [("3.5.9", "running of mine"), ("4.1.4", "all of mine")]
)
def test_only_its_own_group_is_cancelled(version: str, said: str) -> None:
    """Spark 4 cancels the jobs that the group would still start, too."""
    canceled: list[str] = []
    job(Tracker(0), canceled, version).cancel()
    assert canceled == [said]


def test_a_task_that_ignores_the_kill_is_given_up() -> None:
    """After the timeout the job is said to run still, so that nothing below it is deleted."""
    assert not job(Tracker(), []).stop()


def test_a_driver_that_has_ended_runs_no_task() -> None:
    """Nothing is left to stop; the abort goes on."""
    stopped = job(Tracker(), [])

    def gone() -> None:
        raise ConnectionRefusedError

    stopped.spark.sparkContext._jsc.sc = gone  # noqa: SLF001
    assert stopped.stop()
