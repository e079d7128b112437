"""What was never published goes when it is old and can't be published any more, and not before."""

from dataclasses import replace

import pytest

from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import OnConflict
from ctas_spark.errors import (
    ConcurrentWriteError,
    StagingError,
)
from ctas_spark.files.record import Record, RecordedBase
from ctas_spark.publish.marker import name_of_record
from ctas_spark.retention.rules import Reason, RetentionRules
from fakes.metastore import entry
from fakes.world import (
    AT_ONCE,
    CONTEXT,
    STAGING_SCHEMA,
    TARGET_NAME,
    Staged,
    World,
    killed,
    version_of,
)

FENCING = replace(AT_ONCE, fences=True)
ONLY_ORPHANS = RetentionRules(versions_to_keep=9, grace_ms=10**12)
NOW = replace(AT_ONCE, orphan_age_ms=0)
VACUUM = replace(NOW, thorough=True)
pytestmark = pytest.mark.usefixtures("a_table")


def live(world: World) -> str:
    """The version that the target shows."""
    return str(world.metastore.tables[TARGET_NAME].directory_name)


def record_of(world: World, version: str) -> Record:
    """The version's record as it is now."""
    found = Record.of(world.metastore.tables[name_of_record(STAGING_SCHEMA, TARGET_NAME, version)])
    assert found is not None
    return found


def test_a_young_version_stays(world: World) -> None:
    """Nobody asks whether its run lives: it is left alone until it is old."""
    ours = world.begun()
    world.published()
    world.clock.pass_ms(ORPHAN_AGE_MS - 60_000)
    assert world.sweep().kept[ours.version] is Reason.YOUNG
    world.clock.pass_ms(60_000)
    assert version_of(ours).directory in world.sweep().freed
    assert ours.version not in world.records()


