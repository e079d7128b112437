"""What a target left in a directory or a staging schema of an earlier configuration goes, too."""

import logging
from dataclasses import replace

import pytest

from ctas_spark.context import StagingContext, TableLayout, TableName
from ctas_spark.files import staging_entry
from ctas_spark.files.directories import VersionRoots
from ctas_spark.files.staging_entry import STAGING_ID
from ctas_spark.metastore.client import MANAGED
from ctas_spark.retention.rules import Reason, Sweep
from fakes.metastore import entry
from fakes.records import drops_the_target
from fakes.world import (
    ADDRESS,
    AT_ONCE,
    CONTEXT,
    STAGING_SCHEMA,
    TARGET_NAME,
    Staged,
    World,
    killed,
    version_of,
)

OLD, NEW = TableLayout(location_root="file:/mnt/old"), TableLayout(location_root="file:/mnt/new")
OTHER, THIRD = "other", "third"
THOROUGH = replace(AT_ONCE, thorough=True)


@pytest.fixture(params=["compares", "locks", "neither"])
def world(request: pytest.FixtureRequest) -> World:
    """A metastore, whatever it does against rivals, with two more schemas."""
    world = World()
    world.metastore.compares = request.param == "compares"
    world.metastore.has_locks = request.param != "neither"
    for schema in (OTHER, THIRD):
        world.metastore.databases[schema] = f"file:/warehouse/{schema}"
    return world


def killed_in_its_job(world: World, layout: TableLayout) -> Staged:
    """Its directory has a file, and there is no record."""
    dead = world.plan(layout=layout).begin()
    dead.statement("select 1")
    world.storage.write(f"{version_of(dead).directory}/part-0.parquet", "rows")
    return dead


def swept(world: World, context: StagingContext, keep: int = 0) -> Sweep:
    """What the end of an invocation deletes that built the target."""
    rules = replace(AT_ONCE, versions_to_keep=keep)
    return world.catalog().clean_ups([(context, rules)])(context, rules)


def built(world: World, schema: str) -> Staged:
    """The target, by a model that has that staging schema."""
    return world.published(staging_schema=schema)


def left_of(world: World, one: Staged) -> list[str]:
    """Its files, and its entry."""
    files = [path for path in world.storage.texts if one.version in path]
    return files + [str(name) for name in world.metastore.tables if one.version in name.table]


def test_an_orphan_in_a_directory_that_the_model_had_before_goes(world: World) -> None:
    """Also when no record points there any more."""
    world.published(layout=OLD)
    dead = killed_in_its_job(world, OLD)
    context = world.context(layout=NEW)
    for _ in range(3):
        world.published(layout=NEW)
        swept(world, context)
        world.grow_old()
    assert left_of(world, dead) == []


@pytest.mark.parametrize("by_vacuum", [True, False])
def test_versions_of_a_staging_schema_that_the_model_had_before_go(
    world: World, *, by_vacuum: bool
) -> None:
    """With their records; and those of the one before that."""
    first, second = built(world, OTHER), built(world, THIRD)
    last = built(world, STAGING_SCHEMA)
    for _ in range(3):
        world.grow_old()
        if by_vacuum:
            world.catalog().clean_up(CONTEXT, THOROUGH)
        else:
            swept(world, CONTEXT)
    assert (left_of(world, first), left_of(world, second)) == ([], [])
    assert world.shown == last.version
    assert world.versions_on_storage() == {last.version}


def test_as_many_versions_are_kept_as_before_a_change(world: World) -> None:
    """In all staging schemas together."""
    one = built(world, OTHER)
    built(world, STAGING_SCHEMA)
    swept(world, CONTEXT, keep=1)
    world.grow_old()
    swept(world, CONTEXT, keep=1)
    assert left_of(world, one)
    built(world, STAGING_SCHEMA)
    for _ in range(2):
        swept(world, CONTEXT, keep=1)
        world.grow_old()
    swept(world, CONTEXT, keep=1)
    assert left_of(world, one) == []
    assert len(world.versions_on_storage()) == 2


