"""A clean-up and another process that writes between its look and its deletions."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from ctas_spark.context import OnConflict, TableName
from ctas_spark.files.garbage import clean_up, scan
from ctas_spark.files.record import taken_back
from ctas_spark.files.table import FileTable
from ctas_spark.publish.marker import TARGET
from ctas_spark.retention.rules import Reason, Sweep
from ctas_spark.steps import StepReport
from fakes.metastore import entry
from fakes.records import takes
from fakes.world import (
    AT_ONCE,
    CONTEXT,
    STAGING_SCHEMA,
    TARGET_NAME,
    KilledError,
    World,
    published_by,
    version_of,
)


def looked(world: World) -> Callable[[], Sweep]:
    """A clean-up that has read the records and the target, and goes on when it is called."""
    services = world.catalog().services(STAGING_SCHEMA)
    table = FileTable(CONTEXT, services, StepReport(TARGET_NAME))
    return partial(clean_up, [(table, scan(table, AT_ONCE))], AT_ONCE, dry_run=False)


def test_what_has_moved_since_the_look_stays(world: World) -> None:
    """Another's rollback to a version, after all tables were read and before its turn."""
    old, new = world.published(), world.published()
    rest = looked(world)
    world.catalog().roll_back(CONTEXT, old.version)
    rest()
    assert world.shown == old.version
    assert world.versions_on_storage() == {old.version, new.version}


def test_what_is_put_back_since_the_look_stays(world: World) -> None:
    """By somebody who writes no record: the target is read again before its files go."""
    old = world.published()
    before = world.metastore.tables[TARGET_NAME]
    world.published()
    rest = looked(world)
    world.metastore.tables[TARGET_NAME] = before
    assert rest().kept[old.version] is Reason.LIVE
    assert old.version in world.versions_on_storage()


def test_the_target_is_read_after_the_records_of_others(world: World) -> None:
    """One expects a commit that came after this run's last read of the target, and may land."""
    world.published()
    rival = world.begun(on_conflict=OnConflict.OVERWRITE)
    world.grow_old()
    catalog = world.catalog()
    ours = published_by(catalog, world)
    world.published()
    kept: list[Reason] = []

    def look(call: str) -> None:
        if call == "alter_table" and version_of(rival)._call is not None:  # noqa: SLF001 (the last)
            world.metastore.before = lambda _call: None
            kept.append(
                catalog.clean_ups([(CONTEXT, AT_ONCE)])(CONTEXT, AT_ONCE).kept[rival.version]
            )

    world.metastore.before = look
    rival.commit()
    assert kept == [Reason.MAY_LAND]
    assert world.shown == rival.version
    assert ours.version not in world.versions_on_storage()


def test_a_deletion_that_was_given_up_meanwhile_is_not_finished(world: World) -> None:
    """One clean-up saw the version being deleted; another found its clone, and gave it back."""
    first = world.published()
    world.published()
    version = version_of(first)
    clone = TableName("shop", "copy")
    of_clone = {TARGET: str(TARGET_NAME)}
    world.metastore.tables[clone] = entry(clone, location=version.directory, parameters=of_clone)
    others: list[Callable[[], Sweep]] = []

    def look(call: str) -> None:
        if call == "tables_with" and not others:
            others.append(looked(world))

    world.metastore.before = look
    world.sweep()
    world.metastore.before = lambda _call: None
    del world.metastore.tables[clone]
    others[0]()
    assert world.storage.exists(version.directory)


def test_what_a_killed_take_back_left_goes_with_its_version(world: World) -> None:
    """The creation was moved aside, because a clean-up had taken its version."""
    ours = world.begun()
    name = version_of(ours).record

    def take(call: str) -> None:
        if call == "create_table":
            world.metastore.before = lambda _call: None
            takes(world, ours)

    def die(call: str) -> None:
        if call == "rename_table":
            raise KilledError

    world.metastore.before, world.metastore.after = take, die
    with pytest.raises(KilledError):
        ours.commit()
    world.metastore.after = lambda _call: None
    assert taken_back(name) in world.metastore.tables
    world.grow_old()
    world.catalog().clean_up(CONTEXT, replace(AT_ONCE, thorough=True))
    assert not {name, taken_back(name)} & world.metastore.tables.keys()
    assert world.versions_on_storage() == set()
