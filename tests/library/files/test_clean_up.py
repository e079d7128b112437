"""A clean-up deletes superseded versions that nobody needs, and nothing else."""

from dataclasses import replace

import pytest

from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.errors import StagingError
from ctas_spark.retention.rules import Reason, RetentionRules
from fakes.metastore import entry
from fakes.records import drops_the_target, is_deleting, record_of
from fakes.world import AT_ONCE, CONTEXT, TARGET_NAME, World, killed, version_of

AN_HOUR = 3_600_000
WITH_GRACE = RetentionRules(versions_to_keep=0, grace_ms=AN_HOUR)
VACUUM = replace(WITH_GRACE, thorough=True)


def test_the_live_version_always_stays(world: World) -> None:
    """Whatever the rules, what the target shows is not touched."""
    live = world.published()
    world.grow_old()
    assert world.sweep().kept == {live.version: Reason.LIVE}
    assert world.versions_on_storage() == {live.version}


def test_superseded_versions_go_but_for_those_to_keep(world: World) -> None:
    """The newest superseded ones stay for a rollback; of the others neither file nor record."""
    versions = [world.published().version for _ in range(4)]
    done = world.sweep(replace(AT_ONCE, versions_to_keep=1))
    assert done.kept == {versions[3]: Reason.LIVE, versions[2]: Reason.KEPT}
    assert world.versions_on_storage() == world.records() == set(versions[2:])


def test_publications_order_the_versions_and_no_clock_does(world: World) -> None:
    """Of two versions, the one that was published last is kept, whenever it was staged."""
    staged_first = world.begun(on_conflict="overwrite")
    world.clock.pass_ms(60_000)
    published_first = world.published()
    staged_first = world.begun()
    world.clock.wall -= 30_000_000
    last = world.begun()
    staged_first.commit()
    with pytest.raises(StagingError):
        last.commit()
    world.published()
    world.clock.pass_ms(30_000_000)
    done = world.sweep(replace(AT_ONCE, versions_to_keep=1))
    assert done.kept[staged_first.version] is Reason.KEPT
    assert published_first.version not in done.kept


def test_the_grace_runs_from_the_publication_that_replaced_it(world: World) -> None:
    """A version that stood for days and was replaced just now still has its readers."""
    old = world.published()
    world.grow_old()
    world.published()
    world.clock.pass_ms(AN_HOUR - 2_000)
    assert world.sweep(WITH_GRACE).kept[old.version] is Reason.GRACE
    world.clock.pass_ms(1_000)
    assert old.version not in world.sweep(WITH_GRACE).kept
    assert old.version not in world.versions_on_storage()


