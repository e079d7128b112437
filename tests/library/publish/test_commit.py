"""The commit calls of one version, until the fate of one of them is known."""

import pytest

from ctas_spark.context import Atomicity
from ctas_spark.errors import (
    CommitRefusedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
    StagingError,
)
from ctas_spark.publish.staged_table import (
    MOST_ATTEMPTS,
)
from ctas_spark.publish.version import (
    Change,
    Outcome,
    Reach,
)
from fakes.version import REPLACES, THERE, FakeBase, FakeVersion, begun, fails, moved

LOST = MetastoreError("connection lost")
STALE = EntryModifiedError("stale")


@pytest.mark.parametrize("failure", [LOST, STALE, RefusedError("no")])
def test_committed_stands_however_the_call_ended(failure: MetastoreError) -> None:
    """A retry in client or server turns a success into "conflict", "exists" or no answer."""
    version = FakeVersion([THERE], calls=[failure])
    table = begun(version)
    table.commit()
    assert table.outcome is Outcome.COMMITTED
    assert version.judged == [failure]


def test_an_unknown_outcome_deletes_nothing() -> None:
    """The model fails and says so; an abort does nothing."""
    version = FakeVersion([THERE], calls=[LOST], outcomes=[Outcome.UNKNOWN])
    table = begun(version)
    error = fails(table, CommitStateUnknownError)
    assert "nothing was deleted" in str(error)
    assert table.outcome is Outcome.UNKNOWN
    assert "discard" not in version.did


def test_a_call_that_succeeded_and_does_not_show_was_reverted() -> None:
    """Another writer's stale entry was written over it: both versions stay."""
    version = FakeVersion([THERE], outcomes=[Outcome.UNKNOWN])
    table = begun(version)
    assert "reverted" in str(fails(table, ConcurrentWriteError))
    assert table.outcome is Outcome.UNKNOWN
    assert "discard" not in version.did


def test_a_target_that_can_not_be_read_after_the_call_is_unknown() -> None:
    """Even after a refusal: only that read decides."""

    class Blind(FakeVersion):
        def publish(self, over: FakeBase) -> None:
            self.fails["look"] = MetastoreError("connection refused")
            super().publish(over)

    version = Blind([THERE], calls=[STALE])
    table = begun(version)
    fails(table, CommitStateUnknownError)
    assert table.outcome is Outcome.UNKNOWN
    assert "discard" not in version.did


@pytest.mark.parametrize("broken", [KeyboardInterrupt(), SystemExit(), RuntimeError("py4j")])
def test_a_call_that_is_broken_off_is_unknown(broken: BaseException) -> None:
    """Whatever ends it says nothing of its fate, and the error goes through as it is."""
    version = FakeVersion([THERE], calls=[broken])
    table = begun(version)
    assert fails(table, type(broken)) is broken
    assert table.outcome is Outcome.UNKNOWN
    assert "discard" not in version.did


def test_a_refusal_of_the_commit_itself_is_not_tried_again() -> None:
    """No rival did it, so it would be refused again; what was staged is removed."""
    version = FakeVersion(
        [THERE], calls=[RefusedError("no such serde")], outcomes=[Outcome.NOT_COMMITTED]
    )
    table = begun(version)
    assert "no such serde" in str(fails(table, CommitRefusedError))
    assert version.published_over() == ["v0"]
    assert version.did[-1] == "discard"


def test_a_rivals_commit_is_never_overwritten() -> None:
    """The later writer gets ConcurrentWriteError, and calls nothing."""
    version = FakeVersion([THERE, moved(Change.WRITTEN)])
    table = begun(version)
    assert "somebody" in str(fails(table, ConcurrentWriteError))
    assert version.published_over() == []
    assert version.did[-1] == "discard"


def test_a_rival_between_look_and_call_is_found_by_the_next_look() -> None:
    """The refused call committed nothing; the purpose then decides as if it had been seen."""
    version = FakeVersion(
        [THERE, THERE, THERE, moved(Change.WRITTEN)],
        calls=[STALE],
        outcomes=[Outcome.NOT_COMMITTED],
    )
    fails(begun(version), ConcurrentWriteError)
    assert version.published_over() == ["v0"]


