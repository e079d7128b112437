"""A version that a clean-up took is not published, whenever its writer wakes up."""

import pytest

from ctas_spark.context import OnConflict
from ctas_spark.errors import (
    ConcurrentWriteError,
)
from ctas_spark.files.record import Record
from ctas_spark.publish.marker import COMMIT
from ctas_spark.publish.version import Outcome
from fakes.records import takes
from fakes.world import TARGET_NAME, Staged, World, version_of


def test_an_overwrite_is_written_to_its_record_before_the_call(world: World) -> None:
    """A clean-up reads there what the call expects."""
    world.published()
    ours, theirs = world.begun(on_conflict=OnConflict.OVERWRITE), world.begun()
    theirs.commit()
    base = world.metastore.tables[TARGET_NAME].parameters[COMMIT]
    seen: list[str | None] = []

    def look(call: str) -> None:
        if call == "alter_table":
            record = Record.of(world.metastore.tables[version_of(ours).record])
            assert record is not None
            seen.append(record.base)

    world.metastore.before = look
    ours.commit()
    assert len(seen) == 2
    assert seen[1] == f"commit:{base}"


@pytest.mark.parametrize("is_gone", [False, True])
def test_an_overwrite_whose_record_was_taken_fails_as_swept(world: World, *, is_gone: bool) -> None:
    """Nothing is called on the target."""
    world.published()
    ours, theirs = world.begun(on_conflict=OnConflict.OVERWRITE), world.begun()
    theirs.commit()

    def sweep(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            if is_gone:
                del world.metastore.tables[version_of(ours).record]
            else:
                takes(world, ours)

    world.metastore.before = sweep
    with pytest.raises(ConcurrentWriteError, match="a clean-up deleted"):
        ours.commit()
    assert world.shown == theirs.version


def test_a_version_that_was_swept_before_the_commit_is_not_published(world: World) -> None:
    """Its record says so, whatever the target is."""
    ours = world.begun()
    takes(world, ours)
    with pytest.raises(ConcurrentWriteError, match="a clean-up deleted"):
        ours.commit()
    assert TARGET_NAME not in world.metastore.tables


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_creation_that_was_swept_while_it_slept_takes_its_entry_back(
    world: World, *, is_gone: bool
) -> None:
    """It reads its record once more after the call; no table without files is left."""
    ours = world.begun()
    record = version_of(ours).record

    def swept() -> None:
        if is_gone:
            world.metastore.drop_entry(record)
        else:
            takes(world, ours)

    world.once_after("create_table", swept)
    with pytest.raises(ConcurrentWriteError, match="a clean-up deleted"):
        ours.commit()
    ours.abort("swept")
    assert ours.outcome is Outcome.NOT_COMMITTED
    assert TARGET_NAME not in world.metastore.tables
    assert not [n for n in world.metastore.tables if n.table.endswith("__back")]


def test_what_others_published_on_top_of_a_swept_creation_stays(world: World) -> None:
    """The lineage says that ours was there."""
    ours = world.begun()
    published: list[Staged] = []

    def slept() -> None:
        published.append(world.published())
        takes(world, ours)

    world.once_after("create_table", slept)
    with pytest.raises(ConcurrentWriteError, match="a clean-up deleted"):
        ours.commit()
    assert world.shown == published[0].version


def test_what_others_publish_during_the_taking_back_stays(world: World) -> None:
    """The rename expects our commit id."""
    ours = world.begun()
    world.once_after("create_table", lambda: takes(world, ours))
    published: list[Staged] = []

    def rival(call: str) -> None:
        if call == "rename_table":
            world.metastore.before = lambda _call: None
            published.append(world.published())

    world.metastore.before = rival
    with pytest.raises(ConcurrentWriteError, match="a clean-up deleted"):
        ours.commit()
    assert world.shown == published[0].version
