"""The metastore's partitions follow the published version, and readers never depend on it."""

from dataclasses import replace

import pytest

from ctas_spark.context import Atomicity, OnConflict, PartitionMetadata
from ctas_spark.errors import MetastoreError, NotSupportedError, RefusedError, StorageError
from ctas_spark.files.base import (
    LAST_DDL_TIME,
    PARTITION_PROVIDER,
)
from ctas_spark.files.follow_up import MAY_WAKE_UP_MS
from ctas_spark.publish.marker import COMMIT, Marker
from ctas_spark.retention.rules import RetentionRules
from ctas_spark.steps import Step, observe
from ctas_spark.storage.client import StoredFile
from fakes.steps import At, dies_at
from fakes.world import BY_MONTH, CONTEXT, TARGET_NAME, Staged, World, version_of

REPLACES = "create_or_replace"
AUTO, FILES = PartitionMetadata.AUTO, PartitionMetadata.FILES
STEPS = [Step.ADD_PARTITIONS, Step.DROP_PARTITIONS, Step.TRACK_PARTITIONS]


@pytest.fixture(params=["embedded", "remote"])
def world(request: pytest.FixtureRequest) -> World:
    """A lock of this process, or the metastore's own."""
    return World(single_process=request.param == "embedded")


def test_partitions_follow_every_publication(world: World) -> None:
    """Added, kept and gone values: the metastore keeps those of the last version alone."""
    world.published(REPLACES, "may", "june")
    last = world.published(REPLACES, "june", "july")
    assert world.months() == {("june", last.version), ("july", last.version)}
    assert world.partitions_are() == ("catalog", "tracked")
    assert (last.partition_metadata, world.holder_note()) == ("tracked", None)


def test_the_swap_itself_tracks_nothing(world: World) -> None:
    """Until the last step Spark lists directories, so that readers are right from the swap on."""
    old = world.published(REPLACES, "may")
    world.committed("june")
    assert world.partitions_are() == (None, "pending")
    assert world.months() == {("may", old.version)}


def test_tracking_keeps_the_commit_id(world: World) -> None:
    """It is bookkeeping, and nobody's base changes by it."""
    ours = world.committed("may")
    before = world.metastore.tables[TARGET_NAME].parameters[COMMIT]
    ours.settle()
    marker = Marker.of(world.metastore.tables[TARGET_NAME])
    assert marker is not None
    assert marker.commit == before


def test_tracking_is_no_conflict_for_a_writer_that_began_before_it(world: World) -> None:
    """Its base is the version, and not how that is listed."""
    ours = world.committed("may")
    theirs = world.begun(on_conflict=OnConflict.ABORT, layout=BY_MONTH)
    ours.settle()
    theirs.commit()
    assert world.metastore.tables[TARGET_NAME].directory_name == theirs.version


@pytest.mark.parametrize("step", STEPS)
def test_the_next_begin_repairs_what_a_crash_left(world: World, step: Step) -> None:
    """Whichever step a kill falls into; where the lock can run out, once nobody wakes up."""
    world.published(REPLACES, "may")
    ours = world.committed("june", "july")
    with dies_at(step):
        ours.settle()
    assert world.partitions_are() == (None, "pending")
    if not world.single_process:
        world.plan(layout=BY_MONTH).begin()
        assert world.partitions_are() == (None, "pending")
        world.clock.pass_ms(MAY_WAKE_UP_MS)
    world.plan(layout=BY_MONTH).begin()
    assert world.months() == {("june", ours.version), ("july", ours.version)}
    assert (world.partitions_are(), world.holder_note()) == (("catalog", "tracked"), None)


def test_a_crash_before_any_of_it_is_repaired_at_once(world: World) -> None:
    """Nobody has noted anything yet."""
    ours = world.committed("may")
    assert world.catalog().recover(CONTEXT) == ("its partitions are tracked now",)
    assert world.months() == {("may", ours.version)}


@pytest.mark.parametrize("step", STEPS)
def test_two_writers_never_leave_a_mix(world: World, step: Step) -> None:
    """Whatever step a rival publishes at, its own partitions alone are there when both are done."""
    theirs = world.begun(REPLACES, "july", on_conflict=OnConflict.OVERWRITE)
    ours = world.committed("may", "june")
    with observe(At(step, theirs.commit)):
        ours.settle()
    theirs.settle()
    assert world.months() == {("july", theirs.version)}
    assert (world.partitions_are(), world.holder_note()) == (("catalog", "tracked"), None)


