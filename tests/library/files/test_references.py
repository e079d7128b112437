"""A version that another table or partition shows stays, whoever made that."""

from dataclasses import replace

import pytest

from ctas_spark.context import TableLayout, TableName
from ctas_spark.errors import MetastoreError, NoSuchVersionError
from ctas_spark.metastore.messages import SCRATCH
from ctas_spark.retention.rules import Reason
from fakes.metastore import entry
from fakes.partitions import partition
from fakes.records import drops_the_target, is_deleting, renames_the_target
from fakes.world import AT_ONCE, CONTEXT, TARGET_NAME, World, version_of

THOROUGH = replace(AT_ONCE, thorough=True)
VACUUM = replace(THOROUGH, orphan_age_ms=0)


def test_a_renamed_target_keeps_its_version(world: World) -> None:
    """A table found by its version id in any database that we may list keeps the files."""
    live = world.published()
    renames_the_target(world, TableName("elsewhere", "moved"))
    assert world.sweep(VACUUM).kept == {live.version: Reason.REFERENCED}
    assert live.version in world.versions_on_storage()
    assert not is_deleting(world, live)


def test_a_version_that_was_renamed_away_stays_when_a_new_table_has_the_name(
    world: World,
) -> None:
    """The new table's lineage knows nothing of it, so that every database is searched."""
    moved = world.published()
    renames_the_target(world, TableName("archive", "orders_2025"))
    world.published()
    world.grow_old()
    world.published()
    assert world.sweep().kept[moved.version] is Reason.REFERENCED
    assert moved.version in world.versions_on_storage()


def test_an_entry_that_was_to_delete_a_version_is_no_reference(world: World) -> None:
    """A run that deleted it over a server was killed between two calls of the metastore."""
    old = world.published()
    world.published()
    world.grow_old()
    left = TableName("shop__ctas_spark", "ctas_spark_deletes_1")
    place = world.target.location
    assert place is not None
    deletes = {SCRATCH: f"{place.rpartition('/')[0]}/{old.version}"}
    world.metastore.tables[left] = entry(left, location=deletes[SCRATCH], parameters=deletes)
    assert old.version in world.sweep(VACUUM).freed[0]


def test_a_table_that_hive_reads_in_a_version_keeps_it(world: World) -> None:
    """The path that Spark goes by may be a copy of another table's."""
    old = world.published()
    place = version_of(old).directory
    world.published()
    world.grow_old()
    audit = TableName("elsewhere", "audit")
    world.metastore.databases["elsewhere"] = "file:/warehouse/elsewhere.db"
    world.metastore.tables[audit] = entry(audit, location="file:/x", also_at=place)
    assert world.sweep(VACUUM).kept[old.version] is Reason.REFERENCED


def test_a_clone_in_the_same_database_keeps_its_version(world: World) -> None:
    """SHOW CREATE TABLE copies the marker and the location: the clone's files stay."""
    old = world.published()
    clone = replace(TARGET_NAME, table="copied")
    world.metastore.tables[clone] = replace(world.metastore.tables[TARGET_NAME], name=clone)
    live = world.published()
    assert world.sweep().kept == {live.version: Reason.LIVE, old.version: Reason.REFERENCED}
    assert old.version in world.versions_on_storage()


def test_a_renamed_table_that_shows_what_was_rolled_back_to_keeps_it(world: World) -> None:
    """Rolled back to or not: whatever any table shows is looked for before its files go."""
    first = world.published()
    renames_the_target(world, TableName("archive", "orders"))
    world.published()
    with pytest.raises(NoSuchVersionError):
        world.catalog().roll_back(CONTEXT, first.version)
    for _ in range(3):
        world.published()
        world.grow_old()
        world.sweep()
        world.sweep(VACUUM)
    assert first.version in world.versions_on_storage()


def test_a_table_that_comes_back_keeps_what_may_be_published_over_it(world: World) -> None:
    """It was renamed away and carries the commit that a sleeping writer expects."""
    world.published()
    ours = world.begun()
    away = TableName("shop", "orders_old")
    renamed = world.metastore.tables.pop(TARGET_NAME)
    world.metastore.tables[away] = replace(renamed, name=away)
    world.published()
    world.grow_old()
    assert world.sweep().kept[ours.version] is Reason.EXPECTED
    del world.metastore.tables[away]
    world.metastore.tables[TARGET_NAME] = renamed
    ours.commit()
    assert world.shown == ours.version
    assert ours.version in world.versions_on_storage()


def test_a_database_that_can_not_be_searched_blocks_a_dropped_targets_versions(
    world: World,
) -> None:
    """The target may be in there under another name: nobody knows."""
    live = world.published()
    drops_the_target(world)

    def refuse(call: str) -> None:
        if call == "databases":
            raise MetastoreError("no permission")

    world.metastore.before = refuse
    assert world.sweep(VACUUM).kept == {live.version: Reason.UNSEARCHED}
    world.metastore.before = lambda _call: None
    assert live.version in world.versions_on_storage()
    assert world.sweep(VACUUM).kept == {}