def test_overwrite_writes_its_new_base_down_before_the_call() -> None:
    """A clean-up then sees what the call is conditional on."""
    version = FakeVersion([THERE, moved(Change.WRITTEN)])
    table = begun(version, REPLACES, "overwrite")
    table.commit()
    assert version.did[2:6] == [
        "rebase theirs",
        "mark theirs isolated",
        "check the lock",
        "publish theirs",
    ]
    assert table.outcome is Outcome.COMMITTED


def test_a_base_that_is_still_begins_is_not_written_down_again() -> None:
    """The record has it since the job."""
    version = FakeVersion([THERE])
    begun(version).commit()
    assert not any(one.startswith("rebase") for one in version.did)


@pytest.mark.parametrize("call", ["rebase", "mark"])
def test_a_record_that_a_clean_up_took_refuses_the_commit(call: str) -> None:
    """Nothing is called."""
    version = FakeVersion([THERE, moved(Change.WRITTEN)])
    table = begun(version, REPLACES, "overwrite")
    version.fails[call] = ConcurrentWriteError("swept")
    fails(table, ConcurrentWriteError)
    assert version.published_over() == []
    assert table.outcome is Outcome.NOT_COMMITTED


def test_overwrite_goes_on_until_it_is_alone() -> None:
    """However often a rival is faster, the version lands on the last of them."""
    rivals = [moved(Change.WRITTEN, f"rival{at}") for at in range(3)]
    looks = [THERE, THERE, *(one for rival in rivals for one in (rival, rival))]
    version = FakeVersion(
        looks,
        calls=[STALE, STALE, STALE, None],
        outcomes=[*[Outcome.NOT_COMMITTED] * 3, Outcome.COMMITTED],
    )
    table = begun(version, REPLACES, "overwrite")
    table.commit()
    assert version.published_over() == ["v0", "rival0", "rival1", "rival2"]


def test_overwrite_gives_up_in_the_end() -> None:
    """A writer that is never alone fails instead of trying for ever."""
    version = FakeVersion(
        [THERE, moved(Change.WRITTEN)],
        calls=[STALE] * MOST_ATTEMPTS,
        outcomes=[Outcome.NOT_COMMITTED] * MOST_ATTEMPTS,
    )
    table = begun(version, REPLACES, "overwrite")
    assert "each of 100 attempts" in str(fails(table, ConcurrentWriteError))
    assert version.did[-1] == "discard"


def test_auto_takes_what_the_base_at_commit_reaches() -> None:
    """The marker and the result have the level that was kept in truth."""

    def reached(over: FakeBase) -> Reach:
        level = Atomicity.ATOMIC if over.version == "theirs" else Atomicity.ISOLATED
        return Reach(level, "swap", "mixed" if level is Atomicity.ATOMIC else "none")

    version = FakeVersion([THERE, moved(Change.WRITTEN)], reached=reached)
    table = begun(version, REPLACES, "overwrite")
    table.commit()
    assert "mark theirs atomic" in version.did
    assert (table.level, table.reach.reader_window) == (Atomicity.ATOMIC, "mixed")


def test_upkeep_by_others_is_no_conflict() -> None:
    """An ANALYZE changes no row: the version is published over what it left."""
    version = FakeVersion([THERE, moved(Change.MAINTAINED, "v0")])
    begun(version).commit()
    assert "rebase v0" in version.did
    assert version.published_over() == ["v0"]


def test_an_error_of_the_kind_itself_is_no_outcome() -> None:
    """What fails before the call leaves the attempt to the abort."""
    version = FakeVersion([THERE])
    table = begun(version)
    version.fails["lock"] = StagingError("no lock")
    fails(table, StagingError)
    assert (table.outcome, version.did[-1]) == (Outcome.NOT_COMMITTED, "discard")