def test_what_an_insert_added_meanwhile_is_tracked_too(world: World) -> None:
    """The version's directories are listed again before its partitions are added."""
    ours = world.committed("may")
    world.storage.write(f"{version_of(ours).directory}/month=june/part-theirs.parquet", "rows")
    ours.settle()
    assert world.months() == {("may", ours.version), ("june", ours.version)}


def test_what_can_not_be_listed_stays_pending(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version is published, nobody is noted to be at work, and the next begin tries again."""

    def fails(directory: str) -> tuple[StoredFile, ...]:
        raise StorageError(f"could not list {directory}")

    ours = world.committed("may")
    with monkeypatch.context() as patched:
        patched.setattr(world.storage, "files", fails)
        ours.settle()
    assert (world.partitions_are(), world.holder_note()) == ((None, "pending"), None)
    assert "a later run will do that" in caplog.text
    world.plan(layout=BY_MONTH).begin()
    assert world.months() == {("may", ours.version)}


def test_no_partition_goes_before_its_successor_is_there(world: World) -> None:
    """Other engines find the old version's or the new one's, and never fewer of them."""
    old = world.published(REPLACES, "may", "june")
    ours = world.committed("june", "july")
    seen: list[set[tuple[str, str]]] = []
    with observe(At(Step.DROP_PARTITIONS, lambda: seen.append(world.months()))):
        ours.settle()
    new = {("june", ours.version), ("july", ours.version)}
    assert seen == [new | {("may", old.version)}]
    assert world.months() == new


def test_an_entry_that_changes_meanwhile_is_looked_at_again(world: World) -> None:
    """An ALTER between two steps is kept, and its partitions are tracked in another turn."""
    ours = world.committed("may")

    def altered() -> None:
        now = world.metastore.tables[TARGET_NAME]
        parameters = {**now.parameters, "numRows": "7"}
        world.metastore.tables[TARGET_NAME] = replace(now, parameters=parameters)

    world.once_after("add_partitions", altered)
    world.metastore.calls.clear()
    ours.settle()
    assert world.metastore.calls.count("partitions") == 2
    assert world.metastore.tables[TARGET_NAME].parameters["numRows"] == "7"
    assert world.partitions_are() == ("catalog", "tracked")


@pytest.mark.parametrize("error", [RefusedError, MetastoreError])
def test_a_failing_call_leaves_them_pending_and_the_model_published(
    world: World, caplog: pytest.LogCaptureFixture, error: type[MetastoreError]
) -> None:
    """The commit stands. An answered call leaves no note, and the next begin does it."""
    ours = world.committed("may")

    def refuse(call: str) -> None:
        if call == "add_partitions":
            raise error("not now")

    world.metastore.before = refuse
    ours.settle()
    world.metastore.before = lambda _call: None
    assert (ours.partition_metadata, world.holder_note()) == ("pending", None)
    assert "not tracked yet" in caplog.text
    world.plan(layout=BY_MONTH).begin()
    assert world.partitions_are() == ("catalog", "tracked")


def test_a_dropped_target_ends_the_bookkeeping(world: World) -> None:
    """There is nothing to track, and nothing fails."""
    ours = world.committed("may")
    del world.metastore.tables[TARGET_NAME]
    ours.settle()
    assert ours.partition_metadata == "pending"


def test_old_entries_wait_for_their_readers(world: World) -> None:
    """A table that goes over to files keeps its entries for the grace period, and no longer.

    Sessions that resolved the tracked one still ask for them; later MSCK REPAIR would revive them.
    """
    tracked = world.published(REPLACES, "may")
    world.begun(REPLACES, "june", partition_metadata=FILES).commit()
    assert world.partitions_are() == (None, "files")
    rules = RetentionRules(grace_ms=60_000)
    world.sweep(rules)
    assert world.months() == {("may", tracked.version)}
    world.clock.pass_ms(60_000)
    world.sweep(rules)
    assert (world.months(), world.holder_note()) == (set(), None)


def test_auto_keeps_a_tracked_table_tracked(world: World) -> None:
    """And so at atomic."""
    world.published(REPLACES, "may")
    ours = world.published(REPLACES, "june", partition_metadata=AUTO)
    assert (ours.level, ours.partition_metadata) == (Atomicity.ATOMIC, "tracked")
    assert world.months() == {("june", ours.version)}


def test_auto_lists_every_other_table(world: World) -> None:
    """And so at isolated."""
    ours = world.published(REPLACES, "may", partition_metadata=AUTO)
    assert (ours.level, ours.partition_metadata) == (Atomicity.ISOLATED, "files")
    again = world.published(REPLACES, "june", partition_metadata=AUTO)
    assert (again.level, again.partition_metadata) == (Atomicity.ISOLATED, "files")
    assert world.partitions_are() == (None, "files")


def test_isolated_by_name_lists_a_tracked_table_and_says_so(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Other engines find no rows from then on."""
    world.published(REPLACES, "may")
    isolated = {"partition_metadata": AUTO, "atomicity": Atomicity.ISOLATED}
    ours = world.published(REPLACES, "june", **isolated)
    assert (ours.level, ours.partition_metadata) == (Atomicity.ISOLATED, "files")
    assert "other engines find no rows" in caplog.text


def test_where_spark_keeps_no_partitions_tracked_is_refused_by_name(world: World) -> None:
    """The version was staged without them; what was there stays."""
    world.published(REPLACES, "may")
    ours = world.begun(REPLACES, "june")
    stage_without_partitions(world, ours)
    before = world.target
    with pytest.raises(NotSupportedError, match="manageFilesourcePartitions is false"):
        ours.commit()
    assert world.target == before


def test_a_tracked_table_that_is_listed_from_now_on_is_said(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """By default a table stays as it was; where Spark keeps no partitions, it can't."""
    world.published(REPLACES, "may")
    ours = world.begun(REPLACES, "june", partition_metadata=AUTO)
    stage_without_partitions(world, ours)
    ours.commit()
    ours.settle()
    assert (world.partitions_are(), ours.partition_metadata) == ((None, "files"), "files")
    assert "manageFilesourcePartitions is false" in caplog.text
    assert "other engines find no rows" in caplog.text


def stage_without_partitions(world: World, staged: Staged) -> None:
    """Leave out of the staged entry what Spark writes where it manages partitions."""
    name = version_of(staged).record
    record = world.metastore.tables[name]
    untracked = {k: v for k, v in record.parameters.items() if k != PARTITION_PROVIDER}
    world.metastore.tables[name] = replace(record, parameters=untracked)


def test_a_table_without_partitions_asks_for_no_lock(remote: World) -> None:
    """Bookkeeping costs nothing where there are none."""
    remote.published()
    assert not {"lock", "supports_locks", "partitions"} & set(remote.metastore.calls)


def test_a_commit_directly_before_the_last_call_is_not_undone(world: World) -> None:
    """Each change of the target expects the commit id that it was read with."""
    rival = world.begun(REPLACES, "july", on_conflict=OnConflict.OVERWRITE)
    ours = world.committed("may")

    def commit_rival(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            rival.commit()

    def arm() -> None:
        world.metastore.before = commit_rival

    with observe(At(Step.TRACK_PARTITIONS, arm)):
        ours.settle()
    rival.settle()
    assert world.metastore.tables[TARGET_NAME].directory_name == rival.version
    assert world.months() == {("july", rival.version)}
    assert (world.partitions_are(), world.holder_note()) == (("catalog", "tracked"), None)


@pytest.mark.parametrize("compares", [True, False])
@pytest.mark.parametrize("call", ["get_table", "partitions", "add_partitions"])
def test_what_an_insert_changed_meanwhile_stays_changed(
    world: World, call: str, *, compares: bool
) -> None:
    """Whichever of our calls it comes after: the commit id, which we expect, says nothing of it."""
    world.metastore.compares = compares
    ours = world.committed("may")

    def insert() -> None:
        changed = {**world.target.parameters, LAST_DDL_TIME: "1800000000"}
        world.metastore.tables[TARGET_NAME] = replace(world.target, parameters=changed)

    world.once_after(call, insert)
    ours.settle()
    assert world.target.parameters[LAST_DDL_TIME] == "1800000000"
    assert world.partitions_are() == ("catalog", "tracked")
    assert world.holder_note() is None