def test_the_grace_runs_from_when_a_slow_call_had_landed(world: World) -> None:
    """Its commit id was made hours before."""
    old, slow = world.published(), world.begun()

    def sleeps(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            world.clock.pass_ms(5 * AN_HOUR)

    world.metastore.before = sleeps
    slow.commit()
    assert world.sweep(WITH_GRACE).kept[old.version] is Reason.GRACE
    world.published()
    assert world.sweep(WITH_GRACE).kept[old.version] is Reason.GRACE
    world.clock.pass_ms(AN_HOUR)
    assert old.version not in world.sweep(WITH_GRACE).kept


def test_ages_are_the_storages(world: World) -> None:
    """A machine whose clock is days ahead does not shorten a grace."""
    old, _ = world.published(), world.published()
    world.storage.skew_ms = -10 * AN_HOUR
    world.sweep(WITH_GRACE)
    world.clock.wall += 100 * AN_HOUR
    world.storage.skew_ms -= 100 * AN_HOUR
    assert world.sweep(WITH_GRACE).kept[old.version] is Reason.GRACE


def test_a_dry_run_changes_nothing(world: World) -> None:
    """It names the directories that a real one would free, and writes nothing."""
    old, live = world.published(), world.published()
    tables, files = dict(world.metastore.tables), dict(world.storage.texts)
    done = world.sweep(dry_run=True)
    assert done.freed == [version_of(old).directory]
    assert done.kept == {live.version: Reason.LIVE}
    assert (dict(world.metastore.tables), dict(world.storage.texts)) == (tables, files)


def test_what_a_dropped_target_held_goes_only_by_a_vacuum(world: World) -> None:
    """A drop takes no data along; the first vacuum notes it, and a later one deletes it."""
    live = world.published()
    drops_the_target(world)
    world.grow_old()
    assert world.sweep(WITH_GRACE).kept == {live.version: Reason.GONE}
    assert world.sweep(VACUUM).kept == {live.version: Reason.GRACE}
    world.clock.pass_ms(ORPHAN_AGE_MS - 1_000)
    assert world.sweep(VACUUM).kept == {live.version: Reason.GRACE}
    world.clock.pass_ms(1_000)
    assert world.sweep(VACUUM).kept == {}
    assert world.versions_on_storage() == set()


def test_a_drop_and_a_new_creation_take_no_grace_away(world: World) -> None:
    """A lineage that began anew does not know the version that was the table a moment ago."""
    old = world.published()
    drops_the_target(world)
    world.grow_old()
    live = world.published()
    assert world.sweep(WITH_GRACE).kept[old.version] is Reason.GRACE
    world.grow_old()
    assert world.sweep(WITH_GRACE).kept == {live.version: Reason.LIVE}


def test_a_foreign_table_in_the_targets_place_holds_no_version(world: World) -> None:
    """A user's own table has the name by now; what was published stays until a vacuum."""
    old = world.published()
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    world.grow_old()
    assert world.sweep(WITH_GRACE).kept == {old.version: Reason.GONE}
    world.sweep(VACUUM)
    world.grow_old()
    assert world.sweep(VACUUM).freed == [version_of(old).directory]
    assert TARGET_NAME in world.metastore.tables


def test_what_a_vacuum_noted_of_a_gone_target_ends_when_that_is_back(world: World) -> None:
    """Readers came back with it."""
    old = world.published()
    renamed = world.metastore.tables.pop(TARGET_NAME)
    world.sweep(VACUUM)
    world.grow_old()
    world.metastore.tables[TARGET_NAME] = renamed
    world.sweep(VACUUM)
    drops_the_target(world)
    assert world.sweep(VACUUM).kept == {old.version: Reason.GRACE}


def test_a_table_that_is_dropped_while_a_vacuum_reads_was_left_after_that(world: World) -> None:
    """Its readers have their grace from the drop on, however long the vacuum's reads take."""
    old = world.published()
    world.grow_old()

    def reads_slowly(_call: str) -> None:
        if world.metastore.tables.pop(TARGET_NAME, None) is not None:
            world.clock.pass_ms(ORPHAN_AGE_MS)

    world.metastore.before = reads_slowly
    world.sweep(VACUUM)
    assert world.sweep(VACUUM).kept == {old.version: Reason.GRACE}


def test_a_kill_in_the_middle_is_taken_up_again(world: World) -> None:
    """Whatever call of a clean-up is its last, the next one leaves nothing and loses nothing."""
    world.published()
    live = world.published()
    calls = 0
    while True:
        calls += 1
        left = calls

        def die(_call: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise KeyboardInterrupt

        world.metastore.before = die
        try:
            world.sweep()
        except KeyboardInterrupt:
            continue
        finally:
            world.metastore.before = lambda _call: None
        break
    assert calls > 5
    assert world.versions_on_storage() == world.records() == {live.version}


def test_a_half_deleted_version_does_not_count_among_those_to_keep(world: World) -> None:
    """A clean-up died while it deleted the oldest version: the newer one is kept in its place."""
    versions = [world.published().version for _ in range(3)]
    world.sweep(WITH_GRACE)
    with killed(world.metastore, "alter_table", after=True):
        world.sweep()
    done = world.sweep(replace(AT_ONCE, versions_to_keep=1))
    assert done.kept == {versions[2]: Reason.LIVE, versions[1]: Reason.KEPT}
    assert world.versions_on_storage() == {versions[1], versions[2]}


def test_a_deleting_record_whose_version_is_shown_goes_back(world: World) -> None:
    """A clean-up died, then somebody put the old entry back: the version is the table again."""
    old = world.published()
    before = world.metastore.tables[TARGET_NAME]
    world.published()
    world.sweep(WITH_GRACE)
    with killed(world.metastore, "alter_table", after=True):
        world.sweep()
    assert is_deleting(world, old)
    world.metastore.tables[TARGET_NAME] = before
    assert world.sweep().kept[old.version] is Reason.LIVE
    assert not is_deleting(world, old)
    assert old.version in world.versions_on_storage()


def test_a_rollback_that_is_under_way_is_not_broken(world: World) -> None:
    """It has taken the record and is about to publish: no clean-up deletes the files under it."""
    old, live = world.published(), world.published()
    world.sweep(WITH_GRACE)
    with killed(world.metastore, "alter_table", after=True):
        world.catalog().roll_back(CONTEXT)
    assert world.sweep().kept == {live.version: Reason.LIVE, old.version: Reason.MAY_LAND}
    newest = world.published()
    assert world.sweep().kept == {newest.version: Reason.LIVE}


def test_what_can_not_be_found_out_deletes_nothing(world: World) -> None:
    """A storage that does not answer is an error, never a "no"."""
    world.published()
    world.published()
    files = set(world.storage.texts)
    world.storage.refuses = True
    with pytest.raises(StagingError):
        world.sweep()
    assert set(world.storage.texts) == files


def test_only_names_of_versions_are_versions(world: World) -> None:
    """What people put into the root by hand is not ours."""
    live = world.published()
    root = version_of(live).directory.rpartition("/")[0]
    world.storage.write(f"{root}/backup/part-0.parquet", "theirs")
    world.grow_old()
    assert world.sweep().kept == {live.version: Reason.LIVE}
    assert "backup" in world.versions_on_storage()


def test_a_table_of_a_longer_name_is_not_ours(world: World) -> None:
    """Records of ``orders__old`` begin like those of ``orders`` and belong to another."""
    live = world.published()
    name = version_of(live).record
    found = record_of(world, live)
    other = replace(name, table=f"orders__old__{live.version}")
    parameters = replace(found, target="shop.orders__old").to_parameters()
    world.metastore.tables[other] = entry(other, parameters=parameters)
    world.grow_old()
    assert world.sweep().kept == {live.version: Reason.LIVE}
    assert other in world.metastore.tables


def test_a_record_that_does_not_match_its_name_is_foreign(world: World) -> None:
    """A copied entry names another version's files: neither they nor the entry are touched."""
    old, live = world.published(), world.published()
    name = version_of(live).record
    copied = replace(name, table=f"orders__20200101t000000x{'0' * 8}")
    world.metastore.tables[copied] = replace(
        world.metastore.tables[version_of(old).record], name=copied
    )
    world.grow_old()
    world.sweep()
    assert copied in world.metastore.tables


def test_without_compare_and_swap_a_lock_keeps_the_order() -> None:
    """An embedded metastore has no rivals in other processes."""
    world = World(single_process=True)
    world.metastore.compares = False
    old, live = world.published(), world.published()
    assert world.sweep().freed == [version_of(old).directory]
    assert world.records() == {live.version}
