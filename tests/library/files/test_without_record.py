"""What a CTAS left before its record was there goes when it is old, and so that none comes late."""

from dataclasses import replace

import pytest

from ctas_spark.errors import (
    EntryExistsError,
)
from ctas_spark.metastore.client import EntryChange
from ctas_spark.publish.marker import name_of_record, new_version_id
from ctas_spark.retention.rules import (
    Reason,
)
from fakes.metastore import entry
from fakes.world import (
    AT_ONCE,
    STAGING_SCHEMA,
    TARGET_NAME,
    World,
    version_of,
)

NOW = replace(AT_ONCE, orphan_age_ms=0)
pytestmark = pytest.mark.usefixtures("a_table")


def left_in_its_directory(world: World) -> str:
    """A version whose CTAS was killed, or still runs: files, and no record."""
    version = new_version_id(world.clock.wall)
    root = version_of(world.begun()).directory.rpartition("/")[0]
    world.storage.write(f"{root}/{version}/_temporary/part-0.parquet", "rows")
    return version


def test_a_directory_without_a_record_gets_one_first(world: World) -> None:
    """The CTAS that may still run fails on it, and would have made a version without its files."""
    version = left_in_its_directory(world)
    name = name_of_record(STAGING_SCHEMA, TARGET_NAME, version)
    assert world.sweep().kept[version] is Reason.YOUNG
    world.grow_old()
    assert any(version in one for one in world.sweep().freed)
    assert not any(version in path for path in world.storage.texts)
    late = EntryChange(name, entry(name), None, {})
    with pytest.raises(EntryExistsError):
        world.metastore.create_table(late)
    assert version not in world.sweep().kept
    assert not any(version in one for one in world.sweep().freed)


def test_a_tombstone_goes_when_it_is_old(world: World) -> None:
    """What a CTAS wrote in spite of it goes as well."""
    version = left_in_its_directory(world)
    world.grow_old()
    world.sweep()
    root = version_of(world.begun()).directory.rpartition("/")[0]
    world.storage.write(f"{root}/{version}/part-1.parquet", "late")
    assert any(version in one for one in world.sweep().freed)
    assert version in world.records()
    world.grow_old()
    world.sweep()
    assert version not in world.records()


def test_a_ctas_that_ended_between_is_left_alone(world: World) -> None:
    """Its record came before the clean-up's."""
    version = left_in_its_directory(world)
    world.grow_old()
    name = name_of_record(STAGING_SCHEMA, TARGET_NAME, version)

    def ends(call: str) -> None:
        if call == "create_table":
            world.metastore.before = lambda _call: None
            world.metastore.tables[name] = entry(name)

    world.metastore.before = ends
    assert world.sweep().kept[version] is Reason.TAKEN
    assert any(version in path for path in world.storage.texts)


def test_an_empty_directory_has_its_own_time(world: World) -> None:
    """Where the storage keeps one; else its id's time is all there is."""
    version = left_in_its_directory(world)
    world.grow_old()
    (path,) = [one for one in world.storage.texts if version in one]
    world.storage.modified[path] = world.clock.wall
    assert world.sweep().kept[version] is Reason.YOUNG


def test_an_entry_of_deltas_without_a_record_is_adopted(world: World) -> None:
    """Delta's CTAS ended, and its run died before it wrote the record."""
    ours = world.begun()
    name = version_of(ours).record
    found = world.metastore.tables[name]
    plain = {key: text for key, text in found.parameters.items() if "ctas_spark" not in key}
    world.metastore.tables[name] = replace(found, parameters=plain)
    assert world.sweep().kept[ours.version] is Reason.YOUNG
    world.grow_old()
    assert version_of(ours).directory in world.sweep().freed
    assert name not in world.metastore.tables


def test_an_entry_of_that_name_elsewhere_is_foreign(world: World) -> None:
    """Somebody's table in the staging schema, named like a record, lies where it likes."""
    version = new_version_id(world.clock.wall)
    name = name_of_record(STAGING_SCHEMA, TARGET_NAME, version)
    world.metastore.tables[name] = entry(name, location=f"file:/mine/{version}", parameters={})
    world.storage.write(f"file:/mine/{version}/part-0.parquet", "theirs")
    world.grow_old()
    world.sweep(NOW)
    assert name in world.metastore.tables
    assert version in world.versions_on_storage()
