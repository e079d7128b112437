"""The files of a managed table that was replaced go once nobody needs them, and no others."""

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.context import (
    PartitionMetadata,
    StagingContext,
    StagingPurpose,
    TableName,
)
from dbt.adapters.ctas_spark.staging.files.taken_over import is_same, lies_within
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.metastore import entry
from fakes.partitions import partition
from fakes.sweeps import AT_ONCE, catalog
from fakes.world import STAGING_SCHEMA, TARGET_NAME, World, killed

SCHEMA = "file:/warehouse/shop.db"
DIRECTORY = f"{SCHEMA}/orders"
FILE = f"{DIRECTORY}/part-0.parquet"
CONTEXT = StagingContext(TARGET_NAME, STAGING_SCHEMA, StagingPurpose.CREATE_OR_REPLACE)
AN_HOUR = RetentionRules(grace_ms=3_600_000)


@pytest.fixture
def world() -> World:
    """A managed table at the directory that Spark gives it."""
    world = World()
    stands(world, DIRECTORY)
    return world


def stands(world: World, directory: str, table_type: str = "MANAGED_TABLE") -> None:
    """The target is a user's own table."""
    world.storage.write(f"{directory}/part-0.parquet", "rows")
    world.metastore.tables[TARGET_NAME] = entry(
        TARGET_NAME,
        table_type=table_type,
        location=directory,
        parameters={"transient_lastDdlTime": "900"},
    )


def freed(world: World, rules: RetentionRules = AT_ONCE, *, dry_run: bool = False) -> list[str]:
    """What another run's clean-up deletes of what was there before."""
    run = catalog(world)
    try:
        return run.clean_up(CONTEXT, rules, dry_run=dry_run).taken_over
    finally:
        run.services(STAGING_SCHEMA).lease.close()


def test_they_go_after_the_grace(world: World) -> None:
    """The grace runs from the first clean-up after the takeover."""
    world.published()
    world.storage.now_ms += 3_600_000
    assert freed(world, AN_HOUR) == []
    world.storage.now_ms += 3_600_000
    assert freed(world, AN_HOUR) == [DIRECTORY]
    assert FILE not in world.storage.files
    assert freed(world, AN_HOUR) == []


def test_they_go_though_the_version_is_superseded(world: World) -> None:
    """The record that remembers them goes after them."""
    world.published()
    world.published()
    world.published()
    assert freed(world) == [DIRECTORY]


def test_a_dry_run_only_says_so(world: World) -> None:
    """Nothing is deleted, and nothing is noted."""
    world.published()
    before = dict(world.metastore.tables)
    assert freed(world, dry_run=True) == [DIRECTORY]
    assert FILE in world.storage.files
    assert world.metastore.tables == before


def test_they_stay_while_nothing_has_replaced_the_table(world: World) -> None:
    """A version that is only staged has taken over nothing."""
    world.begun()
    assert freed(world) == []
    assert FILE in world.storage.files


@pytest.mark.parametrize(
    ("directory", "table_type"),
    [
        (DIRECTORY, "EXTERNAL_TABLE"),
        ("file:/elsewhere/orders", "MANAGED_TABLE"),
        (f"{SCHEMA}/shared", "MANAGED_TABLE"),
    ],
)
def test_only_a_managed_tables_default_directory_goes(directory: str, table_type: str) -> None:
    """Of every other nobody knows who else uses it."""
    world = World()
    stands(world, directory, table_type)
    world.published()
    assert freed(world) == []
    assert f"{directory}/part-0.parquet" in world.storage.files


def another_table(location: str, **fields: object) -> Callable[[World], None]:
    """Somebody else's table."""

    def add(world: World) -> None:
        name = TableName("shop", "theirs")
        world.metastore.tables[name] = entry(name, location=location, **fields)

    return add


def a_partition_there(world: World) -> None:
    """Somebody else's partition."""
    another_table("file:/other/theirs", partition_keys=("k",))(world)
    found = partition(f"{DIRECTORY}/k=1", "1")
    world.metastore.kept[TableName("shop", "theirs")] = {("1",): found}


def versions_there(world: World) -> None:
    """Another model's location_root."""
    world.storage.write(f"{DIRECTORY}/ctas-spark/leases/x", "a lease")


def a_rename(world: World) -> None:
    """The target goes elsewhere."""
    moved = TableName("shop", "moved")
    world.metastore.tables[moved] = replace(world.metastore.tables.pop(TARGET_NAME), name=moved)


def a_drop_and_another_build(world: World) -> None:
    """The lineage begins anew, and knows nothing of the takeover."""
    del world.metastore.tables[TARGET_NAME]
    world.published()


@pytest.mark.parametrize(
    "happens",
    [
        another_table(DIRECTORY),
        another_table(f"{DIRECTORY}/below"),
        another_table("hdfs://other/warehouse/shop.db/orders/"),
        a_partition_there,
        versions_there,
        a_rename,
        a_drop_and_another_build,
    ],
)
def test_any_doubt_keeps_them(world: World, happens: Callable[[World], None]) -> None:
    """Whatever may lie there or whoever may have the name by now."""
    world.published()
    happens(world)
    assert freed(world) == []
    assert FILE in world.storage.files


def test_what_stays_for_good_is_said_once(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """The log says where it is, and why."""
    caplog.set_level(logging.WARNING)
    world.published()
    another_table(DIRECTORY)(world)
    freed(world)
    freed(world)
    (said,) = [record.getMessage() for record in caplog.records]
    assert f"stay in {DIRECTORY}, because shop.theirs lies there" in said


def test_a_kill_before_the_deletion_is_made_good(world: World) -> None:
    """The next clean-up looks again, and goes on."""
    world.published()
    with killed(world.metastore, "alter_table", after=True):
        freed(world)
    assert FILE in world.storage.files
    assert freed(world) == [DIRECTORY]


def test_a_takeover_by_rename_is_remembered(world: World) -> None:
    """Over other partition keys the old table is set aside first."""
    world.published("create_or_replace", "may")
    assert freed(world) == [DIRECTORY]


@pytest.mark.parametrize("has_locks", [True, False])
def test_they_wait_for_the_targets_own_partitions(world: World, *, has_locks: bool) -> None:
    """Entries of partitions outlive the table before; without a lock nobody ever drops them."""
    world.metastore.has_locks = has_locks
    staged = world.begun("create_or_replace", "may", partition_metadata=PartitionMetadata.FILES)
    staged.commit()
    staged.settle()
    world.metastore.kept[TARGET_NAME] = {("1",): partition(f"{DIRECTORY}/month=1", "1")}
    assert freed(world) == []
    assert freed(world) == ([DIRECTORY] if has_locks else [])


def test_spellings_of_a_path() -> None:
    """Schemes, authorities and escapes differ; the path does not."""
    assert is_same("s3a://bucket/a%20b/c", "s3://bucket/a b/c/")
    assert lies_within("file:///a/b/c", "file:/a/b")
    assert lies_within("/a/b#1/c", "file:/a/b#1")
    assert not lies_within("/a/bc", "/a/b")
    assert not lies_within("", "/a/b")
