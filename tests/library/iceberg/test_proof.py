"""No file goes that a table may need, under whatever name and whatever its history still says."""

from ctas_spark.context import Atomicity, TableName
from ctas_spark.errors import MetastoreError, RefusedError
from ctas_spark.retention.rules import (
    Reason,
)
from fakes.iceberg import with_snapshot
from fakes.iceberg_world import TARGET, World, attempt

ELSEWHERE = TableName("db", "elsewhere", "ice")


def expire(world: World, name: TableName = TARGET, *, but: int = 1) -> None:
    """Keep the last snapshots of a table alone."""
    table = world.tables.entries[name][0]
    world.tables.put(name, {**table, "snapshots": table["snapshots"][-but:]})


def test_a_renamed_table_keeps_what_was_published(world: World) -> None:
    """It is found by its commit; then only the entry goes, as of any published version."""
    version = world.stage()
    attempt(version)
    world.land(version, ELSEWHERE)
    del world.tables.entries[TARGET]
    world.wait()
    assert world.clean_up().kept == {version.id: Reason.REFERENCED}
    assert world.file_of(version) in world.storage.texts
    assert version.record not in world.tables.entries


def test_a_renamed_table_keeps_what_may_be_published(world: World) -> None:
    """It has the identity of the one that was forked, and is what was expected, or has expired."""
    version = world.stage()
    attempt(version)
    world.tables.entries[ELSEWHERE] = world.tables.entries.pop(TARGET)
    world.wait()
    assert world.clean_up().kept == {version.id: Reason.MAY_LAND}
    world.land(version, ELSEWHERE)
    world.tables.put(ELSEWHERE, with_snapshot(world.tables.entries[ELSEWHERE][0]))
    expire(world, ELSEWHERE)
    assert world.clean_up().kept == {version.id: Reason.NEEDED}
    assert world.is_whole(version)


def test_a_table_that_cannot_be_searched_keeps_the_version(world: World) -> None:
    """It may be the target under another name, and the sweep says so."""
    version = world.stage()
    attempt(version)
    del world.tables.entries[TARGET]
    world.tables.unreadable[ELSEWHERE] = MetastoreError("no answer")
    world.wait()
    assert world.clean_up().kept == {version.id: Reason.UNSEARCHED}
    assert world.is_whole(version)


def test_an_attempt_on_a_dropped_table_goes(world: World) -> None:
    """No table has its commit or its identity."""
    version = world.stage()
    attempt(version)
    del world.tables.entries[TARGET]
    world.wait()
    world.clean_up()
    assert not world.is_whole(version)


def test_a_commit_that_has_expired_under_users_writes_keeps_its_files(world: World) -> None:
    """The history does not tell any more that the version was published."""
    version = world.stage()
    attempt(version)
    world.land(version)
    world.insert()
    expire(world)
    world.wait()
    assert world.clean_up().kept == {version.id: Reason.NEEDED}
    assert world.is_whole(version)


def test_files_that_a_kept_snapshot_needs_stay(world: World) -> None:
    """A user has tagged it, and has replaced the table since; with the tag its files go."""
    version = world.stage()
    attempt(version)
    world.land(version)
    world.insert()
    world.tables.put(TARGET, with_snapshot(world.tables.entries[TARGET][0], replaces=True))
    expire(world, but=2)
    world.wait()
    assert world.clean_up().kept == {version.id: Reason.NEEDED}
    assert world.is_whole(version)
    expire(world)
    world.clean_up()
    assert not world.is_whole(version)


def test_files_that_a_renamed_table_needs_stay(world: World) -> None:
    """It has the identity of the one that was forked."""
    version = world.stage()
    attempt(version)
    world.land(version)
    world.insert()
    world.tables.entries[ELSEWHERE] = world.tables.entries.pop(TARGET)
    expire(world, ELSEWHERE)
    world.wait()
    assert world.clean_up().kept == {version.id: Reason.NEEDED}
    assert world.is_whole(version)


def test_a_table_that_a_version_created_anew_is_known_by_its_identity(world: World) -> None:
    """Another dropped the target first; the new one was renamed since, and its marker expired."""
    version = world.stage()
    del world.tables.entries[TARGET]
    world.tables.find(version.record)
    version.mark(version.look(), Atomicity.ISOLATED)
    version.publish(version.look())
    world.tables.put(ELSEWHERE, with_snapshot(world.tables.entries.pop(TARGET)[0]))
    expire(world, ELSEWHERE)
    world.wait()
    assert world.clean_up().kept == {version.id: Reason.NEEDED}
    assert world.is_whole(version)


def test_a_published_version_whose_record_cannot_be_dropped_keeps_its_files(world: World) -> None:
    """The staging schema may refuse it, in every run, until the marker has expired."""
    version = world.stage()
    attempt(version)
    world.land(version)

    def refused(name: TableName) -> None:  # noqa: ARG001 (the shape)
        raise RefusedError("not yours to drop")

    world.tables.drop_entry = refused  # type: ignore[method-assign]
    assert world.clean_up().freed == []
    world.insert()
    expire(world)
    world.wait()
    assert world.clean_up().kept == {version.id: Reason.NEEDED}
    assert world.is_whole(version)
