"""What begin saw of a table of files, and what counts as a change of it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from ctas_spark.context import TableName
from ctas_spark.errors import (
    CommitStateUnknownError,
    MetastoreError,
    NotSupportedError,
)
from ctas_spark.files.base import (
    PARTITION_HOLDER,
    PARTITION_PROVIDER,
    PARTITIONS,
    FileBase,
    change_between,
    look,
    who_changed,
)
from ctas_spark.metastore.client import MANAGED, VIEW, Expectation, TableEntry
from ctas_spark.publish.marker import COMMIT, FORMAT, TARGET, Marker
from ctas_spark.publish.version import Change, Outcome
from fakes.metastore import FakeMetastore, entry
from fakes.world import TARGET_NAME, World

Edit = dict[str, str | None]
pytestmark = pytest.mark.usefixtures("a_table")


def edited(found: TableEntry, edit: Edit) -> TableEntry:
    """The entry with some properties set, and those without a value removed."""
    merged = {**found.parameters, **edit}
    return replace(found, parameters={k: v for k, v in merged.items() if v is not None})


UPKEEP: list[Edit] = [
    {"spark.sql.statistics.numRows": "3", "spark.sql.statistics.totalSize": "9"},
    {"spark.sql.statistics.colStats.id.max": "7"},
    {"COLUMN_STATS_ACCURATE": '{"BASIC_STATS":"true"}'},
    {"spark.sql.statistics.numRows": "3", "transient_lastDdlTime": "1800000000"},
    {"numFiles": "3", "totalSize": "12", "transient_lastDdlTime": "1800000000"},
    {"numRows": "3", "rawDataSize": "12"},
    {PARTITION_PROVIDER: "catalog", PARTITIONS: "tracked"},
    {PARTITION_HOLDER: "abcd:1"},
    {"transient_lastDdlTime": "1800000000"},
    {"last_modified_by": "etl", "last_modified_time": "1800000000"},
    {"numFilesErasureCoded": "0", "impala.lastComputeStatsTime": "1800000000"},
    {"COLUMN_STATS_ACCURATE": None, "totalSize": "8", "numFiles": "2"},
]
WRITES: list[Edit] = [
    {"team": "core"},
    {COMMIT: "c2"},
    {"spark.sql.sources.provider": "orc"},
    {"spark.sql.sources.schema": "other"},
    {"spark.sql.statistics.numRows": "3", "team": "core"},
]


@pytest.mark.parametrize("edit", UPKEEP)
def test_statistics_and_bookkeeping_are_no_conflict(world: World, edit: Edit) -> None:
    """ANALYZE, and whatever else an engine notes of how much a table holds and since when."""
    ours = world.begun()
    begun, now = world.target, edited(world.target, edit)
    assert change_between(FileBase(begun), FileBase(now)) is Change.MAINTAINED
    world.metastore.tables[TARGET_NAME] = now
    ours.commit()
    assert ours.outcome is Outcome.COMMITTED


@pytest.mark.parametrize("edit", WRITES)
def test_every_other_property_is_a_conflict(world: World, edit: Edit) -> None:
    """Somebody has set it, and a publication would take it away."""
    begun, now = world.target, edited(world.target, edit)
    assert change_between(FileBase(begun), FileBase(now)) is Change.WRITTEN


def test_hives_columns_are_no_difference(world: World) -> None:
    """Filling them changes nothing that Spark reads."""
    ours = world.begun()
    begun = world.target
    world.metastore.tables[TARGET_NAME] = replace(begun, columns=(("other", "string"),))
    assert change_between(FileBase(begun), FileBase(world.target)) is not Change.WRITTEN
    ours.commit()
    assert ours.outcome is Outcome.COMMITTED


@pytest.mark.parametrize(
    "other",
    [
        lambda found: replace(found, location="file:/elsewhere"),
        lambda found: replace(found, table_type=MANAGED),
        lambda found: replace(found, create_time=found.create_time + 1),
    ],
)
def test_another_place_type_or_creation_is_a_conflict(
    world: World, other: Callable[[TableEntry], TableEntry]
) -> None:
    """ALTER TABLE ... SET LOCATION is a commit by another, and so is a DROP with a new CREATE."""
    begun = FileBase(world.target)
    assert change_between(begun, FileBase(other(world.target))) is Change.WRITTEN


@pytest.mark.parametrize(
    ("begun", "now"),
    [
        (entry(TARGET_NAME), entry(TARGET_NAME, columns=(("id", "int"), ("more", "string")))),
        (
            entry(TARGET_NAME, table_type=VIEW, parameters={"transient_lastDdlTime": "5"}),
            entry(TARGET_NAME, table_type=VIEW, parameters={"transient_lastDdlTime": "6"}),
        ),
    ],
)
def test_what_only_hive_knows_counts_where_there_is_no_marker(
    begun: TableEntry, now: TableEntry
) -> None:
    """The columns of a table of Hive's, and the time of a view, whose query shows nowhere else."""
    assert change_between(FileBase(begun), FileBase(now)) is Change.WRITTEN


def test_a_target_is_created_written_dropped_or_as_it_was() -> None:
    """By what was there, and what is there now."""
    there, absent = FileBase(entry(TARGET_NAME)), FileBase(None)
    assert change_between(absent, absent) is Change.NONE
    assert change_between(there, there) is Change.NONE
    assert change_between(absent, there) is Change.CREATED
    assert change_between(there, absent) is Change.DROPPED