def test_only_a_thorough_clean_up_finds_tables_by_location(world: World) -> None:
    """An external table without the marker that lies in a version keeps it."""
    old, _ = world.published(), world.published()
    theirs = TableName("shop", "theirs")
    place = f"{version_of(old).directory}/month=1"
    world.metastore.tables[theirs] = entry(theirs, location=place, parameters={})
    assert world.sweep(THOROUGH).kept[old.version] is Reason.REFERENCED
    assert world.sweep().freed == [version_of(old).directory]


def test_a_partition_of_another_table_is_found_by_location(world: World) -> None:
    """ALTER TABLE ... ADD PARTITION ... LOCATION leads into the version."""
    old, _ = world.published(), world.published()
    theirs = TableName("shop", "theirs")
    world.metastore.tables[theirs] = entry(theirs, partition_keys=("k",), parameters={})
    found = partition(f"{version_of(old).directory}/k=1", "1")
    world.metastore.kept[theirs] = {("1",): found}
    assert world.sweep(THOROUGH).kept[old.version] is Reason.REFERENCED


CUSTOMERS = replace(CONTEXT, target=replace(TARGET_NAME, table="customers"))


def test_a_vacuum_searches_once_for_all_that_it_has_taken(world: World) -> None:
    """However many versions and tables it looks after."""
    for one in [CONTEXT.target, CUSTOMERS.target] * 3:
        world.published(target=one)
    run = world.catalog()
    begun = [run.begin_clean_up(one, THOROUGH) for one in (CONTEXT, CUSTOMERS)]
    assert world.metastore.calls.count("databases") == 0
    assert [len(delete().freed) for delete in begun] == [2, 2]
    assert world.metastore.calls.count("databases") == 1


def test_what_is_taken_after_a_search_is_searched_for_again(world: World) -> None:
    """It may have been published, and its table renamed, since."""
    world.published(target=CUSTOMERS.target)
    world.published(target=CUSTOMERS.target)
    run, moved = world.catalog(), world.published()
    assert len(run.clean_up(CUSTOMERS, THOROUGH).freed) == 1
    renames_the_target(world, TableName("archive", "orders"))
    world.metastore.databases["archive"] = "file:/warehouse/archive.db"
    assert run.clean_up(CONTEXT, VACUUM).kept == {moved.version: Reason.REFERENCED}
    assert moved.version in world.versions_on_storage()


def test_a_target_that_is_renamed_after_the_search_keeps_its_version(world: World) -> None:
    """Wherever it went: the search has met it in its place."""
    old = world.published()
    world.published()
    shown, away = world.target, TableName("archive", "orders")
    delete = world.catalog().begin_clean_up(CONTEXT, THOROUGH)
    location = version_of(old).directory
    world.metastore.tables[TARGET_NAME] = replace(shown, location=location)

    def rename() -> None:
        world.metastore.tables[away] = world.metastore.tables.pop(TARGET_NAME)

    world.once_after("entries", rename)
    assert delete().kept[old.version] is Reason.REFERENCED
    assert old.version in world.versions_on_storage()


def test_a_search_that_fails_is_not_made_again_for_each_table(world: World) -> None:
    """It would fail for each of them in the same way, after as many calls."""
    old = [world.published(target=one) for one in (CONTEXT.target, CUSTOMERS.target)]
    for one in (CONTEXT.target, CUSTOMERS.target):
        world.published(target=one)
    run = world.catalog()
    begun = [run.begin_clean_up(one, THOROUGH) for one in (CONTEXT, CUSTOMERS)]

    def refuse(call: str) -> None:
        if call == "databases":
            raise MetastoreError("no permission")

    world.metastore.before = refuse
    kept = [delete().kept for delete in begun]
    assert [one[version.version] for one, version in zip(kept, old, strict=True)] == [
        Reason.UNSEARCHED,
        Reason.UNSEARCHED,
    ]
    assert world.metastore.calls.count("databases") == 1


def test_partitions_of_an_older_version_are_dropped_before_it_goes(world: World) -> None:
    """Entries that a kill left while Spark lists directories do not keep it."""
    old = world.published(layout=TableLayout(partition_by=("month",)))
    world.published(layout=TableLayout(partition_by=("month",)))
    found = partition(f"{version_of(old).directory}/month=may", "may")
    world.metastore.kept[TARGET_NAME] = {("may",): found}
    assert old.version not in world.sweep().kept
    assert world.months() == set()


def test_a_partition_that_readers_look_up_keeps_its_version(world: World) -> None:
    """Where Spark asks the metastore for partitions, what they name is read."""
    old = world.published("create_or_replace", "may")
    world.published("create_or_replace", "may")
    found = partition(f"{version_of(old).directory}/month=june", "june")
    world.metastore.kept[TARGET_NAME][("june",)] = found
    assert world.sweep().kept[old.version] is Reason.REFERENCED
    assert old.version in world.versions_on_storage()