def test_a_published_table_names_its_staging_schema(world: World) -> None:
    """That of the last publication."""
    built(world, OTHER)
    assert world.target.parameters[staging_entry.STAGING_SCHEMA] == OTHER
    built(world, STAGING_SCHEMA)
    assert world.target.parameters[staging_entry.STAGING_SCHEMA] == STAGING_SCHEMA


def test_a_former_staging_schema_that_is_gone_is_not_made_again(world: World) -> None:
    """Nothing is left in it."""
    built(world, OTHER)
    built(world, STAGING_SCHEMA)
    del world.metastore.databases[OTHER]
    swept(world, CONTEXT)
    assert world.engine.statements == []


def test_the_places_are_noted_once(world: World) -> None:
    """By the first run that has them; later runs change nothing of the id's entry."""
    built(world, OTHER)
    built(world, STAGING_SCHEMA)
    before = world.metastore.tables[TableName(STAGING_SCHEMA, STAGING_ID)]
    built(world, STAGING_SCHEMA)
    assert world.metastore.tables[TableName(STAGING_SCHEMA, STAGING_ID)] == before


@pytest.mark.parametrize("compares", [True, False])
def test_two_runs_that_note_at_once_lose_nothing(*, compares: bool) -> None:
    """The second one reads what the first one has written, or waits for its lock."""
    world = World()
    world.metastore.compares = compares
    built(world, STAGING_SCHEMA)
    one, other = (world.catalog().services(STAGING_SCHEMA).roots for _ in range(2))
    old, new = (replace(CONTEXT, layout=layout) for layout in (OLD, NEW))
    world.once_after("get_table", lambda: other.root_of(new))
    roots = {one.root_of(old), other.root_of(new)}
    for root in roots:
        world.storage.write(f"{root}/v/part-0", "rows")
    assert roots <= {*roots_of(world).known(CONTEXT)}


