"""Statistics of a table whose partitions are not in the metastore, after something has counted."""

from dataclasses import replace

import pytest

from ctas_spark.context import OnConflict, PartitionMetadata
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.files.base import PARTITION_PROVIDER, TOTAL_ROWS, TOTAL_SIZE
from ctas_spark.files.statistics import statistics_of
from ctas_spark.publish.marker import COMMIT
from fakes.world import BY_MONTH, TARGET_NAME, World

NEEDED = {TOTAL_SIZE: "4", TOTAL_ROWS: "3"}


@pytest.fixture
def published() -> World:
    """A partitioned table of three rows in four bytes, whose directories Spark lists."""
    world = World()
    world.job.counted = WriteFigures(rows=3, files=1, bytes=4)
    world.published(layout=BY_MONTH, partition_metadata=PartitionMetadata.FILES)
    return world


def writes(world: World, **parameters: str | None) -> None:
    """What Spark's statement writes into the entry; None takes a property away."""
    merged = {**world.target.parameters, **parameters}
    kept = {key: value for key, value in merged.items() if value is not None}
    world.metastore.tables[TARGET_NAME] = replace(world.target, parameters=kept)


def shown(world: World) -> dict[str, str]:
    """Size and rows in the entry."""
    return {key: world.target.parameters[key] for key in NEEDED if key in world.target.parameters}


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ({TOTAL_SIZE: "0", TOTAL_ROWS: "3"}, NEEDED),
        ({TOTAL_SIZE: "0", TOTAL_ROWS: None}, NEEDED),
        ({}, NEEDED),
        ({TOTAL_SIZE: None, TOTAL_ROWS: None}, {}),
    ],
    ids=["with a scan", "noscan", "nothing", "no statistics"],
)
def test_an_analyze_leaves_true_figures(
    published: World, written: dict[str, str | None], left: dict[str, str]
) -> None:
    """NOSCAN drops the rows, which the entry has said before, and which still hold."""
    catalog = published.catalog()
    before = catalog.statistics_of(TARGET_NAME)
    writes(published, **written)
    commit = published.target.parameters[COMMIT]
    catalog.correct_statistics(TARGET_NAME, before)
    assert shown(published) == left
    assert published.target.parameters[COMMIT] == commit


def test_rows_of_before_are_not_those_after_an_insert(published: World) -> None:
    """Spark counts the bytes of its INSERT, and not the rows."""
    catalog = published.catalog()
    before = catalog.statistics_of(TARGET_NAME)
    published.storage.write(f"{published.target.location}/month=9/part-1.parquet", "more")
    writes(published, **{TOTAL_SIZE: "0", TOTAL_ROWS: None})
    catalog.correct_statistics(TARGET_NAME, before)
    assert shown(published) == {TOTAL_SIZE: "8"}


def test_a_publication_meanwhile_is_not_overwritten(published: World) -> None:
    """The call expects the commit that it has read; what is there then is right already."""
    catalog, before = published.catalog(), published.catalog().statistics_of(TARGET_NAME)
    writes(published, **{TOTAL_SIZE: "0"})
    rival = published.begun(layout=BY_MONTH, on_conflict=OnConflict.OVERWRITE)

    def publish(call: str) -> None:
        if call == "alter_table":
            published.metastore.before = lambda _call: None
            rival.commit()

    published.metastore.before = publish
    catalog.correct_statistics(TARGET_NAME, before)
    assert published.shown == rival.version
    assert shown(published) == NEEDED


def test_tables_that_spark_counts_right_are_left_alone(published: World) -> None:
    """Those of others, unpartitioned ones, and those whose partitions the metastore has."""
    ours = published.target
    without = {key: one for key, one in ours.parameters.items() if key != COMMIT}
    tracked = {**ours.parameters, PARTITION_PROVIDER: "catalog"}
    assert statistics_of(ours) == NEEDED
    assert statistics_of(replace(ours, parameters=without)) == {}
    assert statistics_of(replace(ours, parameters=tracked)) == {}
    plain = World()
    plain.published()
    assert statistics_of(plain.target) == {}
    assert statistics_of(None) == {}
