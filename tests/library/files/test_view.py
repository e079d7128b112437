"""A view that takes a table's place, and what runs that were killed have left of such views."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import TableName
from ctas_spark.errors import EntryModifiedError, MetastoreError
from ctas_spark.files.view import ViewChange
from ctas_spark.metastore.client import VIEW, EntryChange, Expectation
from fakes.metastore import entry
from fakes.world import CONTEXT, STAGING_SCHEMA, World, version_of


def staged(world: World) -> ViewChange:
    """A view that Spark has created under its first name."""
    change = world.catalog().view_change(CONTEXT)
    assert change is not None
    world.metastore.tables[change.staged] = entry(
        change.staged, table_type=VIEW, location=None, columns=(("id", "int"),)
    )
    return change


def failing(call: str, error: Exception) -> Callable[[str], None]:
    """What a metastore then answers to such a call."""

    def answer(made: str) -> None:
        if made == call:
            raise error

    return answer


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


def test_a_vacuum_drops_them_whatever_their_target(world: World) -> None:
    """A dry run only says which; a view model is none of the tables that a vacuum knows."""
    world.published()
    left = staged(world)
    world.clock.pass_ms(ORPHAN_AGE_MS + 10_000)
    at_work = staged(world)
    for dry_run in (True, False):
        assert left.staged in world.metastore.tables
        assert world.catalog().drop_left_views(CONTEXT, dry_run=dry_run) == (left.staged,)
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


def test_a_rival_between_the_two_calls_of_a_view_is_kept(world: World) -> None:
    """The second one gives other engines the columns of a view that is ours no more."""
    world.metastore.compares_columns = True
    world.published()
    change = staged(world)
    real, rivals = world.metastore.alter_table, []

    def alter(change: EntryChange, expected: Expectation | None) -> None:
        real(change, expected)
        world.metastore.alter_table = real  # type: ignore[method-assign]
        world.metastore.compares_columns = False
        rivals.append(world.published())

    world.metastore.alter_table = alter  # type: ignore[method-assign]
    change.publish()
    assert [one.version for one in rivals] == [world.shown]


def test_a_view_that_is_there_is_no_failure_whatever_the_server_says(world: World) -> None:
    """It may repeat by itself what has succeeded, and refuse that."""
    world.published()
    change = staged(world)
    world.metastore.after = failing("alter_table", EntryModifiedError("it has been modified"))
    change.publish()
    assert world.target.is_view


def test_a_staged_view_that_can_not_be_dropped_is_a_warning(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """The view itself is published."""
    world.published()
    change = staged(world)
    change.publish()
    world.metastore.before = failing("drop_entry", MetastoreError("connection lost"))
    change.discard()
    assert f"the view {change.staged} could not be dropped" in caplog.text