def test_a_former_directory_that_can_not_be_listed_stops_nothing(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies there stays, and a warning says so."""
    world.published(layout=OLD)
    ours = roots_of(world)
    listed = world.storage.children

    def refusing(directory: str) -> tuple[str, ...]:
        world.storage.refuses = directory.startswith("file:/mnt/old")
        try:
            return listed(directory)
        finally:
            world.storage.refuses = False

    monkeypatch.setattr(world.storage, "children", refusing)
    with caplog.at_level(logging.WARNING):
        found = ours.known(CONTEXT)
    assert all(root.startswith("file:/warehouse/shop.db/") for root in found)
    assert "can't be listed, so its contents stay" in caplog.text


def roots_of(world: World) -> VersionRoots:
    """What one run knows."""
    roots = VersionRoots(world.metastore, world.storage, ADDRESS, STAGING_SCHEMA)
    roots.staging.made()
    return roots


def test_another_targets_former_directory_is_not_listed(world: World) -> None:
    """A tree of an earlier configuration is listed once, and only its own tables in it."""
    world.published(layout=OLD)
    another = replace(CONTEXT, target=TableName("shop", "customers"))
    assert not any("/mnt/old" in root for root in roots_of(world).known(another))
    assert any("/mnt/old" in root for root in roots_of(world).known(CONTEXT))


def states(world: World, context: StagingContext = CONTEXT) -> dict[str, str]:
    """What the history says of each version."""
    return {one.version: one.state for one in world.catalog().history(context)}


def test_the_history_lists_what_is_kept_in_a_former_staging_schema(world: World) -> None:
    """Of all that the table had, also right after a change, before any build notes it."""
    oldest, old = built(world, THIRD), built(world, OTHER)
    before = {oldest.version: "kept", old.version: "live"}
    assert states(world) == states(world, world.context(staging_schema=OTHER)) == before
    new = built(world, STAGING_SCHEMA)
    assert states(world) == {oldest.version: "kept", old.version: "kept", new.version: "live"}


def test_a_version_that_may_have_lived_is_listed_wherever_its_record_is(world: World) -> None:
    """Nothing but the record tells of what a dropped table showed."""
    lost = built(world, OTHER)
    built(world, STAGING_SCHEMA)
    lost_here = built(world, STAGING_SCHEMA)
    drops_the_target(world)
    built(world, STAGING_SCHEMA)
    told = states(world)
    assert (told[lost.version], told[lost_here.version]) == ("kept", "unproven")


@pytest.mark.parametrize("by_name", [True, False])
def test_a_version_in_a_former_staging_schema_is_published_again(
    world: World, *, by_name: bool
) -> None:
    """The table names its staging schema then, and the one after that is no orphan."""
    old, new = built(world, OTHER), built(world, STAGING_SCHEMA)
    back = world.catalog().roll_back(CONTEXT, old.version if by_name else None)
    assert (back.version, world.shown) == (old.version, old.version)
    assert world.target.parameters[staging_entry.STAGING_SCHEMA] == OTHER
    for _ in range(2):
        world.grow_old()
        swept(world, CONTEXT, keep=1)
    assert world.versions_on_storage() == {old.version, new.version}
    assert world.catalog().roll_back(CONTEXT).version == new.version
    world.grow_old()
    swept(world, CONTEXT)
    assert world.versions_on_storage() == {new.version}


def test_a_rollback_goes_from_one_staging_schema_to_the_next(world: World) -> None:
    """The version before the live one is the last publication before it, wherever it lies."""
    oldest, old, new = built(world, STAGING_SCHEMA), built(world, OTHER), built(world, THIRD)
    context = world.context(staging_schema=THIRD)
    went_back = [world.catalog().roll_back(context).version for _ in range(2)]
    assert went_back == [old.version, new.version]
    assert world.catalog().roll_back(context, oldest.version).version == oldest.version


def test_a_rollback_works_right_after_a_change_of_the_staging_schema(world: World) -> None:
    """No build has to note the former one first."""
    old, _ = built(world, OTHER), built(world, OTHER)
    assert world.catalog().roll_back(CONTEXT).version == old.version


def test_a_deletion_in_a_former_staging_schema_is_finished(world: World) -> None:
    """By a recovery, if a clean-up died in it."""
    old = built(world, OTHER)
    new = built(world, STAGING_SCHEMA)
    world.grow_old()
    with killed(world.metastore, "drop_entry"):
        swept(world, CONTEXT)
    assert left_of(world, old)
    assert len(world.catalog().recover(CONTEXT)) == 1
    assert (left_of(world, old), world.shown) == ([], new.version)


def test_a_vacuum_right_after_a_change_looks_into_the_former_staging_schema(world: World) -> None:
    """It says of each version why it stays."""
    old, live = built(world, OTHER), built(world, OTHER)
    world.grow_old()
    done = world.catalog().clean_up(CONTEXT, THOROUGH)
    assert [one.rpartition("/")[2] for one in done.freed] == [old.version]
    assert done.kept == {live.version: Reason.LIVE}


def test_what_a_version_took_over_is_remembered_by_the_live_one(world: World) -> None:
    """Its record may be in another staging schema; the next vacuum deletes those files."""
    place = "file:/warehouse/shop.db/orders"
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, table_type=MANAGED, location=place)
    world.storage.write(f"{place}/part-0.parquet", "rows of the table before")
    built(world, OTHER)
    live = built(world, STAGING_SCHEMA)
    world.grow_old()
    swept(world, CONTEXT)
    assert world.versions_on_storage() == {live.version, "orders"}
    assert world.catalog().clean_up(CONTEXT, THOROUGH).taken_over == [place]
    assert world.versions_on_storage() == {live.version}


def test_a_version_whose_storage_is_gone_stops_nothing(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """It stays, and says why; others are deleted, listed and gone back to."""
    world.published(layout=OLD)
    old = world.published(layout=OLD)
    world.published(layout=NEW)
    between, live = world.published(layout=NEW), world.published(layout=NEW)
    world.grow_old()
    world.storage.gone = "file:/mnt/old"
    context = replace(CONTEXT, layout=NEW)
    done = swept(world, context, keep=1)
    assert done.kept[old.version] is Reason.UNREACHABLE
    assert done.kept[live.version] is Reason.LIVE
    assert len(done.freed) == 1
    assert "file:/mnt/old" in caplog.text
    states = {event.version: event.state for event in world.catalog().history(context)}
    assert (states[live.version], states[old.version]) == ("live", "kept")
    world.catalog().roll_back(context)
    assert world.target.directory_name == between.version
