"""What the session catalog takes on, before anything of a target is looked at."""

from dataclasses import replace

import pytest

from ctas_spark.context import Atomicity, TableLayout, TableName
from ctas_spark.errors import (
    FormatNotFoundError,
    MetastoreError,
    NoSuchSchemaError,
    NotSupportedError,
    StagingSchemaError,
    StorageError,
)
from ctas_spark.files.catalog import LOOKS
from ctas_spark.publish.catalog import ConflictCheck
from fakes.world import BY_MONTH, STAGING_SCHEMA, TARGET_NAME, World


def test_a_table_of_another_catalog_is_not_taken_for_its_namesake(world: World) -> None:
    """It is refused before the metastore is asked for anything, with what to do instead."""
    with pytest.raises(NotSupportedError, match="in spark_catalog only") as refused:
        world.plan(target=TableName("shop", "orders", "ice"))
    assert (str(refused.value.table), refused.value.left) == (
        "ice.shop.orders",
        "it is unchanged; no job was started",
    )
    assert "spark_catalog" in refused.value.remedy
    assert world.metastore.calls == []


def test_a_format_without_its_jar_is_refused(world: World) -> None:
    """avro's data source is a jar of its own: the error names that of this Spark's version."""
    for version, jar in (("4.1.4", "2.13:4.1.4"), ("3.5.2-amzn-1", "2.12:3.5.2")):
        world.engine.version = version
        with pytest.raises(FormatNotFoundError, match="no data source for file_format avro") as no:
            world.plan(layout=TableLayout(file_format="avro"))
        added = f"org.apache.spark:spark-avro_{jar} to spark.jars.packages in spark_conf"
        assert no.value.remedy == f"add {added}"


def test_a_location_that_no_file_system_has_is_refused_before_anything_is_written(
    world: World,
) -> None:
    """Not even the staging schema is made."""
    del world.metastore.databases[STAGING_SCHEMA]
    with pytest.raises(StorageError, match="location_root nosuch:/data can't be used") as refused:
        world.plan(layout=TableLayout(location_root="nosuch:/data"))
    assert "nothing was written" in refused.value.left
    assert (world.metastore.calls, world.engine.statements) == ([], [])


@pytest.mark.parametrize(
    ("compares", "has_locks", "check", "reaches"),
    [
        (True, True, ConflictCheck.CAS, Atomicity.ISOLATED),
        (True, False, ConflictCheck.CAS, Atomicity.ISOLATED),
        (False, True, ConflictCheck.LOCK, Atomicity.ATOMIC),
        (False, False, ConflictCheck.NONE, Atomicity.ATOMIC),
    ],
)
def test_what_is_reached_is_what_the_metastore_was_found_to_do(
    world: World,
    check: ConflictCheck,
    reaches: Atomicity,
    *,
    compares: bool,
    has_locks: bool,
) -> None:
    """Compare-and-swap first, then its lock, which can run out and so is no fence."""
    world.metastore.compares, world.metastore.has_locks = compares, has_locks
    found = world.catalog().capabilities(STAGING_SCHEMA)
    assert (found.catalog, found.conflict_check, found.reaches) == ("hive", check, reaches)
    assert bool(found.missing) is (check is not ConflictCheck.CAS)


def test_a_metastore_of_this_process_always_has_a_lock() -> None:
    """No other process can be a writer."""
    world = World(single_process=True)
    world.metastore.compares = world.metastore.has_locks = False
    found = world.catalog().capabilities(STAGING_SCHEMA)
    assert (found.conflict_check, found.reaches) == (ConflictCheck.LOCK, Atomicity.ISOLATED)


def test_a_probe_that_can_not_be_run_is_an_error(world: World) -> None:
    """It is no "no", and the next model asks again."""
    catalog = world.catalog()

    def refuse(call: str) -> None:
        if call.startswith("probe"):
            raise MetastoreError("no answer")

    world.metastore.before = refuse
    with pytest.raises(MetastoreError):
        catalog.capabilities(STAGING_SCHEMA)
    world.metastore.before = lambda _call: None
    assert catalog.capabilities(STAGING_SCHEMA).conflict_check is ConflictCheck.CAS


def test_the_staging_schema_is_made_where_it_is_missing(world: World) -> None:
    """Once, by a statement that an administrator may run instead."""
    del world.metastore.databases[STAGING_SCHEMA]
    catalog = world.catalog()
    catalog.capabilities(STAGING_SCHEMA)
    catalog.capabilities(STAGING_SCHEMA)
    (statement,) = world.engine.statements
    assert statement.startswith("CREATE SCHEMA IF NOT EXISTS `spark_catalog`.`shop__ctas_spark`")


def test_a_staging_schema_that_can_not_be_made_is_named(world: World) -> None:
    """The remedy is the statement."""
    del world.metastore.databases[STAGING_SCHEMA]

    def refuse(_statement: str) -> None:
        raise RuntimeError("permission denied")

    world.engine.on_sql = refuse
    with pytest.raises(StagingSchemaError, match="permission denied") as refused:
        world.plan()
    assert "ask an administrator to run: CREATE SCHEMA" in refused.value.remedy


def test_a_staging_schema_that_another_run_makes_at_the_same_moment_is_used(world: World) -> None:
    """Hive 4 fails the second of two statements by its database's unique key."""
    location = world.metastore.databases.pop(STAGING_SCHEMA)

    def lose(_statement: str) -> None:
        world.metastore.databases[STAGING_SCHEMA] = location
        raise RuntimeError("duplicate key")

    world.engine.on_sql = lose
    world.plan()


def test_nothing_is_made_next_to_a_schema_that_does_not_exist(world: World) -> None:
    """A misspelt schema leaves no empty staging schema behind."""
    world.metastore.databases.clear()
    with pytest.raises(NoSuchSchemaError, match=f"schema {TARGET_NAME.database} does not exist"):
        world.plan()
    assert world.metastore.databases == {}


def test_only_the_staging_schema_is_touched_by_a_plan(world: World) -> None:
    """Nothing of the target is read or written."""
    world.plan()
    made = ["get_table", "create_table", "get_table"]
    assert world.metastore.calls == ["database_location", *made, "probe"]


def test_a_record_proves_that_its_statement_has_ended(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is waited for; of a table with partitions it comes before these, and proves nothing."""
    ours, slept = world.begun(), list[float]()
    catalog, record = world.catalog(), ours.record
    entry = world.metastore.tables.pop(record)

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            world.metastore.tables[record] = entry

    monkeypatch.setattr("time.sleep", sleep)
    assert catalog.has_staged(ours.context, record)
    assert len(slept) == 3
    assert not catalog.has_staged(replace(ours.context, layout=BY_MONTH), record)
    del world.metastore.tables[record]
    assert not catalog.has_staged(ours.context, record)
    assert len(slept) == 3 + LOOKS
