"""A view that takes a table's place, and what runs that were killed have left of such views."""

from dataclasses import replace

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.files.view import ViewChange
from dbt.adapters.ctas_spark.staging.metastore.client import VIEW
from dbt.adapters.ctas_spark.staging.retention.rules import ORPHAN_AGE_MS
from fakes.metastore import entry
from fakes.world import CONTEXT, STAGING_SCHEMA, World, version_of


def staged(world: World) -> ViewChange:
    """A view that Spark has created under its first name."""
    change = world.catalog().view_change(CONTEXT)
    assert change is not None
    world.metastore.tables[change.staged] = entry(change.staged, table_type=VIEW, location=None)
    return change


def test_old_views_that_were_never_published_are_dropped(world: World) -> None:
    """And those of runs that may still be at work are not."""
    world.published()
    left = staged(world)
    world.clock.pass_ms(ORPHAN_AGE_MS // 2)
    at_work = staged(world)
    world.clock.pass_ms(ORPHAN_AGE_MS // 2 + 10_000)
    change = staged(world)
    change.publish()
    change.discard()
    assert left.staged not in world.metastore.tables
    assert at_work.staged in world.metastore.tables


def test_nothing_else_of_such_a_name_is_dropped(world: World) -> None:
    """Not the record of a table whose name ends like that of a staged view, nor a user's table."""
    other = replace(CONTEXT, target=TableName("shop", "orders__view"))
    version = world.catalog().plan(other, world.job).begin()
    world.stage(version)
    theirs = TableName(STAGING_SCHEMA, "orders__view__backup")
    world.metastore.tables[theirs] = entry(theirs, table_type=VIEW)
    world.clock.pass_ms(ORPHAN_AGE_MS + 10_000)
    world.published()
    change = staged(world)
    change.publish()
    change.discard()
    assert {theirs, version_of(version).record} <= world.metastore.tables.keys()
