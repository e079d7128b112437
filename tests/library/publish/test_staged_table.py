"""begin, stage, verify, commit, settle, abort: the one machine, on a kind that is scripted."""

import logging

import pytest

from ctas_spark.context import Atomicity, TableName
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import StagedVersionIncompleteError, StagingError
from ctas_spark.publish import messages
from ctas_spark.publish.version import Change, Outcome, Reach
from ctas_spark.steps import Step
from fakes.engine import FakeJob
from fakes.version import ABSENT, RECORD, THERE, FakeVersion, begun, moved, plan


class Recorder:
    """Remembers where a run stood."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def entered(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (one target)
        self.seen.append(f"> {step.value}")

    def left(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (one target)
        self.seen.append(f"< {step.value}")


def test_a_publication_goes_through_its_calls_in_one_order() -> None:
    """Staged on the base, checked twice, and published by one call under the kind's lock."""
    version, job = FakeVersion([THERE]), FakeJob()
    job.counted = WriteFigures(rows=3, files=1)
    table = plan(version, job=job).begin()
    assert table.statement("q") == "STAGE q"
    assert table.verify() == RECORD
    table.commit()
    table.settle()
    assert version.did == [
        "finish_interrupted",
        "stage on v0 isolated",
        "read afresh",
        "check",
        "check",
        "lock",
        "mark v0 isolated",
        "check the lock",
        "publish v0",
        "unlock",
        "settle",
    ]
    assert (table.outcome, table.figures.rows) == (Outcome.COMMITTED, 3)
    assert (table.reach.strategy, table.base.version, table.target) == ("swap", "v0", table.target)


def test_the_last_listing_is_booked_before_the_commit() -> None:
    """What takes long on an object store does not count as the commit's time."""
    recorder = Recorder()

    class Listing(FakeVersion):
        def check_staged(self, counted: WriteFigures) -> WriteFigures:
            recorder.seen.append("list")
            return counted

    table = plan(Listing([THERE]), observers=(recorder,)).begin()
    table.statement("q")
    table.verify()
    table.commit()
    after_the_job = recorder.seen[recorder.seen.index("< stage") + 1 :]
    assert after_the_job == [
        "> verify",
        "list",
        "list",
        "< verify",
        "> commit",
        "> publish",
        "< publish",
        "< commit",
    ]


def test_a_version_that_is_not_whole_is_never_published() -> None:
    """The commit fails before its call, and the abort removes what is there."""
    gone = StagedVersionIncompleteError("a file vanished")
    version = FakeVersion([THERE])
    table = begun(version)
    version.fails["check"] = gone
    with pytest.raises(StagedVersionIncompleteError):
        table.commit()
    table.abort("failed")
    assert version.did == ["check", "discard"]
    assert table.outcome is Outcome.NOT_COMMITTED


def test_what_was_published_over_is_the_tables_base() -> None:
    """After an overwrite, base and reach are those of the call that landed."""
    theirs = moved(Change.WRITTEN)
    table = begun(FakeVersion([THERE, theirs]), "create_or_replace", "overwrite")
    table.commit()
    assert table.base is theirs
    assert table.base.version == "theirs"


def test_what_is_left_of_a_commit_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """The model has succeeded; the next run finishes it."""
    caplog.set_level(logging.INFO)
    version = FakeVersion([THERE])
    table = begun(version)
    table.commit()
    version.left = ["its columns"]
    table.settle()
    assert "left for a later run: its columns" in caplog.text


def test_level_none_fills_after_the_commit_and_counts_then() -> None:
    """Only there has a table a second statement, and its figures are those of that one."""
    job = FakeJob()
    version = FakeVersion([THERE], reached=lambda _over: Reach(Atomicity.NONE, "swap"))
    table = begun(version, asked=Atomicity.NONE, job=job)
    table.commit()
    assert table.fill_statement("q") == "FILL q"
    job.counted = WriteFigures(rows=7)
    table.settle()
    assert table.figures.rows == 7
    assert begun(FakeVersion([THERE])).fill_statement("q") is None


def test_what_the_kind_keeps_is_passed_on() -> None:
    """Where partitions are known, and whether columns are kept, the kind decides."""
    version = FakeVersion([THERE], keeps_own_columns=True, partition_metadata="files")
    table = begun(version)
    assert (table.keeps_own_columns, table.partition_metadata) == (True, "files")


