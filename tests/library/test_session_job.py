"""A job that is stopped, tasks that ignore it, and what a statement of it has written."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError

from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.engines.session import SessionJob


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


def counting(
    *stages: dict[str, Any], described: str = "mine 1", forgotten: int = 0, skipped: int = 0
) -> SessionJob:
    """A job whose first statement had one job with these stages, and some that Spark forgot."""
    quiet = {"numFailedTasks": 0, "numKilledTasks": 0, "attemptId": 0}
    calls = [
        SimpleNamespace(**{name: lambda n=n: n for name, n in {**quiet, **stage}.items()})
        for stage in stages
    ]
    ids = SimpleNamespace(size=lambda: len(calls) + forgotten, apply=lambda index: index)

    def stage_of(index: int) -> SimpleNamespace:
        if index < len(calls):
            return calls[index]
        raise Py4JJavaError("forgotten", SimpleNamespace(_target_id="o1", _gateway_client=None))

    description = SimpleNamespace(isDefined=lambda: True, get=lambda: described)
    store = SimpleNamespace(
        job=lambda _: SimpleNamespace(
            stageIds=lambda: ids,
            description=lambda: description,
            numSkippedStages=lambda: skipped,
        ),
        lastStageAttempt=stage_of,
    )
    jvm_context = SimpleNamespace(
        listenerBus=lambda: SimpleNamespace(waitUntilEmpty=lambda _: None),
        statusStore=lambda: store,
        getLocalProperties=lambda: SimpleNamespace(clone=dict),
    )
    counted = job(Tracker(), [])
    context: Any = counted.spark.sparkContext
    context._jsc.sc = lambda: jvm_context  # noqa: SLF001
    context.setJobGroup = context.setLocalProperty = lambda *_, **__: None
    counted.attach()
    return counted


WROTE = {"outputRecords": 5, "outputBytes": 70}
READ = {"outputRecords": 0, "outputBytes": 0}


def test_a_statement_has_written_what_its_tasks_wrote() -> None:
    """Stages that only read add nothing."""
    assert counting(READ, WROTE, WROTE).written_by("insert", None) == WriteFigures(10, None, 140)


def test_a_stage_that_was_skipped_may_be_forgotten() -> None:
    """Spark keeps 1,000 stages, and forgets skipped ones first; another one may have written."""
    wrote = WriteFigures(5, None, 70)
    assert counting(WROTE, forgotten=1, skipped=1).written_by("insert", None) == wrote
    assert counting(WROTE, forgotten=2, skipped=1).written_by("insert", None) == WriteFigures()


@pytest.mark.parametrize("trouble", ["numFailedTasks", "numKilledTasks", "attemptId"])
def test_nothing_is_known_of_a_repeated_write(trouble: str) -> None:
    """What a failed attempt wrote may be counted twice, or not at all."""
    assert counting(WROTE, {**WROTE, trouble: 1}).written_by("insert", None) == WriteFigures()


def test_a_stage_that_only_reads_may_be_cut_short() -> None:
    """Adaptive execution cancels one whose rows it does not need any more."""
    read = {**READ, "numKilledTasks": 1}
    assert counting(read, WROTE).written_by("insert", None) == WriteFigures(5, None, 70)


def test_jobs_of_other_statements_are_not_counted() -> None:
    """A hook that writes before the model's main statement is another statement of the group."""
    counted = counting(WROTE, described="mine 1")
    counted.attach()
    assert counted.written_by("insert", None) == WriteFigures()


@pytest.mark.parametrize(("columns", "rows"), [(["num_affected_rows"], 3), ([], None)])
def test_a_merge_has_written_what_it_says(columns: list[str], rows: int | None) -> None:
    """Its tasks also copy rows that it leaves as they are."""
    frame = SimpleNamespace(columns=columns, collect=lambda: [{"num_affected_rows": 3}])
    written = counting(WROTE).written_by("/* dbt */ MERGE INTO t", frame)
    assert written == WriteFigures(rows=rows)


RUNS = {"status": "ACTIVE", "stageId": 7, "numCompleteTasks": 3, "numTasks": 20, **WROTE}
ENDED = {**RUNS, "status": "COMPLETE", "outputRecords": 1_200}


def test_a_running_statement_says_how_far_it_is() -> None:
    """By the tasks of stages that run, and the rows of all; nothing, once the driver has ended."""
    assert counting(ENDED, RUNS).progress() == "stage 7: 3 of 20 tasks, rows written: 1,205"
    assert counting({**RUNS, **READ}).progress() == "stage 7: 3 of 20 tasks"
    no_task = "no task is running: Spark is planning or finishing it"
    assert counting(ENDED).progress() == f"{no_task}, rows written: 1,200"
    gone = counting(RUNS)
    context: Any = gone.spark.sparkContext

    def end() -> None:
        raise ConnectionRefusedError

    context._jsc.sc = end  # noqa: SLF001 (PySpark's)
    assert gone.progress() == ""
