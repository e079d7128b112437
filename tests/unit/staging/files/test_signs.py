"""Another's INSERT, of which little or nothing shows in the table's entry."""

from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.context import OnConflict, PartitionMetadata
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import ConcurrentWriteError, StorageError
from dbt.adapters.ctas_spark.staging.files.signs import (
    STATISTICS,
    TOTAL_ROWS,
    TOTAL_SIZE,
    listing,
)
from fakes.world import BY_MONTH, TARGET_NAME, Staged, World

ROWS = 3


@pytest.fixture
def world() -> World:
    """Its job counts three rows, and the bytes."""
    world = World()
    world.job.counted = WriteFigures(rows=ROWS, files=1, bytes=4)
    return world


def published(world: World) -> Staged:
    """A partitioned version whose directories Spark lists."""
    return world.published(layout=BY_MONTH, partition_metadata=PartitionMetadata.FILES)


def begun(world: World) -> Staged:
    """Its next one."""
    return world.begun(layout=BY_MONTH, partition_metadata=PartitionMetadata.FILES)


def insert(world: World, name: str = "theirs") -> None:
    """Spark's: a file in the live version; the statistics, if there are any, go."""
    target = world.target
    world.storage.write(f"{target.location}/month=9/part-{name}.parquet", "rows")
    kept = {k: v for k, v in target.parameters.items() if not k.startswith(STATISTICS)}
    world.metastore.tables[TARGET_NAME] = replace(target, parameters=kept)


def analyze(world: World, rows: int) -> None:
    """Spark's; it finds no partitions in the metastore, and so no bytes."""
    found = {TOTAL_SIZE: "0", TOTAL_ROWS: str(rows)}
    parameters = {**world.target.parameters, **found}
    world.metastore.tables[TARGET_NAME] = replace(world.target, parameters=parameters)


def test_an_insert_drops_what_a_version_is_published_with(world: World) -> None:
    """That is the sign."""
    published(world)
    assert world.target.parameters[TOTAL_ROWS] == str(ROWS)
    ours = begun(world)
    insert(world)
    with pytest.raises(ConcurrentWriteError):
        ours.commit()


@pytest.mark.parametrize("size", [{}, {"totalSize": "0"}])
def test_an_insert_into_a_table_without_a_size_is_a_conflict(
    world: World, size: dict[str, str]
) -> None:
    """Spark writes no size into an entry that has none: nothing but a listing shows the file."""
    world.published()
    world.metastore.tables[TARGET_NAME] = replace(
        world.target, parameters={**world.target.parameters, **size}
    )
    ours = world.begun()
    world.storage.write(f"{world.target.location}/part-theirs.csv", "rows")
    with pytest.raises(ConcurrentWriteError):
        ours.commit()


def test_a_size_in_the_entry_spares_the_listing(world: World) -> None:
    """An INSERT changes it."""
    world.published()
    parameters = {**world.target.parameters, "totalSize": "4"}
    assert listing(world.storage, replace(world.target, parameters=parameters)) is None


def test_a_size_that_no_task_counted_is_listed(world: World) -> None:
    """Spark's figures are of no use once a task was tried twice."""
    world.job.counted = WriteFigures(files=1)
    published(world)
    assert TOTAL_SIZE in world.target.parameters
    ours = begun(world)
    insert(world)
    with pytest.raises(ConcurrentWriteError):
        ours.commit()


def test_an_insert_that_analyze_hides_is_seen_by_its_file(world: World) -> None:
    """Nobody knows how many rows there were before, so their number tells nothing."""
    world.job.counted = WriteFigures(files=1)
    published(world)
    ours = begun(world)
    insert(world)
    analyze(world, ROWS)
    with pytest.raises(ConcurrentWriteError):
        ours.commit()


def test_only_data_files_of_the_table_itself_are_listed(world: World) -> None:
    """What a job has not committed is no INSERT, nor are versions that are staged below it."""
    published(world)
    bare = replace(world.target, parameters={})
    before = listing(world.storage, bare)
    world.storage.write(f"{bare.location}/_temporary/0/month=9/part-1.parquet", "rows")
    world.storage.write(f"{bare.location}/ctas-spark/s1/shop.orders/v/month=9/part-1.parquet", "r")
    assert listing(world.storage, bare) == before
    world.storage.write(f"{bare.location}/month=9/part-1.parquet", "rows")
    assert listing(world.storage, bare) != before


def test_a_table_that_can_not_be_listed_is_replaced_only_if_asked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An INSERT would go unseen; the error says what to do about it."""
    published(world)
    insert(world)

    def fail(_: str) -> None:
        raise StorageError("access denied")

    monkeypatch.setattr(world.storage, "files", fail)
    with pytest.raises(StorageError, match="could not be listed: access denied") as caught:
        begun(world)
    assert "on_conflict: overwrite" in caught.value.remedy
    assert world.begun(layout=BY_MONTH, on_conflict=OnConflict.OVERWRITE).outcome is None


def test_a_second_insert_is_seen_by_its_file(world: World) -> None:
    """The first one, before begin, has taken the statistics along."""
    published(world)
    insert(world, "first")
    ours = begun(world)
    insert(world, "second")
    with pytest.raises(ConcurrentWriteError):
        ours.commit()


def test_a_table_without_statistics_that_nobody_writes_to_is_replaced(world: World) -> None:
    """Its files are as they were at begin."""
    published(world)
    insert(world)
    ours = begun(world)
    ours.commit()
    assert world.shown == ours.version


@pytest.mark.parametrize("inserted", [0, 2])
def test_analyze_is_upkeep_if_it_counts_as_many_rows(world: World, inserted: int) -> None:
    """An INSERT before it has added some."""
    published(world)
    ours = begun(world)
    if inserted:
        insert(world)
    analyze(world, ROWS + inserted)
    if inserted:
        with pytest.raises(ConcurrentWriteError):
            ours.commit()
    else:
        ours.commit()
        assert world.shown == ours.version