@pytest.mark.parametrize("newer", ["file", "record"])
def test_the_youngest_of_file_and_record_counts(world: World, newer: str) -> None:
    """A job that writes for days is not old."""
    ours = world.begun()
    world.published()
    world.grow_old()
    if newer == "file":
        world.storage.write(f"{version_of(ours).directory}/part-1.parquet", "rows")
    else:
        name = version_of(ours).record
        found = world.metastore.tables[name]
        times = {"transient_lastDdlTime": str(world.clock.wall // 1000)}
        parameters = {**found.parameters, **times}
        world.metastore.tables[name] = replace(found, parameters=parameters)
    assert world.sweep().kept[ours.version] is Reason.YOUNG


def test_an_old_version_that_may_still_land_stays(world: World) -> None:
    """The target is what its writer expects, who may have been paused for a week."""
    ours = world.begun()
    world.grow_old()
    assert world.sweep().kept[ours.version] is Reason.MAY_LAND
    ours.commit()
    assert live(world) == ours.version
    assert world.sweep().kept == {ours.version: Reason.LIVE}


def test_an_old_version_over_a_table_of_others_may_land() -> None:
    """Over a table without our marker its call expects a time."""
    world = World()
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    ours = world.begun()
    world.grow_old()
    assert world.sweep(VACUUM).kept == {ours.version: Reason.MAY_LAND}
    world.metastore.tables[TARGET_NAME] = entry(
        TARGET_NAME, parameters={"transient_lastDdlTime": "2000"}
    )
    assert world.sweep(VACUUM).freed == [version_of(ours).directory]


def test_an_old_version_whose_base_moved_on_goes(world: World) -> None:
    """Commit ids never return: its call would be refused."""
    ours = world.begun()
    theirs = world.published()
    world.grow_old()
    assert version_of(ours).directory in world.sweep().freed
    with pytest.raises(StagingError):
        ours.commit()
    assert live(world) == theirs.version


def test_a_fence_ends_what_may_land(world: World) -> None:
    """The table gets a fresh commit id and keeps its version; the sleeper conflicts."""
    ours, shown = world.begun(), live(world)
    world.grow_old()
    assert world.sweep(FENCING, dry_run=True).freed == [version_of(ours).directory]
    with killed(world.metastore, "alter_table", after=True):
        world.sweep(FENCING)
    assert live(world) == shown
    with pytest.raises(ConcurrentWriteError, match="another writer changed"):
        ours.commit()
    assert live(world) == shown


def test_a_fenced_version_goes(world: World) -> None:
    """The same clean-up deletes it, and the table stays what it is."""
    ours, shown = world.begun(), live(world)
    world.grow_old()
    assert world.sweep(FENCING).freed == [version_of(ours).directory]
    assert world.versions_on_storage() == {shown} == {live(world)}


def test_a_sleeper_that_overwrites_finds_its_record_taken(world: World) -> None:
    """on_conflict: overwrite would take a new base: it is written to the record first."""
    ours = world.begun(on_conflict=OnConflict.OVERWRITE)
    theirs = world.published()
    world.sweep(ONLY_ORPHANS)
    world.grow_old()
    with killed(world.metastore, "alter_table", after=True):
        world.sweep(ONLY_ORPHANS)
    assert record_of(world, ours.version).is_deleting
    with pytest.raises(ConcurrentWriteError, match="clean-up deleted"):
        ours.commit()
    assert live(world) == theirs.version


def test_a_sleeper_that_overwrites_first_keeps_its_version(world: World) -> None:
    """It wrote its new base to the record between the clean-up's look and its move."""
    ours = world.begun(on_conflict=OnConflict.OVERWRITE)
    world.published()
    world.grow_old()
    name = version_of(ours).record

    def rebase(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            found = record_of(world, ours.version)
            now = world.metastore.tables[TARGET_NAME].parameters["ctas_spark_commit"]
            moved = found.over(RecordedBase(f"commit:{now}", 1, 1)).to_parameters()
            was = world.metastore.tables[name]
            world.metastore.tables[name] = replace(was, parameters={**was.parameters, **moved})

    world.metastore.before = rebase
    rules = replace(ONLY_ORPHANS, grace_ms=0)
    assert world.sweep(rules).kept[ours.version] is Reason.TAKEN
    assert ours.version in world.versions_on_storage()
    assert world.sweep(rules).kept[ours.version] is Reason.MAY_LAND


def test_an_old_creation_is_taken_by_its_record() -> None:
    """No compare-and-swap stops a creation: its record in ``deleting`` does."""
    world = World()
    ours = world.begun("create")
    world.grow_old()
    assert world.sweep().kept == {ours.version: Reason.GONE}
    assert world.sweep(VACUUM).freed == [version_of(ours).directory]
    with pytest.raises(StagingError):
        ours.commit()
    assert TARGET_NAME not in world.metastore.tables


def test_a_creation_that_landed_while_it_was_taken_is_given_back() -> None:
    """The target is read again after the record was taken, directly before the deletion."""
    world = World()
    ours = world.begun("create")
    world.grow_old()
    name = version_of(ours).record

    def lands(call: str) -> None:
        if call == "alter_table":
            world.metastore.after = lambda _call: None
            staged = world.metastore.tables[name]
            world.metastore.tables[TARGET_NAME] = replace(staged, name=TARGET_NAME, parameters={})

    lands_after_the_note = iter([None])
    world.metastore.after = lambda call: lands(call) if next(lands_after_the_note, 1) else None
    assert world.sweep(VACUUM).kept == {ours.version: Reason.LIVE}
    assert not record_of(world, ours.version).is_deleting
    assert ours.version in world.versions_on_storage()


def test_a_record_whose_root_is_another_tables_is_foreign(world: World) -> None:
    """Of a record's root the staging id and the table have to be right."""
    ours = world.begun()
    world.published()
    found = record_of(world, ours.version)
    wrong = replace(found, root=found.root.replace("shop.orders", "shop.customers"))
    name = version_of(ours).record
    was = world.metastore.tables[name]
    changed = {**was.parameters, **wrong.to_parameters()}
    world.metastore.tables[name] = replace(was, parameters=changed)
    world.storage.write(f"{wrong.directory}/part-0.parquet", "theirs")
    world.grow_old()
    world.sweep()
    assert f"{wrong.directory}/part-0.parquet" in world.storage.texts
    assert name in world.metastore.tables


def test_an_orphan_that_may_have_been_the_table_is_as_old_as_its_successor() -> None:
    """The table was dropped and created again: its history does not tell what was there before."""
    world = World()
    before = world.published()
    del world.metastore.tables[TARGET_NAME]
    world.grow_old()
    world.published()
    assert world.sweep(AT_ONCE).kept[before.version] is Reason.GRACE
    world.grow_old()
    assert before.version not in world.sweep(AT_ONCE).kept


def test_a_table_of_others_that_was_replaced_dates_what_was_staged_over_it() -> None:
    """The first publication after that was read."""
    world = World()
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    ours = world.begun()
    world.clock.pass_ms(10_000)
    world.published()
    world.grow_old()
    assert version_of(ours).directory in world.sweep().freed


def test_a_cut_history_keeps_no_orphan_for_ever(world: World) -> None:
    """An orphan of a table that is built every hour goes, too."""
    ours = world.begun()
    for _ in range(45):
        world.published()
    world.grow_old()
    world.sweep(RetentionRules(versions_to_keep=1))
    assert ours.version not in world.versions_on_storage()
    assert len(world.versions_on_storage()) == 2


def test_without_compare_and_swap_age_alone_decides() -> None:
    """There no call is refused by its base, which then proves nothing."""
    world = World(single_process=True)
    world.metastore.compares = False
    world.published()
    ours: Staged = world.begun()
    assert world.sweep().kept[ours.version] is Reason.YOUNG
    world.grow_old()
    assert version_of(ours).directory in world.sweep().freed


def test_older_than_lowers_the_age(world: World) -> None:
    """Only an argument of ctas_vacuum does that."""
    ours = world.begun()
    world.published()
    assert world.sweep().kept[ours.version] is Reason.YOUNG
    assert version_of(ours).directory in world.sweep(NOW).freed


def test_recover_deletes_no_orphan(world: World) -> None:
    """It finishes deletions and begins none."""
    ours = world.begun()
    world.published()
    world.grow_old()
    assert world.catalog().recover(CONTEXT) == ()
    assert ours.version in world.versions_on_storage()
