"""Whose note begins the grace of a superseded version: that of the publication that replaced it."""

from dataclasses import replace
from typing import Any

from dbt.adapters.ctas_spark.staging.context import TableLayout
from dbt.adapters.ctas_spark.staging.files.record import RecordState
from dbt.adapters.ctas_spark.staging.retention.rules import HOUR_MS, Reason, RetentionRules, Sweep
from fakes.records import drops_the_target, record_of
from fakes.world import CONTEXT, TARGET_NAME, Staged, World, killed

HOURLY = RetentionRules(versions_to_keep=0, grace_ms=HOUR_MS)
KEEPING = RetentionRules(versions_to_keep=9, grace_ms=HOUR_MS)


def built(world: World, **changes: Any) -> Staged:
    """A version of a run that also came to its end."""
    staged = world.published(**changes)
    ended(world, staged)
    return staged


def ended(world: World, staged: Staged) -> Sweep:
    """The end of the run that has published it; it keeps all versions."""
    counted = {staged.version: world.job.counted}
    return world.catalog().clean_up(CONTEXT, KEEPING, counted=counted)


def test_the_next_publication_is_noted_once_for_both(world: World) -> None:
    """On the record of the new version; that of the one before stays as it was."""
    old = built(world)
    before = record_of(world, old)
    new = built(world)
    assert record_of(world, old) == before
    assert before.superseded_ms is None
    world.clock.pass_ms(HOUR_MS - 2_000)
    assert world.sweep(HOURLY).kept[old.version] is Reason.GRACE
    world.clock.pass_ms(2_000)
    assert world.sweep(HOURLY).kept == {new.version: Reason.LIVE}


def test_a_later_publication_does_not_begin_the_grace_anew(world: World) -> None:
    """The first one that was noted counts, and not that of each run since then."""
    old, _ = built(world), built(world)
    world.clock.pass_ms(HOUR_MS)
    built(world)
    assert old.version not in world.sweep(HOURLY).kept


def test_the_end_of_a_run_says_it_again_to_no_effect(world: World) -> None:
    """A project may publish a table, save into it and end; the first note stays."""
    built(world)
    new = built(world)
    noted = record_of(world, new)
    world.clock.pass_ms(HOUR_MS)
    ended(world, new)
    assert record_of(world, new) == noted


def test_a_fence_takes_no_note_away(world: World) -> None:
    """It publishes the version that is live once more, under the next number."""
    old, new = built(world), built(world)
    stuck = world.begun()
    world.grow_old()
    swept = world.catalog().clean_up(CONTEXT, replace(KEEPING, fences=True))
    assert [one.rpartition("/")[2] for one in swept.freed] == [stuck.version]
    assert record_of(world, old).superseded_ms is None
    assert world.sweep(HOURLY).kept == {new.version: Reason.LIVE}


def test_numbers_from_before_a_drop_begin_no_grace(world: World) -> None:
    """Those of a new creation begin at 1 again, below what was noted hours ago."""
    for _ in range(3):
        built(world)
    drops_the_target(world)
    world.clock.pass_ms(10 * HOUR_MS)
    first, _ = built(world), built(world)
    assert world.sweep(HOURLY).kept[first.version] is Reason.GRACE


def test_a_rollback_takes_along_what_was_noted_before(world: World) -> None:
    """The version that it replaced was read until now."""
    first, second = built(world), built(world)
    world.clock.pass_ms(10 * HOUR_MS)
    world.catalog().roll_back(CONTEXT)
    assert record_of(world, first).published_ms is None
    kept = world.sweep(HOURLY).kept
    assert kept == {first.version: Reason.LIVE, second.version: Reason.GRACE}


def test_a_number_that_comes_again_after_a_drop_begins_no_grace(world: World) -> None:
    """A rollback to a version from before the drop publishes it under the number that it had."""
    built(world)
    second = built(world)
    drops_the_target(world)
    world.clock.pass_ms(10 * HOUR_MS)
    first_after = built(world)
    assert record_of(world, second).number == 2
    world.catalog().roll_back(CONTEXT, second.version)
    assert world.sweep(HOURLY).kept[first_after.version] is Reason.GRACE


def test_a_note_by_another_storages_clock_begins_no_grace(world: World) -> None:
    """The model moved to another location_root: its own record has to say it."""
    old = built(world)
    built(world, layout=TableLayout(location_root="file:/new"))
    assert record_of(world, old).state is RecordState.SUPERSEDED
    assert record_of(world, old).superseded_ms is not None


def test_a_publication_that_nobody_noted_begins_no_grace(world: World) -> None:
    """Its run was killed before its end: the next clean-up notes the version before it."""
    old = built(world)
    world.published()
    world.clock.pass_ms(10 * HOUR_MS)
    assert world.sweep(HOURLY).kept[old.version] is Reason.GRACE
    assert record_of(world, old).superseded_ms is not None


def test_a_version_that_goes_back_forgets_what_was_noted(world: World) -> None:
    """A deletion had begun when somebody put its entry back; nobody noted when that was."""
    old = built(world)
    before = world.metastore.tables[TARGET_NAME]
    built(world)
    world.clock.pass_ms(HOUR_MS)
    with killed(world.metastore, "alter_table", after=True):
        world.sweep()
    world.metastore.tables[TARGET_NAME] = before
    assert world.sweep().kept[old.version] is Reason.LIVE
    assert record_of(world, old).state is RecordState.PUBLISHED
    assert record_of(world, old).published_ms is None
