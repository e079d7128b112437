"""A version that another table or partition shows stays, whoever made that."""

from dataclasses import replace

from dbt.adapters.ctas_spark.staging.context import TableLayout, TableName
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.files.record import RecordState
from dbt.adapters.ctas_spark.staging.retention.rules import Reason
from fakes.metastore import entry
from fakes.partitions import partition
from fakes.records import drops_the_target, record_of, remembered
from fakes.world import AT_ONCE, CONTEXT, TARGET_NAME, World, version_of

THOROUGH = replace(AT_ONCE, thorough=True)


def test_a_renamed_target_keeps_its_version(world: World) -> None:
    """A table found by its version id in any database that we may list keeps the files."""
    live = remembered(world)
    world.metastore.databases["elsewhere"] = "file:/warehouse/elsewhere.db"
    renamed = TableName("elsewhere", "moved")
    found = world.metastore.tables.pop(TARGET_NAME)
    world.metastore.tables[renamed] = replace(found, name=renamed)
    assert world.sweep().kept == {live.version: Reason.REFERENCED}
    assert live.version in world.versions_on_storage()
    assert record_of(world, live).state is RecordState.PUBLISHED


def test_a_version_that_was_renamed_away_stays_when_a_new_table_has_the_name(
    world: World,
) -> None:
    """The new table's lineage knows nothing of it, so that every database is searched."""
    moved = remembered(world)
    world.metastore.databases["archive"] = "file:/warehouse/archive.db"
    archived = TableName("archive", "orders_2025")
    found = world.metastore.tables.pop(TARGET_NAME)
    world.metastore.tables[archived] = replace(found, name=archived)
    world.published()
    world.published()
    assert world.sweep().kept[moved.version] is Reason.REFERENCED
    assert moved.version in world.versions_on_storage()


def test_a_clone_in_the_same_database_keeps_its_version(world: World) -> None:
    """SHOW CREATE TABLE copies the marker and the location: the clone's files stay."""
    old = world.published()
    clone = replace(TARGET_NAME, table="copied")
    world.metastore.tables[clone] = replace(world.metastore.tables[TARGET_NAME], name=clone)
    live = world.published()
    assert world.sweep().kept == {live.version: Reason.LIVE, old.version: Reason.REFERENCED}
    assert old.version in world.versions_on_storage()


def test_a_database_that_can_not_be_searched_blocks_a_dropped_targets_versions(
    world: World,
) -> None:
    """The target may be in there under another name: nobody knows."""
    live = remembered(world)
    drops_the_target(world)

    def refuse(call: str) -> None:
        if call == "tables_with":
            raise MetastoreError("no permission")

    world.metastore.before = refuse
    assert world.sweep().kept == {live.version: Reason.UNSEARCHED}
    world.metastore.before = lambda _call: None
    assert live.version in world.versions_on_storage()
    assert world.sweep().kept == {}


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


def test_a_thorough_clean_up_lists_everything_once_for_an_invocation(world: World) -> None:
    """However many versions and tables it looks after."""
    for _ in range(3):
        world.published()
    run = world.catalog()
    run.clean_up(CONTEXT, THOROUGH)
    world.published()
    before = world.metastore.calls.count("databases")
    run.clean_up(CONTEXT, THOROUGH)
    assert world.metastore.calls.count("databases") == before


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
