"""A clean-up and another process that writes between its look and its deletions."""

from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.catalogs.protocol import CleanUpOfOne
from dbt.adapters.ctas_spark.staging.context import OnConflict, TableName
from dbt.adapters.ctas_spark.staging.files.record import Record, RecordState, taken_back
from dbt.adapters.ctas_spark.staging.publish.marker import VERSION
from dbt.adapters.ctas_spark.staging.retention.rules import Reason
from fakes.metastore import entry
from fakes.world import (
    AT_ONCE,
    CONTEXT,
    TARGET_NAME,
    KilledError,
    World,
    published_by,
    version_of,
)


def test_what_has_moved_since_the_look_stays(world: World) -> None:
    """Another's rollback to a version, after all tables were read and before its turn."""
    old, new = world.published(), world.published()
    clean_up = world.catalog().clean_ups([(CONTEXT, AT_ONCE)])
    world.catalog().roll_back(CONTEXT, old.version)
    clean_up(CONTEXT, AT_ONCE)
    assert world.shown == old.version
    assert world.versions_on_storage() == {old.version, new.version}


def test_what_is_put_back_since_the_look_stays(world: World) -> None:
    """By somebody who writes no record: the target is read again before its files go."""
    old = world.published()
    before = world.metastore.tables[TARGET_NAME]
    world.published()
    clean_up = world.catalog().clean_ups([(CONTEXT, AT_ONCE)])
    world.metastore.tables[TARGET_NAME] = before
    assert clean_up(CONTEXT, AT_ONCE).kept[old.version] is Reason.LIVE
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
    of_clone = {VERSION: first.version}
    world.metastore.tables[clone] = entry(clone, location=version.directory, parameters=of_clone)
    others: list[CleanUpOfOne] = []

    def look(call: str) -> None:
        if call == "tables_with" and not others:
            others.append(world.catalog().clean_ups([(CONTEXT, AT_ONCE)]))

    world.metastore.before = look
    world.sweep()
    world.metastore.before = lambda _call: None
    del world.metastore.tables[clone]
    others[0](CONTEXT, AT_ONCE)
    assert world.storage.exists(version.directory)


def test_what_a_killed_take_back_left_goes_with_its_version(world: World) -> None:
    """The creation was moved aside, because a clean-up had taken its version."""
    ours = world.begun()
    name = version_of(ours).record

    def take(call: str) -> None:
        if call == "create_table":
            world.metastore.before = lambda _call: None
            found = world.metastore.tables[name]
            record = Record.of(found)
            assert record is not None
            taken = replace(record, state=RecordState.DELETING).to_parameters()
            world.metastore.tables[name] = replace(found, parameters={**found.parameters, **taken})

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
