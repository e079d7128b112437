"""A fence gives a target a fresh commit id, and changes nothing that readers see."""

from dbt.adapters.ctas_spark.staging.files.base import FileBase
from dbt.adapters.ctas_spark.staging.files.fence import fenced
from dbt.adapters.ctas_spark.staging.publish.marker import Kind, Marker
from fakes.metastore import entry
from fakes.world import TARGET_NAME, World


def test_a_fenced_target_is_one_publication_further() -> None:
    """Version, location and schema stay; number and lineage have one more."""
    world = World()
    live = world.published()
    base = FileBase(world.metastore.tables[TARGET_NAME])
    change = fenced(base, world.clock.wall)
    assert change is not None
    world.metastore.alter_table(change, base.expectation)
    after = world.metastore.tables[TARGET_NAME]
    marker, before = Marker.of(after), base.marker
    assert marker is not None
    assert before is not None
    assert (marker.version, marker.number) == (live.version, before.number + 1)
    assert marker.commit != before.commit
    assert [one.kind for one in marker.lineage.entries] == [Kind.FENCE, Kind.BUILD]
    assert base.entry is not None
    assert (after.location, after.columns) == (base.entry.location, base.entry.columns)


def test_a_table_of_others_gets_a_later_time() -> None:
    """It has no commit id: the time that an attempt expects on it moves on."""
    change = fenced(FileBase(entry(TARGET_NAME)), 900_000)
    assert change is not None
    assert change.parameters == {"transient_lastDdlTime": "1001"}


def test_where_there_is_no_table_there_is_nothing_to_fence() -> None:
    """A creation is stopped by its record."""
    assert fenced(FileBase(None), 900_000) is None
