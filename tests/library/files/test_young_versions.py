"""What the end of a run reads of a table that is published again and again."""

from dataclasses import replace

from ctas_spark.clock import HOUR_MS, ORPHAN_AGE_MS
from ctas_spark.context import TableName
from ctas_spark.publish.marker import version_named
from ctas_spark.retention.rules import Reason, RetentionRules
from fakes.world import CONTEXT, STAGING_SCHEMA, World, version_of

HOURLY = RetentionRules(versions_to_keep=0, grace_ms=HOUR_MS)


def read_of(world: World) -> list[str]:
    """The versions whose records were read together, in the order of their ids."""
    names = world.metastore.read_together
    return sorted(version_named(one) for one in names if one.database == STAGING_SCHEMA)


def test_records_of_versions_that_may_not_go_yet_are_not_read(world: World) -> None:
    """What is judged by the others is only judged too cautiously."""
    old = [world.published() for _ in range(2)]
    world.clock.pass_ms(HOUR_MS)
    young = [world.published() for _ in range(4)]
    done = world.sweep(HOURLY)
    assert read_of(world) == [one.version for one in old]
    assert done.freed == [version_of(old[0]).directory]
    assert world.records() == {one.version for one in (old[1], *young)}


def test_versions_of_many_runs_within_an_hour_all_go(world: World) -> None:
    """Each an hour after the next one had landed, whoever looks."""
    versions = [world.published() for _ in range(6)]
    world.clock.pass_ms(HOUR_MS)
    done = world.sweep(HOURLY)
    assert done.kept == {versions[-1].version: Reason.LIVE}
    assert world.versions_on_storage() == {versions[-1].version}


def test_a_table_that_is_built_all_the_time_keeps_an_hour_of_versions(world: World) -> None:
    """Also where its lineage reaches back a few minutes only."""
    for _ in range(100):
        world.published()
        world.clock.pass_ms(60_000)
        world.sweep(HOURLY)
    assert 58 <= len(world.versions_on_storage()) <= 64


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
    """Somebody who lowers the ages wants to know."""
    versions = [world.published() for _ in range(6)]
    rules = replace(HOURLY, grace_ms=0, orphan_age_ms=0, thorough=True)
    assert len(world.catalog().clean_up(CONTEXT, rules).freed) == len(versions) - 1


def test_an_entry_without_a_version_id_is_read(world: World) -> None:
    """A user's own table in the staging schema is no version, young or old."""
    for _ in range(3):
        world.published()
    newest = world.metastore.tables[max(world.metastore.tables, key=str)]
    own = TableName(STAGING_SCHEMA, "orders__1")
    world.metastore.tables[own] = replace(newest, name=own, parameters={})
    world.sweep(HOURLY)
    assert "1" in read_of(world)
