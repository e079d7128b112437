"""The files of a managed table that was replaced go once nobody needs them, and no others."""

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest

from ctas_spark.clock import HOUR_MS
from ctas_spark.context import OnConflict, TableLayout, TableName
from ctas_spark.errors import MetastoreError
from ctas_spark.files.places import is_same, lies_within
from fakes.metastore import entry
from fakes.partitions import partition
from fakes.world import AT_ONCE, CONTEXT, TARGET_NAME, World, killed

SCHEMA = "file:/warehouse/shop.db"
DIRECTORY = f"{SCHEMA}/orders"
FILE = f"{DIRECTORY}/part-0.parquet"
THOROUGH = replace(AT_ONCE, thorough=True)
AN_HOUR = replace(THOROUGH, grace_ms=3_600_000)


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


def test_they_go_after_the_grace(world: World) -> None:
    """The grace runs from the takeover."""
    world.published()
    world.clock.pass_ms(3_598_000)
    assert world.sweep(AN_HOUR).taken_over == []
    world.clock.pass_ms(1_000)
    assert world.sweep(AN_HOUR).taken_over == [DIRECTORY]
    assert FILE not in world.storage.texts
    assert world.sweep(AN_HOUR).taken_over == []


@pytest.mark.parametrize("columns", [(), ("month",), ("day",)])
def test_partitions_that_only_the_metastore_still_has_do_not_keep_them(
    world: World, columns: tuple[str, ...]
) -> None:
    """They go after the grace, whatever the version that replaced the table is partitioned by."""
    found = world.metastore.tables[TARGET_NAME]
    world.metastore.tables[TARGET_NAME] = replace(found, partition_keys=("month",))
    one = partition(f"{DIRECTORY}/month=2026-01", "2026-01")
    world.metastore.kept[TARGET_NAME] = {("2026-01",): one}
    world.published(layout=TableLayout(partition_by=columns))
    world.sweep(AN_HOUR)
    assert world.metastore.kept[TARGET_NAME] != {}
    world.clock.pass_ms(3_600_000)
    world.sweep(AN_HOUR)
    assert world.metastore.kept[TARGET_NAME] == {}
    assert world.sweep(AN_HOUR).taken_over == [DIRECTORY]


def test_only_a_vacuum_deletes_them(world: World) -> None:
    """The end of an invocation does not."""
    world.published()
    world.grow_old()
    assert world.sweep().taken_over == []
    assert FILE in world.storage.texts


def test_a_dry_run_only_says_so(world: World) -> None:
    """Nothing is deleted, and nothing is noted."""
    world.published()
    before = dict(world.metastore.tables)
    assert world.sweep(THOROUGH, dry_run=True).taken_over == [DIRECTORY]
    assert FILE in world.storage.texts
    assert world.metastore.tables == before


def test_they_are_remembered_when_the_version_goes(world: World) -> None:
    """Its record goes with it; the live version's remembers them from then on."""
    world.published()
    world.published()
    world.sweep()
    assert len(world.records()) == 1
    assert world.sweep(THOROUGH).taken_over == [DIRECTORY]


def test_they_are_remembered_by_a_live_version_whose_record_was_not_read(world: World) -> None:
    """It is young, a rollback made it live, and newer ones were published since it was staged."""
    rules = replace(AN_HOUR, thorough=False, versions_to_keep=0)
    world.published()
    world.published()
    world.sweep(rules)
    world.clock.pass_ms(60_000)
    live = world.published()
    for _ in range(3):
        world.published()
        world.sweep(rules)
    world.catalog().roll_back(CONTEXT, live.version)
    world.clock.pass_ms(HOUR_MS - 60_000)
    assert len(world.sweep(rules).freed) == 1
    assert world.sweep(THOROUGH).taken_over == [DIRECTORY]


def test_they_stay_while_nothing_has_replaced_the_table(world: World) -> None:
    """A version that is only staged has taken over nothing."""
    world.begun()
    assert world.sweep(THOROUGH).taken_over == []
    assert FILE in world.storage.texts


@pytest.mark.parametrize(
    ("directory", "table_type"),
    [
        (DIRECTORY, "EXTERNAL_TABLE"),
        ("file:/elsewhere/orders", "MANAGED_TABLE"),
        (f"{SCHEMA}/shared", "MANAGED_TABLE"),
    ],
)
def test_only_a_managed_tables_default_directory_goes(directory: str, table_type: str) -> None:
    """Nobody knows who else uses any other directory."""
    world = World()
    stands(world, directory, table_type)
    world.published()
    assert world.sweep(THOROUGH).taken_over == []
    assert f"{directory}/part-0.parquet" in world.storage.texts