def test_who_changed_it_is_named(world: World) -> None:
    """The version and its time, an unmarked writer, or a drop."""
    begun = FileBase(world.target)
    altered = FileBase(edited(world.target, {"team": "core"}))
    assert "another program" in who_changed(begun, altered)
    assert who_changed(begun, FileBase(None)) == "it was dropped"
    second = world.published()
    told = who_changed(begun, FileBase(world.target))
    assert told.startswith(f"version {second.version} was committed at 2023-11-14")


def test_a_commit_expects_the_marker_or_else_the_time() -> None:
    """A target without both has no compare-and-swap."""
    world = World()
    world.published()
    marker = Marker.of(world.target)
    assert marker is not None
    assert FileBase(world.target).expectation == Expectation(COMMIT, marker.commit)
    plain = FileBase(entry(TARGET_NAME))
    assert plain.expectation == Expectation("transient_lastDdlTime", "1000")
    assert FileBase(entry(TARGET_NAME, parameters={})).expectation is None


def test_a_base_is_written_down_in_one_word() -> None:
    """A clean-up compares it with what the target shows."""
    assert str(FileBase(None)) == "absent"
    assert str(FileBase(entry(TARGET_NAME))) == "ddl:1000:1000:file:/warehouse/shop.db/orders"
    world = World()
    world.published()
    marker = Marker.of(world.target)
    assert marker is not None
    assert str(FileBase(world.target)) == f"commit:{marker.commit}"


def test_the_files_of_a_managed_table_are_known() -> None:
    """Only a user's own: an entry with our marker has none."""
    managed = entry(TARGET_NAME, table_type=MANAGED)
    assert FileBase(managed).managed_directory == managed.location
    assert FileBase(entry(TARGET_NAME)).managed_directory is None
    world = World()
    world.published()
    world.makes_managed()
    assert FileBase(world.target).managed_directory is None


def test_a_view_is_no_table() -> None:
    """It is there, and its columns and keys are not carried."""
    base = FileBase(entry(TARGET_NAME, table_type=VIEW))
    assert (base.exists, base.obstacle, base.can_be_replaced, base.table) == (
        True,
        "a view",
        True,
        None,
    )


class TornOnce(FakeMetastore):
    """The first read of the target mixes the properties of one version with another's place."""

    def get_table(self, name: TableName) -> TableEntry | None:
        found = super().get_table(name)
        if found is not None and self.calls.count("get_table") == 1:
            return replace(found, location="file:/w/of_another_version")
        return found


def test_a_torn_read_is_read_once_more(world: World) -> None:
    """One get_table of a server is several SELECTs: the second read shows the marker."""
    torn = TornOnce()
    torn.tables[TARGET_NAME] = world.target
    assert look(torn, TARGET_NAME).version == Marker.of(world.target).version  # type: ignore[union-attr]
    assert torn.calls == ["get_table", "get_table"]


def test_a_marker_that_fits_is_read_once(world: World) -> None:
    """So is a target without one."""
    world.metastore.calls.clear()
    look(world.metastore, TARGET_NAME)
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    look(world.metastore, TARGET_NAME)
    assert world.metastore.calls == ["get_table", "get_table"]


def test_a_marker_that_never_fits_is_foreign(world: World) -> None:
    """SHOW CREATE TABLE copies it into clones: those are tables without our marker."""
    copied = edited(world.target, {"transient_lastDdlTime": "7"})
    clone = replace(copied, name=TableName("shop", "clone"))
    world.metastore.tables[clone.name] = clone
    world.metastore.calls.clear()
    found = look(world.metastore, clone.name)
    assert (found.exists, found.version, found.level) == (True, None, None)
    assert world.metastore.calls == ["get_table", "get_table"]
    assert found.expectation == Expectation("transient_lastDdlTime", "7")


def test_a_newer_marker_is_refused_with_the_remedy(world: World) -> None:
    """A release that does not know what it says does not touch the table."""
    world.metastore.tables[TARGET_NAME] = edited(world.target, {FORMAT: "2"})
    with pytest.raises(NotSupportedError, match="has the format 2") as refused:
        world.plan().begin()
    assert "install the release" in refused.value.remedy


def test_a_newer_marker_after_the_call_leaves_the_outcome_unknown(world: World) -> None:
    """It may stand on top of our commit: nobody here can read that."""
    world.published()
    ours = world.begun()

    def newer() -> None:
        world.metastore.tables[TARGET_NAME] = edited(world.target, {FORMAT: "2"})

    world.once_after("alter_table", newer)
    with pytest.raises(CommitStateUnknownError, match="has the format 2"):
        ours.commit()
    assert ours.outcome is Outcome.UNKNOWN


@pytest.mark.parametrize(
    "edit", [{FORMAT: "1"}, {FORMAT: "new"}, {TARGET: "shop.other", FORMAT: "2"}]
)
def test_only_the_tables_own_newer_marker_counts(world: World, edit: Edit) -> None:
    """A clone's marker says nothing of the clone."""
    world.metastore.tables[TARGET_NAME] = edited(world.target, edit)
    assert look(world.metastore, TARGET_NAME).exists


def test_a_read_that_fails_is_an_error(world: World) -> None:
    """It is never "absent"."""

    def refuse(call: str) -> None:
        raise MetastoreError(f"no answer to {call}")

    world.metastore.before = refuse
    with pytest.raises(MetastoreError):
        look(world.metastore, TARGET_NAME)
