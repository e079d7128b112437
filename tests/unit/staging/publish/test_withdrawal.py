"""How a version that is not published is given up."""

import logging

import pytest

from dbt.adapters.ctas_spark.staging.errors import StorageError
from dbt.adapters.ctas_spark.staging.publish.staged_table import Withdrawal
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport
from fakes.engine import FakeJob
from fakes.version import TARGET


class Discard:
    """Counts how often it is called; ``left`` is what it can't remove."""

    def __init__(self, *left: str) -> None:
        self.left = list(left)
        self.called = 0

    def __call__(self) -> list[str]:
        self.called += 1
        return self.left


def withdrawal(discard: Discard, job: FakeJob, places: str = "directory d") -> Withdrawal:
    """The end of one version."""
    return Withdrawal(TARGET, "v1", places, job, StepReport(TARGET), discard)


def test_the_job_is_stopped_before_anything_is_removed() -> None:
    """What it can't remove is returned."""
    discard, job = Discard("record r"), FakeJob()
    assert withdrawal(discard, job).run("failed") == ["record r"]
    assert (job.stopped, discard.called) == (1, 1)


def test_a_version_without_places_is_left_alone() -> None:
    """Nothing was written yet, or what is there was there before."""
    discard, job = Discard(), FakeJob()
    assert withdrawal(discard, job, places="").run("failed") == []
    assert (job.stopped, discard.called) == (0, 0)


def test_nothing_is_removed_under_a_running_task(caplog: pytest.LogCaptureFixture) -> None:
    """It stays to its age, and the log says so."""
    discard, job = Discard(), FakeJob()
    job.stubborn = True
    assert withdrawal(discard, job).run("cancelled") == [
        "directory d (a task of the job still runs)"
    ]
    assert discard.called == 0
    assert "a later run deletes it" in caplog.text


def test_a_withdrawal_never_raises(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever fails is in the log, and the places are named as left."""

    class Broken(FakeJob):
        def stop(self) -> bool:
            raise StorageError("the driver is gone")

    assert withdrawal(Discard(), Broken()).run("failed") == ["what was staged in directory d"]
    assert "did not finish" in caplog.text


def test_it_is_a_step_of_its_own() -> None:
    """The step that failed before it has no end."""
    seen: list[str] = []

    class Seen:
        def entered(self, step: Step, target: object) -> None:  # noqa: ARG002 (one target)
            seen.append(f"> {step.value}")

        def left(self, step: Step, target: object) -> None:  # noqa: ARG002 (one target)
            seen.append(f"< {step.value}")

    report = StepReport(TARGET, (Seen(),))
    report.enter(Step.STAGE)
    Withdrawal(TARGET, "v1", "d", FakeJob(), report, Discard()).run("failed")
    assert seen == ["> stage", "> abort", "< abort"]


def test_the_reason_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """With the version and the table."""
    caplog.set_level(logging.INFO)
    withdrawal(Discard(), FakeJob()).remove("another created the table")
    assert "version v1 of db.t was withdrawn: another created the table" in caplog.text
