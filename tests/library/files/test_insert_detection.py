"""Rows that come to a table without a commit of ours, while a version of its rows is made."""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ctas_spark.context import Atomicity, OnConflict, PartitionMetadata
from ctas_spark.engines.protocol import TableRead, WriteFigures
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConcurrentWriteError,
    StorageError,
)
from ctas_spark.files.base import (
    PARTITION_PROVIDER,
    SPARKS,
    TOTAL_ROWS,
    TOTAL_SIZE,
)
from ctas_spark.files.data_files import stored_rows
from ctas_spark.metastore.client import PROVIDER
from ctas_spark.storage.client import StoredFile
from fakes.engine import OWN_ROWS
from fakes.metastore import entry
from fakes.partitions import partition
from fakes.world import BY_MONTH, TARGET_NAME, Staged, World

PARTITIONED = {"layout": BY_MONTH, "partition_metadata": PartitionMetadata.FILES}
STATISTICS = (TOTAL_SIZE, TOTAL_ROWS, "totalSize", "numFiles", "COLUMN_STATS_ACCURATE")
ELSEWHERE = "file:/elsewhere/month=9"
Write = Callable[[World], None]


@pytest.fixture
def world() -> World:
    """Its job counts three rows, and the bytes."""
    world = World()
    world.job.counted = WriteFigures(rows=3, files=1, bytes=4)
    return world


