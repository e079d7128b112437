"""A rollback is one commit back to a kept version, schema included."""

from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.context import TableLayout
from dbt.adapters.ctas_spark.staging.errors import ConcurrentWriteError, NoSuchVersionError
from dbt.adapters.ctas_spark.staging.files.records import STATE, RecordState
from dbt.adapters.ctas_spark.staging.files.rollback import RolledBack, roll_back
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.publish.marker import Kind, Marker
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.retention.rules import Reason, RetentionRules
from fakes.metastore import entry
from fakes.world import STAGING_SCHEMA, TARGET_NAME, World, killed

NO_GRACE = RetentionRules(versions_to_keep=0, grace_ms=0)


@pytest.fixture
def world() -> World:
    """One metastore and one storage."""
    return World()


def back(world: World, staged: StagedFileTable, to: str | None = None) -> RolledBack:
    """A rollback in another run."""
    return roll_back(staged.context, world.catalog().services(STAGING_SCHEMA), to)


def published(world: World, *columns: tuple[str, str]) -> StagedFileTable:
    """A version with columns of its own."""
    staged = world.begun()
    record = world.metastore.tables[staged.record]
    world.metastore.tables[staged.record] = replace(record, columns=columns)
    staged.commit()
    staged.settle()
    return staged


def test_the_version_before_is_published_with_its_schema(world: World) -> None:
    """Location and columns are the old version's; the commit is a new one in the same lineage."""
    old = published(world, ("id", "bigint"))
    new = published(world, ("id", "string"), ("name", "string"))
    assert back(world, new).version == old.version
    after = world.metastore.tables[TARGET_NAME]
    marker = Marker.of(after)
    assert marker is not None
    assert after.columns == (("id", "bigint"),)
    assert marker.version == old.version
    assert [e.kind for e in marker.lineage.entries] == [Kind.ROLLBACK, Kind.BUILD, Kind.BUILD]


def test_a_named_version_is_published(world: World) -> None:
    """Any kept version may be asked for by its id."""
    oldest, _, newest = (world.published() for _ in range(3))
    assert back(world, newest, oldest.version).version == oldest.version


def test_a_second_rollback_goes_forward_again(world: World) -> None:
    """The version that was rolled back is now the one before."""
    _, new = world.published(), world.published()
    back(world, new)
    assert back(world, new).version == new.version


def test_there_is_nothing_before_the_first_version(world: World) -> None:
    """The error names what could be asked for, and nothing is changed."""
    only = world.published()
    before = world.metastore.tables[TARGET_NAME]
    with pytest.raises(NoSuchVersionError, match="no earlier version") as caught:
        back(world, only)
    assert "none" in str(caught.value)
    assert world.metastore.tables[TARGET_NAME] is before


def test_a_version_without_files_is_not_published(world: World) -> None:
    """A directory that somebody removed is no version."""
    old, new = world.published(), world.published()
    world.storage.delete(old.root.version(old.version))
    with pytest.raises(NoSuchVersionError, match="no version"):
        back(world, new, old.version)


def test_a_plain_table_has_no_versions(world: World) -> None:
    """What this adapter did not publish can't be rolled back."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    with pytest.raises(NoSuchVersionError, match="not published by this adapter"):
        back(world, world.table())


def test_a_rival_commit_is_not_rolled_back(world: World) -> None:
    """It is conflict-checked like a build."""
    _, new = world.published(), world.published()
    rival = world.begun()
    before = world.metastore.before

    def commit_rival(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = before
            rival.commit()

    world.metastore.before = commit_rival
    with pytest.raises(ConcurrentWriteError):
        back(world, new)
    assert world.metastore.tables[TARGET_NAME].directory_name == rival.version


def test_a_clean_up_does_not_take_what_is_rolled_back(world: World) -> None:
    """The version's record is taken before it is published."""
    old, new = world.published(), world.published()
    back(world, new)
    done = world.catalog().clean_up(new.context, NO_GRACE)
    assert done.kept == {old.version: Reason.LIVE}
    assert world.versions_on_storage() == {old.version}


def test_a_version_that_is_being_deleted_is_not_published(world: World) -> None:
    """Between a clean-up and a rollback the record decides."""
    old, new = world.published(), world.published()
    record = world.metastore.tables[old.record]
    deleting = {**record.parameters, STATE: RecordState.DELETING.value}
    world.metastore.tables[old.record] = replace(record, parameters=deleting)
    with pytest.raises(NoSuchVersionError):
        back(world, new)


def test_partitions_are_tracked_again(world: World) -> None:
    """A table whose partitions were tracked has those of the version that is back."""
    old = world.published("create_or_replace", "may")
    new = world.published("create_or_replace", "june")
    back(world, new)
    assert world.months() == {("may", old.version)}


def test_other_partition_keys_are_brought_back_by_rename(world: World) -> None:
    """The layout is the version's own, and the level is said."""
    old = world.published()
    new = world.begun(layout=TableLayout(partition_by=("month",)))
    new.commit()
    done = back(world, new)
    assert (done.version, done.level.value) == (old.version, "atomic")
    assert world.metastore.tables[TARGET_NAME].partition_keys == ()


def test_a_rename_of_a_dead_rollback_is_undone_while_the_versions_builder_lives(
    world: World,
) -> None:
    """Whose lease counts is the run that rolled back, and not the one that built the version."""
    world.published("create_or_replace", "may")
    new = world.published()
    builder, world.lease = world.lease, Lease(world.storage)
    with killed(world.metastore, "create_table"):
        back(world, new)
    assert TARGET_NAME not in world.metastore.tables
    world.storage.delete(f"{new.root.leases}/{world.lease.id}")
    assert f"{new.root.leases}/{builder.id}" in world.storage.files
    world.lease = Lease(world.storage)
    world.table().begin()
    assert world.metastore.tables[TARGET_NAME].location == new.root.version(new.version)


def test_a_rename_of_a_living_rollback_is_left_to_it(world: World) -> None:
    """The next begin waits for it, though the run that built the version is over."""
    old, new = world.published("create_or_replace", "may"), world.published()
    world.lease.close()
    world.lease = Lease(world.storage)
    begins = World()
    begins.metastore, begins.storage = world.metastore, world.storage
    seen: list[bool] = []

    def begin(call: str) -> None:
        if call == "create_table":
            world.metastore.before = lambda _call: None
            begins.table().begin()
            seen.append(TARGET_NAME in world.metastore.tables)

    world.metastore.before = begin
    assert back(world, new).version == old.version
    assert seen == [False]


def test_a_clean_up_leaves_the_version_that_a_living_rollback_renames_for(world: World) -> None:
    """There is no table for a moment, and the run that built the version is over."""
    old, new = world.published("create_or_replace", "may"), world.published()
    world.lease.close()
    world.lease = Lease(world.storage)
    cleans = World()
    cleans.metastore, cleans.storage = world.metastore, world.storage
    kept: list[Reason] = []

    def clean_up(call: str) -> None:
        if call == "create_table":
            world.metastore.before = lambda _call: None
            kept.append(cleans.catalog().clean_up(new.context, NO_GRACE).kept[old.version])

    world.metastore.before = clean_up
    assert back(world, new).version == old.version
    assert kept == [Reason.RUNNING]