def another_table(location: str, **fields: object) -> Callable[[World], None]:
    """Somebody else's table, in another database."""

    def add(world: World) -> None:
        name = TableName("other", "theirs")
        world.metastore.databases["other"] = "file:/warehouse/other.db"
        world.metastore.tables[name] = entry(name, location=location, **fields)

    return add


def a_partition_there(world: World) -> None:
    """Somebody else's partition."""
    another_table("file:/other/theirs", partition_keys=("k",))(world)
    found = partition(f"{DIRECTORY}/k=1", "1")
    world.metastore.kept[TableName("other", "theirs")] = {("1",): found}


def a_partition_of_its_own(world: World) -> None:
    """The target's own entry of a partition from before."""
    found = replace(world.metastore.tables[TARGET_NAME], partition_keys=("month",))
    world.metastore.tables[TARGET_NAME] = replace(
        found, parameters={**found.parameters, "spark.sql.partitionProvider": "catalog"}
    )
    world.metastore.kept[TARGET_NAME] = {("1",): partition(f"{DIRECTORY}/month=1", "1")}


def versions_there(world: World) -> None:
    """Another model's location_root."""
    world.storage.write(f"{DIRECTORY}/ctas-spark/s000000000000/staging-id", "{}")


def a_rename(world: World) -> None:
    """The target goes elsewhere."""
    moved = TableName("shop", "moved")
    world.metastore.tables[moved] = replace(world.metastore.tables.pop(TARGET_NAME), name=moved)


def a_drop_and_another_build(world: World) -> None:
    """The lineage begins anew, and knows nothing of the takeover."""
    del world.metastore.tables[TARGET_NAME]
    world.published()


def a_database_that_is_closed(world: World) -> None:
    """Its tables can't be listed."""

    def refuse(call: str) -> None:
        if call == "databases":
            raise MetastoreError("no permission")

    world.metastore.before = refuse


@pytest.mark.parametrize(
    "happens",
    [
        another_table(DIRECTORY),
        another_table(f"{DIRECTORY}/below"),
        another_table("hdfs://other/warehouse/shop.db/orders/"),
        a_partition_there,
        a_partition_of_its_own,
        versions_there,
        a_rename,
        a_drop_and_another_build,
        a_database_that_is_closed,
    ],
)
def test_any_doubt_keeps_them(world: World, happens: Callable[[World], None]) -> None:
    """Whatever may lie there or whoever may have the name by now."""
    world.published()
    happens(world)
    assert world.sweep(THOROUGH).taken_over == []
    assert FILE in world.storage.texts


def test_what_stays_is_said(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """The log says where it is, and why; it goes when the reason is gone."""
    caplog.set_level(logging.WARNING)
    world.published()
    another_table(DIRECTORY)(world)
    world.sweep(THOROUGH)
    (said,) = [record.getMessage() for record in caplog.records]
    assert f"stay in {DIRECTORY}, because other.theirs lies there" in said
    del world.metastore.tables[TableName("other", "theirs")]
    assert world.sweep(THOROUGH).taken_over == [DIRECTORY]


def test_a_kill_before_the_deletion_is_made_good(world: World) -> None:
    """The next vacuum looks again, and goes on."""
    world.published()
    with killed(world.metastore, "databases", after=True):
        world.sweep(THOROUGH)
    assert FILE in world.storage.texts
    assert world.sweep(THOROUGH).taken_over == [DIRECTORY]


def test_spellings_of_a_path() -> None:
    """Schemes, authorities and escapes differ; the path does not."""
    assert is_same("s3a://bucket/a%20b/c", "s3://bucket/a b/c/")
    assert lies_within("file:///a/b/c", "file:/a/b")
    assert lies_within("/a/b#1/c", "file:/a/b#1")
    assert not lies_within("/a/bc", "/a/b")
    assert not lies_within("", "/a/b")


def test_a_table_that_its_owner_protected_meanwhile_keeps_its_files(world: World) -> None:
    """Begin saw a managed table; what is replaced in the end is an external one."""
    ours = world.begun(on_conflict=OnConflict.OVERWRITE)
    found = world.metastore.tables[TARGET_NAME]
    world.clock.pass_ms(2_000)
    protected = {**found.parameters, "EXTERNAL": "TRUE", "transient_lastDdlTime": "1700000000"}
    world.metastore.tables[TARGET_NAME] = replace(
        found, table_type="EXTERNAL_TABLE", parameters=protected
    )
    ours.commit()
    ours.settle()
    world.clock.pass_ms(10_000)
    assert world.sweep(THOROUGH).taken_over == []
    assert FILE in world.storage.texts


def test_a_rollback_keeps_what_the_version_took_over(world: World) -> None:
    """Its record goes on to remember the files that it left behind in the first place."""
    first, _ = world.published(), world.published()
    world.catalog().roll_back(CONTEXT, first.version)
    assert world.sweep(THOROUGH).taken_over == [DIRECTORY]