@pytest.mark.parametrize("counts_itself", [True, False])
def test_the_engine_is_asked_for_what_the_format_does_not_count(*, counts_itself: bool) -> None:
    """To find it among Spark's last statements takes two calls of the JVM for each of them."""
    job = FakeJob()
    job.counted = WriteFigures(rows=7)
    table = plan(FakeVersion([THERE], keeps_own_columns=counts_itself), job=job).begin()
    table.statement("q")
    table.verify()
    assert table.figures.rows == (None if counts_itself else 7)


def test_an_abort_removes_the_version_once() -> None:
    """It stops the job first, and a second one does nothing."""
    version, job = FakeVersion([THERE]), FakeJob()
    version.left = ["a file"]
    table = begun(version, job=job)
    table.abort("failed")
    table.abort("failed")
    assert (version.did, job.stopped) == (["discard"], 1)
    assert (table.outcome, table.left_behind) == (Outcome.NOT_COMMITTED, ["a file"])


def test_an_abort_waits_for_the_job(caplog: pytest.LogCaptureFixture) -> None:
    """While a task of it runs nothing is deleted under it, and that is said."""
    version, job = FakeVersion([THERE]), FakeJob()
    job.stubborn = True
    table = begun(version, job=job)
    table.abort("cancelled")
    assert version.did == []
    assert table.left_behind == ["its places (a task of the job still runs)"]
    assert "a later run deletes it" in caplog.text


def test_an_abort_never_raises() -> None:
    """The model's own error goes through."""
    version = FakeVersion([THERE])
    table = begun(version)
    version.fails["discard"] = StagingError("disk full")
    table.abort("failed")
    assert table.left_behind == ["what was staged in its places"]
    assert table.outcome is Outcome.NOT_COMMITTED


def test_an_abort_of_a_rollback_deletes_nothing() -> None:
    """A version that was there before has no places of this attempt."""
    version, job = FakeVersion([THERE], places=""), FakeJob()
    table = begun(version, job=job)
    table.abort("failed")
    assert (version.did, table.left_behind) == ([], [])


@pytest.mark.parametrize("outcome", [Outcome.COMMITTED, Outcome.UNKNOWN])
def test_an_abort_after_the_call_does_nothing(outcome: Outcome) -> None:
    """What is published, or may be, is not the run's to delete any more."""
    version, job = FakeVersion([THERE], outcomes=[outcome]), FakeJob()
    table = begun(version, job=job)
    if outcome is Outcome.COMMITTED:
        table.commit()
    else:
        with pytest.raises(StagingError):
            table.commit()
    table.abort("a post-hook failed")
    assert "discard" not in version.did
    assert (job.stopped, table.outcome) == (0, outcome)


def test_the_loser_of_two_creations_discards_its_own() -> None:
    """With create_if_not_exists the model succeeds; the target is not called at all."""
    version = FakeVersion([ABSENT, moved(Change.CREATED)])
    table = begun(version, "create_if_not_exists")
    table.commit()
    assert table.outcome is Outcome.KEPT
    assert version.did[-1] == "discard"
    assert version.published_over() == []


@pytest.mark.parametrize(
    ("base", "said"),
    [(THERE, "it still holds version v0"), (ABSENT, "it still does not exist")],
)
def test_an_unpublished_model_says_what_the_target_is(base: object, said: str) -> None:
    """In words that end a sentence."""
    assert messages.unchanged(begun(FakeVersion([base])).base) == said  # type: ignore[list-item]


def test_an_abort_is_a_step_of_its_own() -> None:
    """The step that failed before it has no end; the reason is in the log."""
    recorder = Recorder()
    table = plan(FakeVersion([THERE]), observers=(recorder,)).begin()
    table.statement("select 1")
    recorder.seen.clear()
    table.abort("failed")
    assert recorder.seen == ["> abort", "> delete_files", "< delete_files", "< abort"]


def test_the_reason_of_an_abort_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """With the version and the table."""
    caplog.set_level(logging.INFO)
    plan(FakeVersion([THERE])).begin().abort("failed")
    assert "version v1 of db.t was withdrawn: failed" in caplog.text
