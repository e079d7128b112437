"""A fence makes an older attempt miss what it expects, and leaves the version as it is."""

from dataclasses import replace

import pytest

from ctas_spark.context import TableName
from ctas_spark.errors import ConcurrentWriteError, EntryModifiedError
from ctas_spark.files.base import FileBase, look
from ctas_spark.files.publication import fenced
from ctas_spark.files.record import Record
from ctas_spark.metastore.client import EntryChange
from ctas_spark.publish.marker import Marker, PublicationKind
from fakes.metastore import entry
from fakes.world import TARGET_NAME, World, version_of

NOW = 1_800_000_000_000


def fence(world: World, name: TableName = TARGET_NAME) -> None:
    """The target as a clean-up with fences leaves it."""
    base = look(world.metastore, name)
    change = fenced(base, NOW)
    assert change is not None
    world.metastore.alter_table(change, base.expectation)


def test_a_fence_leaves_the_version(world: World) -> None:
    """Location, columns and version stay; commit id and lineage say what happened."""
    published = world.published()
    before = world.metastore.tables[TARGET_NAME]
    fence(world)
    after = world.metastore.tables[TARGET_NAME]
    marker, was = Marker.of(after), Marker.of(before)
    assert marker is not None
    assert was is not None
    assert (after.location, after.columns) == (before.location, before.columns)
    assert (marker.version, marker.base, marker.level) == (published.version, was.commit, was.level)
    assert (marker.life, marker.commit == was.commit) == (was.life, False)
    assert [e.kind for e in marker.lineage.entries] == [
        PublicationKind.FENCE,
        PublicationKind.BUILD,
    ]


@pytest.mark.parametrize("is_plain", [True, False])
def test_a_call_over_the_fenced_base_is_refused(world: World, *, is_plain: bool) -> None:
    """What a sleeping writer would send is not accepted any more, with our marker or without."""
    if is_plain:
        world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    else:
        world.published()
    base = look(world.metastore, TARGET_NAME)
    assert base.entry is not None
    fence(world)
    change = EntryChange(TARGET_NAME, base.entry, base.entry, {})
    with pytest.raises(EntryModifiedError):
        world.metastore.alter_table(change, base.expectation)


def test_a_writer_that_was_alive_gets_a_conflict(world: World) -> None:
    """Never a broken table."""
    world.published()
    ours = world.begun()
    fence(world)
    after = world.metastore.tables[TARGET_NAME]
    with pytest.raises(ConcurrentWriteError):
        ours.commit()
    assert world.metastore.tables[TARGET_NAME] is after


def test_over_a_plain_table_a_living_writer_notes_the_fence_as_its_base(world: World) -> None:
    """Its record says so before its call: from then on no clean-up takes the version."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    ours = world.begun()
    fence(world)
    fenced = FileBase(world.target)
    ours.commit()
    record = Record.of(world.metastore.tables[version_of(ours).record])
    assert record is not None
    assert record.base == str(fenced)
    assert world.shown == ours.version


def test_a_fence_makes_no_clone_ours(world: World) -> None:
    """A copied marker names another target: only the time moves on."""
    world.published()
    live = world.metastore.tables[TARGET_NAME]
    copied = {**live.parameters, "transient_lastDdlTime": "1000"}
    clone = replace(live, name=TableName("shop", "copied"), parameters=copied)
    world.metastore.tables[clone.name] = clone
    fence(world, clone.name)
    after = world.metastore.tables[clone.name]
    assert Marker.of(after) is None
    assert after.parameters == {**copied, "transient_lastDdlTime": str(NOW // 1000)}


def test_the_time_of_a_fence_moves_on_from_the_future(world: World) -> None:
    """One second later than whatever stands there."""
    later = str(NOW // 1000 + 50)
    written = entry(TARGET_NAME, parameters={"transient_lastDdlTime": later})
    world.metastore.tables[TARGET_NAME] = written
    fence(world)
    moved = world.metastore.tables[TARGET_NAME].last_ddl_time
    assert moved == NOW // 1000 + 51


def test_there_is_nothing_to_fence_without_a_table() -> None:
    """A creation's proof is its record."""
    assert fenced(FileBase(None), NOW) is None
