"""A fence makes an older attempt miss what it expects; a living writer builds on it."""

from dataclasses import replace

import pytest
from dbt.adapters.ctas_spark.staging.files.records import STATE
from dbt.adapters.ctas_spark.staging.files.restamp import is_only_restamped

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import ConcurrentWriteError, EntryModifiedError
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.fence import fence
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.publish.marker import VERSION, Kind, Marker
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from fakes.metastore import entry
from fakes.world import TARGET_NAME, World

NOW = 1_800_000_000_000


@pytest.fixture
def world() -> World:
    """One metastore and one storage."""
    return World()


def fenced(world: World) -> None:
    """The target as somebody's sweeper leaves it."""
    assert fence(world.metastore, world.metastore.tables[TARGET_NAME], NOW)


def test_a_fence_leaves_the_version(world: World) -> None:
    """Location, schema and version stay; the commit id and the lineage say what happened."""
    published = world.published()
    before = world.metastore.tables[TARGET_NAME]
    fenced(world)
    after = world.metastore.tables[TARGET_NAME]
    marker, was = Marker.of(after), Marker.of(before)
    assert marker is not None
    assert was is not None
    assert (after.location, after.columns) == (before.location, before.columns)
    assert (marker.version, marker.base) == (published.version, was.commit)
    assert [e.kind for e in marker.lineage.entries] == [Kind.FENCE, Kind.BUILD]


def test_a_fence_makes_no_clone_ours(world: World) -> None:
    """A copied marker names another target; only the version stays, for whoever looks it up."""
    published = world.published()
    live = world.metastore.tables[TARGET_NAME]
    copied = {**live.parameters, "transient_lastDdlTime": "1000"}
    clone = replace(live, name=TableName("shop", "copied"), parameters=copied)
    world.metastore.tables[clone.name] = clone
    for _ in range(2):
        before = world.metastore.tables[clone.name]
        assert fence(world.metastore, before, NOW)
        after = world.metastore.tables[clone.name]
        assert Marker.of(after) is None
        assert after.parameters[VERSION] == published.version
        assert is_only_restamped(Base(before), after)


def test_a_call_over_the_fenced_base_is_refused(world: World) -> None:
    """What a sleeping writer would send is no longer accepted, with our marker or without."""
    for name in (TARGET_NAME, TableName("shop", "plain")):
        world.metastore.tables.setdefault(name, entry(name))
        base = Base(world.metastore.tables[name])
        assert base.entry is not None
        assert fence(world.metastore, base.entry, NOW)
        with pytest.raises(EntryModifiedError):
            world.metastore.alter_table(
                EntryChange(name, base.entry, base.entry, {}), base.expectation
            )


def test_a_fence_that_a_rival_outran_stands_all_the_same(world: World) -> None:
    """If another changed the key first, the old value is gone as well."""
    world.published()
    before = world.metastore.tables[TARGET_NAME]
    world.published()
    assert fence(world.metastore, before, NOW)
    assert world.metastore.tables[TARGET_NAME] is not before


def test_a_target_without_a_key_can_not_be_fenced(world: World) -> None:
    """No expectation can be tied to it, so nothing is claimed."""
    bare = entry(TARGET_NAME, parameters={})
    world.metastore.tables[TARGET_NAME] = bare
    assert not fence(world.metastore, bare, NOW)


@pytest.mark.parametrize("plain", [False, True])
def test_a_living_writer_commits_over_a_fence(world: World, plain: bool) -> None:  # noqa: FBT001
    """A fence left the version as begin saw it, so its writer takes it as its new base."""
    if plain:
        world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    else:
        world.published()
    ours = world.begun()
    fenced(world)
    ours.commit()
    assert ours.outcome is Outcome.COMMITTED
    assert world.metastore.tables[ours.record].parameters[STATE].startswith("committing:")


def test_a_fence_hides_no_rival(world: World) -> None:
    """A rival's commit below a fence is still a conflict."""
    world.published()
    ours = world.begun()
    world.published()
    fenced(world)
    with pytest.raises(ConcurrentWriteError):
        ours.commit()


def test_a_fence_hides_no_foreign_change(world: World) -> None:
    """An entry that somebody altered besides is a conflict."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    ours = world.begun()
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, columns=(("other", "string"),))
    fenced(world)
    with pytest.raises(ConcurrentWriteError):
        ours.commit()


def test_under_a_lock_a_fence_needs_no_key() -> None:
    """Where a lock replaces compare-and-swap, a changed entry is what tells the sleeping writer."""
    world = World(single_process=True)
    world.metastore.compares = False
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, parameters={})
    ours = world.begun()
    before = world.metastore.tables[TARGET_NAME]
    assert fence(world.metastore, before, NOW, conditional=False)
    assert world.metastore.tables[TARGET_NAME] != before
    ours.commit()
    assert world.metastore.tables[ours.record].parameters[STATE].startswith("committing:")
