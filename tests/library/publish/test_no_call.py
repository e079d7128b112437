"""What ends a commit before its call: nothing is published, and the error says why."""

import pytest

from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import Atomicity
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConcurrentWriteError,
    JobCanceledError,
    LockLostError,
    StagedVersionIncompleteError,
)
from ctas_spark.publish.staged_table import (
    LONGEST_CREATION_MS,
)
from ctas_spark.publish.version import (
    CannotReplayError,
    Change,
    NotWholeError,
    Outcome,
    Reach,
    SweptError,
)
from fakes.clock import FakeClock
from fakes.engine import FakeJob
from fakes.version import ABSENT, REPLACES, THERE, FakeBase, FakeVersion, begun, fails, moved


def test_an_overwrite_that_would_not_be_whole_is_refused_before_the_call() -> None:
    """The abort may delete: nothing of it can land."""
    version = FakeVersion(
        [THERE, moved(Change.WRITTEN)], calls=[CannotReplayError("other partitions")]
    )
    table = begun(version, REPLACES, "overwrite")
    assert "other partitions" in str(fails(table, ConcurrentWriteError))
    assert version.did[-1] == "discard"


def test_a_creation_that_took_its_entry_back_has_failed() -> None:
    """It was swept while it slept; nothing of it is published."""
    version = FakeVersion([ABSENT], calls=[SweptError("taken")])
    table = begun(version)
    assert "a clean-up deleted" in str(fails(table, ConcurrentWriteError))
    assert table.outcome is Outcome.NOT_COMMITTED


def test_a_version_that_is_not_whole_at_the_call_is_refused_and_withdrawn() -> None:
    """The last look comes after all that takes time; nothing was called."""
    version = FakeVersion([THERE], calls=[NotWholeError("a file is missing")])
    table = begun(version)
    assert "a file is missing" in str(fails(table, StagedVersionIncompleteError))
    assert version.did[-1] == "discard"


@pytest.mark.parametrize("clock", ["wall", "running"])
def test_a_creation_that_is_too_old_is_refused_before_the_call(clock: str) -> None:
    """By either clock: one may have been set, and the other may not see a suspended machine."""
    time = FakeClock()
    version = FakeVersion([ABSENT])
    table = begun(version, clock=time)
    setattr(time, clock, getattr(time, clock) + ORPHAN_AGE_MS // 2 + 1)
    assert "began so long ago" in str(fails(table, ConcurrentWriteError))
    assert version.published_over() == []
    assert version.did[-1] == "discard"


def test_a_creation_may_take_half_of_the_orphan_age() -> None:
    """And what drops out in between is created by the same rule."""
    time = FakeClock()
    table = begun(FakeVersion([ABSENT]), clock=time)
    time.pass_ms(LONGEST_CREATION_MS)
    table.commit()
    dropped = begun(FakeVersion([THERE, moved(Change.DROPPED, None)]), clock=time)
    time.pass_ms(LONGEST_CREATION_MS + 1)
    fails(dropped, ConcurrentWriteError)


def test_a_replacement_may_take_any_time() -> None:
    """Its compare-and-swap refuses it where its version was swept."""
    time = FakeClock()
    table = begun(FakeVersion([THERE]), clock=time)
    time.pass_ms(10 * ORPHAN_AGE_MS)
    table.commit()
    assert table.outcome is Outcome.COMMITTED


def test_a_cancel_before_the_call_publishes_nothing() -> None:
    """Not even a marker is made."""
    version, job = FakeVersion([THERE]), FakeJob()
    table = begun(version, job=job)
    job.canceled = True
    fails(table, JobCanceledError)
    assert version.did == ["check", "lock", "discard"]


def test_a_lock_that_was_lost_stops_the_commit_before_its_call() -> None:
    """Another writer may hold it by now."""
    version = FakeVersion([THERE])
    table = begun(version)
    version.fails["check the lock"] = LockLostError("ended")
    fails(table, LockLostError)
    assert version.published_over() == []
    assert table.outcome is Outcome.NOT_COMMITTED


def test_a_named_level_that_the_base_at_commit_does_not_let_be_kept_is_an_error() -> None:
    """Before the call: it says what is missing, and the abort removes what was staged."""

    def reached(over: FakeBase) -> Reach:
        if over.version == "theirs":
            return Reach(Atomicity.ATOMIC, "swap", "mixed", "theirs has other columns", "try auto")
        return Reach(Atomicity.ISOLATED, "swap")

    version = FakeVersion([THERE, moved(Change.WRITTEN)], reached=reached)
    table = begun(version, REPLACES, "overwrite", atomicity=Atomicity.ISOLATED)
    assert "theirs has other columns" in str(fails(table, AtomicityNotSupportedError))
    assert version.published_over() == []
