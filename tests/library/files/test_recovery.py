"""What crashes left half done is finished, without a build."""

import pytest

from fakes.world import CONTEXT, World, killed


@pytest.fixture
def world() -> World:
    """A table with one superseded version."""
    world = World()
    world.published()
    world.published()
    return world


def recover(world: World) -> tuple[str, ...]:
    """What another run mends."""
    return world.catalog().recover(CONTEXT)


def test_where_nothing_is_left_nothing_is_done(world: World) -> None:
    """Published versions stay, however old; a second run changes nothing either."""
    world.grow_old()
    tables, files = dict(world.metastore.tables), dict(world.storage.texts)
    assert recover(world) == recover(world) == ()
    assert (dict(world.metastore.tables), dict(world.storage.texts)) == (tables, files)


def test_a_deletion_that_was_begun_is_finished(world: World) -> None:
    """A clean-up died after it had taken the record."""
    world.sweep(dry_run=True)
    superseded = world.versions_on_storage()
    with killed(world.metastore, "drop_entry"):
        world.sweep()
    (done,) = recover(world)
    assert "deletion" in done
    assert len(superseded) == 2
    assert len(world.records()) == len(world.versions_on_storage()) == 1


def test_a_staged_version_is_not_touched(world: World) -> None:
    """Somebody's build goes on while another recovers."""
    ours = world.begun()
    assert recover(world) == ()
    ours.commit()
    assert world.versions_on_storage() >= {ours.version}


def test_pending_partitions_are_tracked() -> None:
    """The bookkeeping of a run that died after its commit is done."""
    world = World()
    ours = world.begun("create_or_replace", "may")
    ours.commit()
    assert recover(world) == ("its partitions are tracked now",)
    assert world.months() == {("may", ours.version)}
