"""What the end of a run reads of a table that is published again and again."""

from dataclasses import replace

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.files.record import RecordState, version_of
from dbt.adapters.ctas_spark.staging.retention.rules import (
    HOUR_MS,
    ORPHAN_AGE_MS,
    Reason,
    RetentionRules,
)
from fakes.records import record_of
from fakes.world import CONTEXT, STAGING_SCHEMA, World

HOURLY = RetentionRules(versions_to_keep=0, grace_ms=HOUR_MS)


def read_of(world: World) -> list[str]:
    """The versions whose records were read together, in the order of their ids."""
    names = world.metastore.read_together
    return sorted(version_of(one) for one in names if one.database == STAGING_SCHEMA)


def test_records_of_versions_that_may_not_go_yet_are_not_read(world: World) -> None:
    """But for the one that was superseded just now, whose grace begins."""
    versions = [world.published() for _ in range(6)]
    done = world.sweep(HOURLY)
    assert read_of(world) == [one.version for one in versions[-2:]]
    assert record_of(world, versions[4]).state is RecordState.SUPERSEDED
    assert record_of(world, versions[0]).state is RecordState.STAGED
    assert done.kept.keys() == {one.version for one in versions[-2:]}
    assert not done.freed


def test_what_is_kept_for_a_rollback_is_read(world: World) -> None:
    """Only what was counted among the versions to keep lets an older one go."""
    versions = [world.published() for _ in range(6)]
    world.sweep(replace(HOURLY, versions_to_keep=3))
    assert read_of(world) == [one.version for one in versions[-4:]]


def test_versions_of_many_runs_within_an_hour_all_go(world: World) -> None:
    """The run that superseded each began its grace."""
    versions = []
    for _ in range(6):
        versions.append(world.published())
        world.sweep(HOURLY)
    world.clock.pass_ms(HOUR_MS)
    done = world.sweep(HOURLY)
    assert done.kept == {versions[-1].version: Reason.LIVE}
    assert world.versions_on_storage() == {versions[-1].version}


def test_a_version_that_nobody_noted_goes_after_all(world: World) -> None:
    """Its run was killed before it looked after anything: the grace begins an hour late."""
    versions = [world.published() for _ in range(3)]
    world.sweep(HOURLY)
    world.clock.pass_ms(HOUR_MS)
    assert world.sweep(HOURLY).kept[versions[0].version] is Reason.GRACE
    world.clock.pass_ms(HOUR_MS)
    assert world.sweep(HOURLY).kept == {versions[2].version: Reason.LIVE}


def test_a_long_grace_keeps_no_orphan(world: World) -> None:
    """An attempt that died goes with the orphan age, however long superseded versions stay."""
    world.published()
    lost = world.begun()
    for _ in range(3):
        world.published()
    world.grow_old()
    done = world.sweep(replace(HOURLY, grace_ms=10 * ORPHAN_AGE_MS))
    assert [one.rpartition("/")[2] for one in done.freed] == [lost.version]


def test_a_vacuum_reads_them_all(world: World) -> None:
    """Somebody who asks for it wants to know."""
    old, *_ = [world.published() for _ in range(6)]
    world.catalog().clean_up(CONTEXT, replace(HOURLY, thorough=True))
    assert record_of(world, old).state is RecordState.SUPERSEDED


def test_an_entry_without_a_version_id_is_read(world: World) -> None:
    """A user's own table in the staging schema is no version, young or old."""
    for _ in range(3):
        world.published()
    newest = world.metastore.tables[max(world.metastore.tables, key=str)]
    own = TableName(STAGING_SCHEMA, "orders__1")
    world.metastore.tables[own] = replace(newest, name=own, parameters={})
    world.sweep(HOURLY)
    assert "1" in read_of(world)