@pytest.fixture(params=[{}, PARTITIONED], ids=["unpartitioned", "partitioned"])
def layout(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Both layouts of a table whose directories Spark lists."""
    return dict(request.param)


def begun(world: World, **asked: Any) -> Staged:
    """A model that reads its own table."""
    world.job.reading = OWN_ROWS
    return world.begun(**asked)


def puts(world: World, **parameters: str | None) -> None:
    """What an engine writes into the entry; None takes a property away."""
    merged = {**world.target.parameters, **parameters}
    kept = {key: value for key, value in merged.items() if value is not None}
    world.metastore.tables[TARGET_NAME] = replace(world.target, parameters=kept)


def inserts(world: World) -> None:
    """Spark's INSERT: a file; its statistics go, if there were any."""
    world.storage.write(f"{world.target.location}/month=9/part-theirs.parquet", "rows")
    puts(world, **dict.fromkeys(STATISTICS), transient_lastDdlTime="1800000000")


def inserts_by_another_engine(world: World) -> None:
    """Hive's or Trino's: of a partitioned table they change no entry but the partition's."""
    world.storage.write(f"{world.target.location}/month=9/000000_0", "rows")


def overwrites_with_as_many_bytes(world: World) -> None:
    """INSERT OVERWRITE: other files of the same size, so that no figure changes."""
    for path in [p for p in world.storage.texts if p.startswith(f"{world.target.location}/")]:
        text = world.storage.texts[path]
        world.storage.delete(path)
        world.storage.write(f"{path}.theirs", text)
    puts(world, COLUMN_STATS_ACCURATE=None, transient_lastDdlTime="1800000000")


def overwrites_under_the_same_names(world: World) -> None:
    """Hive's INSERT OVERWRITE of as many bytes."""
    world.clock.pass_ms(5_000)
    for path in [p for p in world.storage.texts if p.startswith(f"{world.target.location}/")]:
        world.storage.write(path, world.storage.texts[path])


def corrects_and_analyzes(world: World) -> None:
    """As many rows as before, and statistics that say so."""
    overwrites_with_as_many_bytes(world)
    puts(world, **{TOTAL_SIZE: "0", TOTAL_ROWS: "3"})


def inserts_and_another_writes_its_statistics_back(world: World) -> None:
    """A client that has read the entry before, and writes all of it."""
    before = world.target
    inserts(world)
    world.metastore.tables[TARGET_NAME] = before


WRITES = [
    inserts,
    inserts_by_another_engine,
    overwrites_with_as_many_bytes,
    overwrites_under_the_same_names,
    corrects_and_analyzes,
    inserts_and_another_writes_its_statistics_back,
]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("on_conflict", OnConflict)
def test_rows_that_came_meanwhile_are_not_replaced_by_older_ones(
    world: World, layout: dict[str, Any], write: Write, on_conflict: OnConflict
) -> None:
    """Whatever engine wrote them; ``overwrite`` would lose them just the same."""
    world.published(**layout)
    ours = begun(world, on_conflict=on_conflict, **layout)
    live = world.shown
    write(world)
    with pytest.raises(ConcurrentWriteError, match="data files have changed since"):
        ours.commit()
    assert world.shown == live


@pytest.mark.parametrize("write", WRITES)
def test_a_rebuild_that_does_not_read_its_table_replaces_all_rows(
    world: World, layout: dict[str, Any], write: Write
) -> None:
    """As the next build would, had they come a moment later; nothing is listed for that."""
    world.published(**layout)
    ours = world.begun(**layout)
    write(world)
    ours.commit()
    assert world.shown == ours.version


def test_a_commit_in_between_is_a_conflict_for_a_version_of_old_rows(world: World) -> None:
    """``on_conflict: overwrite`` can't put older rows over it."""
    world.published()
    ours = begun(world, on_conflict=OnConflict.OVERWRITE)
    world.job.reading = frozenset()
    theirs = world.published()
    with pytest.raises(ConcurrentWriteError, match="overwrite would lose"):
        ours.commit()
    assert world.shown == theirs.version


@pytest.mark.parametrize(
    "statistics",
    [
        {TOTAL_SIZE: "0", TOTAL_ROWS: "3"},
        {TOTAL_SIZE: "0", TOTAL_ROWS: None},
        {f"{SPARKS}colStats.id.max": "7"},
        {"numRows": "3", "transient_lastDdlTime": "1800000000"},
    ],
)
def test_analyze_is_no_conflict(
    world: World, layout: dict[str, Any], statistics: dict[str, str | None]
) -> None:
    """Whatever it finds, and whether the version holds old rows or not."""
    world.published(**layout)
    for attempt in (begun, World.begun):
        ours = attempt(world, **layout)
        puts(world, **statistics)
        ours.commit()
        assert world.shown == ours.version
        world.job.reading = frozenset()


def test_rows_in_a_partition_outside_the_table_count(world: World) -> None:
    """ALTER TABLE ... ADD PARTITION ... LOCATION puts a partition anywhere."""
    world.published("create_or_replace", "2026-01")
    world.metastore.kept[TARGET_NAME][("9",)] = partition(ELSEWHERE, "9")
    ours = begun(world, layout=BY_MONTH, partition_metadata=PartitionMetadata.TRACKED)
    world.storage.write(f"{ELSEWHERE}/part-theirs.parquet", "rows")
    with pytest.raises(ConcurrentWriteError):
        ours.commit()


def test_a_partition_that_is_dropped_or_moved_is_a_change_of_rows(world: World) -> None:
    """No file changes by that."""
    world.published("create_or_replace", "2026-01")
    ours = begun(world, layout=BY_MONTH, partition_metadata=PartitionMetadata.TRACKED)
    del world.metastore.kept[TARGET_NAME][("2026-01",)]
    with pytest.raises(ConcurrentWriteError):
        ours.commit()


@pytest.mark.parametrize(
    ("parameters", "is_read"),
    [
        ({}, True),
        ({PROVIDER: "parquet", PARTITION_PROVIDER: "catalog"}, True),
        ({PROVIDER: "parquet"}, False),
    ],
)
def test_partitions_of_the_metastore_count_where_spark_reads_them(
    world: World, parameters: dict[str, str], *, is_read: bool
) -> None:
    """Those of a table of Hive's, and of one whose partitions are tracked."""
    table = entry(TARGET_NAME, partition_keys=("month",), parameters=parameters)
    world.metastore.tables[TARGET_NAME] = table
    world.metastore.kept[TARGET_NAME] = {("9",): partition(ELSEWHERE, "9")}
    world.storage.write(f"{ELSEWHERE}/part-0.parquet", "rows")
    found = stored_rows(world.metastore, world.storage, table)
    assert bool(found.files) is is_read
    assert bool(found.partitions) is is_read


def test_only_data_files_of_the_table_itself_count(world: World) -> None:
    """What a job has not committed is no row, nor are versions that are staged below it."""
    world.published()
    table = world.target
    before = stored_rows(world.metastore, world.storage, table)
    for path in ("_temporary/0/part-1.parquet", "ctas-spark/s1/shop.orders/v/part-1.parquet"):
        world.storage.write(f"{table.location}/{path}", "rows")
    assert stored_rows(world.metastore, world.storage, table) == before
    world.storage.write(f"{table.location}/part-1.parquet", "rows")
    assert stored_rows(world.metastore, world.storage, table) != before


def test_a_table_that_can_not_be_listed_is_not_read_into_its_next_version(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An INSERT would go unseen; a rebuild that does not read it needs no listing."""
    world.published()

    def fail(_: str) -> None:
        raise StorageError("access denied")

    world.job.reading = OWN_ROWS
    staged = world.plan().begin()
    monkeypatch.setattr(world.storage, "files", fail)
    with pytest.raises(StorageError, match="could not be listed: access denied"):
        staged.statement("select * from orders")
    world.job.reading = frozenset()
    assert world.plan().begin().statement("select 1 as id")


@pytest.mark.parametrize("read", ["elsewhere", "the same place"])
def test_rows_that_were_read_before_another_wrote_are_refused(world: World, read: str) -> None:
    """A DataFrame keeps the location, and the files, that it was made of."""
    world.published()
    files = frozenset({("part-0", "4", "1")})
    world.job.reading = frozenset({TableRead(read)})
    world.job.there = frozenset({TableRead("the same place", files)})
    staged = world.plan().begin()
    with pytest.raises(ConcurrentWriteError, match="as it was before another writer"):
        staged.statement("select * from a_view_of_a_dataframe")
    staged.abort("refused")
    assert world.metastore.tables.keys() >= {TARGET_NAME}


def test_what_a_session_remembers_is_no_conflict(world: World) -> None:
    """A query is analysed again by its job, after the table was read afresh."""
    world.published()
    world.job.remembered = frozenset({TableRead("an earlier version")})
    world.job.reading = OWN_ROWS
    assert world.plan().begin().statement("select * from orders")


def test_a_table_that_is_emptied_first_is_not_read(world: World) -> None:
    """At level ``none`` its query would find no rows, and the old ones would be lost."""
    world.published()
    world.job.reading = OWN_ROWS
    staged = world.plan(atomicity=Atomicity.NONE).begin()
    with pytest.raises(AtomicityNotSupportedError, match="emptied before the query"):
        staged.statement("select * from orders")


def test_what_is_added_to_is_listed_at_begin(world: World) -> None:
    """A row that came before the job has read the table may be missing in its new rows."""
    world.published()
    world.job.reading = OWN_ROWS
    ours = replace(world.plan(), adds=True).begin()
    inserts(world)
    world.stage(ours)
    ours.verify()
    with pytest.raises(ConcurrentWriteError, match="data files"):
        ours.commit()


def test_begin_makes_the_session_forget_what_it_has_read(world: World) -> None:
    """What reads the table after begin reads what begin saw, or what came later."""
    world.published()
    world.engine.refreshed.clear()
    world.plan().begin()
    assert world.engine.refreshed == [TARGET_NAME]


def test_rows_that_come_after_the_last_look_are_told(
    world: World, layout: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """No call can refuse that: the log says which version has them."""
    first = world.published(**layout)
    old = str(world.target.location)
    ours = begun(world, **layout)
    ours.commit()
    world.storage.write(f"{old}/month=9/part-late.parquet", "rows")
    with caplog.at_level(logging.WARNING):
        ours.settle()
    assert "added 1 files while this version was published over them" in caplog.text
    assert f"version {first.version}" in caplog.text
    assert world.shown == ours.version


@pytest.mark.parametrize("compares", [True, False])
def test_old_rows_are_listed_three_times_and_once_with_the_staged_version(
    world: World, monkeypatch: pytest.MonkeyPatch, *, compares: bool
) -> None:
    """Before the job, before the commit, and after it; the second time under a lock, if any."""
    world.metastore.compares = compares
    old = world.published()
    ours, files = begun(world), world.storage.files
    listed: list[tuple[str, bool]] = []
    together = threading.Barrier(2, timeout=10)

    def listing(directory: str) -> tuple[StoredFile, ...]:
        is_old = old.version in directory
        listed.append((old.version if is_old else ours.version, bool(world.metastore.locks)))
        if compares and len(listed) <= 2:
            together.wait()
        return files(directory)

    monkeypatch.setattr(world.storage, "files", listing)
    ours.commit()
    ours.settle()
    wanted = [(ours.version, False), (old.version, not compares), (old.version, False)]
    assert sorted(listed) == sorted(wanted)


def test_a_drop_is_told_where_old_rows_can_not_be_listed_any_more(world: World) -> None:
    """Not the trouble with its partitions, which the metastore has lost with the table."""
    world.published("create_or_replace", "may")
    ours = world.plan(layout=BY_MONTH, partition_metadata=PartitionMetadata.TRACKED).begin()
    world.job.reading = OWN_ROWS
    world.stage(ours, "june")
    ours.verify()
    del world.metastore.tables[TARGET_NAME]
    ours.commit()
    assert world.shown == ours.version
