"""A holder of the lock on partitions notes that it is at work, as it may lose the lock."""

import pytest

from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import PartitionMetadata
from ctas_spark.steps import Step, observe
from fakes.steps import At, dies_at
from fakes.world import BY_MONTH, Staged, World

REPLACES = "create_or_replace"
AUTO, FILES = PartitionMetadata.AUTO, PartitionMetadata.FILES
STEPS = [Step.DROP_PARTITIONS, Step.ADD_PARTITIONS, Step.TRACK_PARTITIONS]


def test_a_holder_notes_that_it_is_at_work_while_it_is(remote: World) -> None:
    """By compare-and-swap on the target, before the first partition changes."""
    ours = remote.committed("may")
    seen: list[str | None] = []
    with observe(At(Step.DROP_PARTITIONS, lambda: seen.append(remote.holder_note()))):
        ours.settle()
    (noted,) = seen
    assert noted is not None
    assert noted.partition(":")[2] == str(remote.clock.wall)
    assert remote.holder_note() is None


def test_a_lock_that_can_not_run_out_needs_no_note() -> None:
    """Its holder gave it back or is gone with this process."""
    world = World(single_process=True)
    ours = world.committed("may")
    seen: list[str | None] = []
    with observe(At(Step.DROP_PARTITIONS, lambda: seen.append(world.holder_note()))):
        ours.settle()
    assert seen == [None]


def paused_holder(world: World) -> Staged:
    """A run whose lock ended while it stood in the middle of its bookkeeping."""
    ours = world.committed("may")
    with dies_at(Step.ADD_PARTITIONS):
        ours.settle()
    world.metastore.expire_locks()
    assert world.holder_note() is not None
    return ours


def test_nobody_tracks_while_a_holder_may_wake_up(
    remote: World, caplog: pytest.LogCaptureFixture
) -> None:
    """A lock that ran out proves no death: later versions are right, and stay untracked."""
    paused_holder(remote)
    noted = remote.holder_note()
    for _ in range(2):
        theirs = remote.published(REPLACES, "june")
        assert theirs.partition_metadata == "pending"
        assert (remote.partitions_are(), remote.holder_note()) == ((None, "pending"), noted)
    assert "may still change them" in caplog.text
    assert ("june", theirs.version) not in remote.months()


def test_auto_goes_on_tracking_what_is_not_tracked_yet(remote: World) -> None:
    """A run that was killed in the middle turns no tracked table into one of files."""
    paused_holder(remote)
    theirs = remote.published(REPLACES, "june", partition_metadata=AUTO)
    assert (theirs.partition_metadata, remote.partitions_are()) == ("pending", (None, "pending"))


def test_a_foreign_note_counts_for_half_of_the_orphan_age(remote: World) -> None:
    """After it the next begin tracks the version that is shown."""
    paused_holder(remote)
    theirs = remote.published(REPLACES, "june")
    remote.clock.pass_ms(ORPHAN_AGE_MS // 2 - 2_000)
    remote.plan(layout=BY_MONTH).begin()
    assert remote.partitions_are() == (None, "pending")
    remote.clock.pass_ms(2_000)
    remote.plan(layout=BY_MONTH).begin()
    assert remote.months() == {("june", theirs.version)}
    assert (remote.partitions_are(), remote.holder_note()) == (("catalog", "tracked"), None)


def test_a_lost_lock_stops_the_bookkeeping_and_leaves_the_note(remote: World) -> None:
    """A holder that wakes up without its lock changes nothing more; nobody may rely on that."""
    ours = remote.committed("may")
    remote.once_after("partitions", remote.metastore.expire_locks)
    ours.settle()
    assert "add_partitions" not in remote.metastore.calls
    assert (remote.partitions_are(), ours.partition_metadata) == ((None, "pending"), "pending")
    assert remote.holder_note() is not None


def test_a_lock_is_given_back(remote: World) -> None:
    """Nobody waits for a run that has ended its bookkeeping."""
    remote.published(REPLACES, "may")
    assert remote.metastore.locks == {}


def test_a_lock_that_was_lost_before_the_first_change_changes_nothing(remote: World) -> None:
    """Its next holder may be dropping partitions already."""
    old = remote.published("create_or_replace", "may")
    ours = remote.committed("june")
    with observe(At(Step.ADD_PARTITIONS, remote.metastore.expire_locks)):
        ours.settle()
    assert remote.months() == {("may", old.version)}
    assert remote.holder_note() is not None
