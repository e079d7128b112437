"""Whether a staged version is whole, when its job has ended and directly before the commit."""

from dataclasses import replace

import pytest

from ctas_spark.engines.protocol import UNKNOWN, WriteFigures
from ctas_spark.errors import StagedVersionIncompleteError, StorageError
from ctas_spark.files.data_files import (
    ListingByMetastore,
    counted_in,
    listed_by_metastore,
    what_is_wrong,
    written,
)
from ctas_spark.metastore.client import TableEntry
from fakes.metastore import entry
from fakes.storage import FakeStorage
from fakes.world import TARGET_NAME, Staged, World, version_of

ON_DISK, ON_S3 = "file:/w/v1", "s3a://bucket/w/v1"
TWO = WriteFigures(rows=9, files=2, bytes=8)
UNCOUNTED = WriteFigures()


def staged(directory: str = ON_DISK, *names: str) -> FakeStorage:
    """A directory with files of four bytes."""
    storage = FakeStorage()
    for name in names or ("part-0", "part-1"):
        storage.write(f"{directory}/{name}", "rows")
    return storage


def twice(storage: FakeStorage, counted: WriteFigures, directory: str = ON_DISK) -> str:
    """What is wrong, by a look after the job and another before the commit."""
    return what_is_wrong(storage, directory, written(storage, directory, counted))


@pytest.mark.parametrize("directory", [ON_DISK, "/w/v1", "hdfs://nn/w/v1", ON_S3])
@pytest.mark.parametrize("counted", [TWO, UNCOUNTED, WriteFigures(files=2)])
def test_a_whole_version_passes(directory: str, counted: WriteFigures) -> None:
    """Whether the engine counted it or not."""
    assert not twice(staged(directory), counted, directory)


@pytest.mark.parametrize("directory", [ON_DISK, ON_S3])
@pytest.mark.parametrize("counted", [TWO, UNCOUNTED])
def test_a_file_that_vanished_fails_the_model(directory: str, counted: WriteFigures) -> None:
    """After the job, by whoever: the message has both numbers."""
    storage = staged(directory)
    first = written(storage, directory, counted)
    storage.delete(f"{directory}/part-1")
    said = what_is_wrong(storage, directory, first)
    assert "has 1 data files, and the job wrote 2" in said


def test_fewer_files_than_were_counted_fail_the_model() -> None:
    """An object store that lost one of them when the job ended."""
    assert twice(staged(), WriteFigures(files=3))


@pytest.mark.parametrize("counted", [TWO, UNCOUNTED])
def test_more_files_are_refused_where_spark_commits_itself(counted: WriteFigures) -> None:
    """Rows that no job of ours wrote; a committer of an object store may leave files of its own."""
    for directory, is_refused in ((ON_DISK, True), (ON_S3, False)):
        storage = staged(directory)
        first = written(storage, directory, counted)
        storage.write(f"{directory}/part-2", "")
        said = what_is_wrong(storage, directory, first)
        assert ("has 3 data files" in said) is bool(said) is is_refused


@pytest.mark.parametrize("counted", [TWO, UNCOUNTED])
def test_other_bytes_are_refused_where_the_figure_is_exact(counted: WriteFigures) -> None:
    """A file that was cut or written over."""
    for directory, is_refused in ((ON_DISK, True), (ON_S3, False)):
        storage = staged(directory)
        first = written(storage, directory, counted)
        storage.write(f"{directory}/part-1", "ro")
        said = what_is_wrong(storage, directory, first)
        assert ("has 6 bytes, and the job wrote 8" in said) is bool(said) is is_refused


def test_without_figures_what_stood_after_the_job_must_stand() -> None:
    """It is listed then."""
    storage = staged()
    assert written(storage, ON_DISK, UNCOUNTED) == WriteFigures(files=2, bytes=8)


HIVES = {"spark.sql.sources.provider": "parquet", "numFiles": "2", "totalSize": "8"}
BY_DAY = {"spark.sql.sources.schema.numPartCols": "1", "spark.sql.sources.schema.partCol.0": "day"}


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        (HIVES, WriteFigures(files=2, bytes=8)),
        ({**HIVES, "numFiles": "0"}, UNCOUNTED),
        ({**HIVES, "totalSize": "?"}, UNCOUNTED),
        ({"spark.sql.sources.provider": "parquet"}, UNCOUNTED),
        ({**HIVES, "spark.sql.sources.provider": "csv"}, UNCOUNTED),
        ({**HIVES, **BY_DAY}, UNCOUNTED),
    ],
)
def test_a_metastore_has_listed_an_unpartitioned_version_when_its_entry_was_made(
    parameters: dict[str, str], found: WriteFigures
) -> None:
    """By default; where it has not, or might have counted empty files, we list."""
    assert listed_by_metastore(entry(TARGET_NAME, parameters=parameters)) == found


def test_what_the_metastore_has_listed_must_stand(world: World) -> None:
    """Without figures of the job, one listing before the commit is enough."""
    staged_table = world.plan().begin()
    world.stage(staged_table)
    version = version_of(staged_table)
    made = world.metastore.tables[version.record]
    counted = counted_in(world.storage, version.directory)
    found = {"numFiles": str(counted.files), "totalSize": str(counted.bytes)}
    marked = {**made.parameters, "spark.sql.sources.provider": "parquet", **found}
    world.metastore.tables[version.record] = replace(made, parameters=marked)
    staged_table.verify()
    world.storage.delete(world.storage.files(version.directory)[0].path)
    with pytest.raises(StagedVersionIncompleteError, match="the job wrote"):
        staged_table.commit()


@pytest.mark.parametrize("first", [TWO, WriteFigures(files=3, bytes=8)])
def test_a_metastore_is_believed_that_has_counted_right_once(first: WriteFigures) -> None:
    """Or not at all in this run: some may count in their own way, and their users lose nothing."""
    listing = ListingByMetastore()
    ours = WriteFigures(files=2, bytes=8)
    assert listing.of(counted_entry(first), lambda: ours) == ours
    later = listing.of(counted_entry(WriteFigures(files=5, bytes=20)), pytest.fail)
    assert later == (WriteFigures(files=5, bytes=20) if first.files == 2 else UNKNOWN)


def counted_entry(figures: WriteFigures) -> TableEntry:
    """An entry for which a metastore has counted this."""
    found = {"numFiles": str(figures.files), "totalSize": str(figures.bytes)}
    return entry(TARGET_NAME, parameters={**HIVES, **found})


def test_with_figures_it_is_listed_once() -> None:
    """Before the commit."""
    storage = staged()
    assert written(storage, ON_DISK, TWO) == TWO


@pytest.mark.parametrize("name", ["_SUCCESS", ".part-0.crc", "_temporary/0/part-7", "a/.b/c"])
def test_hidden_names_do_not_count(name: str) -> None:
    """Readers do not see them either."""
    storage = staged()
    storage.write(f"{ON_DISK}/{name}", "bookkeeping")
    assert not twice(storage, TWO)


def test_partition_directories_count_however_they_are_named() -> None:
    """``_x=1`` is a partition, and no hidden directory."""
    assert not twice(staged(ON_DISK, "_x=1/part-0", "_x=__HIVE_DEFAULT_PARTITION__/part-0"), TWO)


def test_a_partitioned_write_of_no_rows_has_no_file() -> None:
    """Its directory is there all the same."""
    storage = staged(ON_DISK, "_SUCCESS")
    assert not twice(storage, WriteFigures(rows=0, files=0, bytes=0))
    storage.delete(f"{ON_DISK}/_SUCCESS")
    storage.empty_directories.add(ON_DISK)
    assert not twice(storage, UNCOUNTED)


@pytest.mark.parametrize(
    ("counted", "said"),
    [
        (TWO, "has 0 data files, and the job wrote 2"),
        (UNCOUNTED, "is not there"),
        (WriteFigures(files=0), "is not there"),
    ],
)
def test_a_directory_that_is_not_there_fails_the_model(counted: WriteFigures, said: str) -> None:
    """Without files it is looked for; counted files are missed by the listing before the commit."""
    world = World()
    world.job.counted = counted
    staged_table = world.plan().begin()
    world.stage(staged_table)
    world.storage.delete(version_of(staged_table).directory)
    checks = [staged_table.verify, staged_table.commit]
    with pytest.raises(StagedVersionIncompleteError, match=said):
        _ = [check() for check in checks]


def test_a_listing_that_fails_is_an_error() -> None:
    """It is not "no files"."""
    storage = staged()
    storage.refuses = True
    with pytest.raises(StorageError):
        twice(storage, UNCOUNTED)


@pytest.fixture
def ours() -> tuple[World, Staged]:
    """A table that is ready to commit over another version."""
    world = World()
    world.published()
    return world, world.begun()


def test_a_version_that_lost_a_file_is_not_published(ours: tuple[World, Staged]) -> None:
    """The target is what it was, and nothing of the version is left."""
    world, staged_table = ours
    before = world.metastore.tables[TARGET_NAME]
    world.storage.delete(f"{version_of(staged_table).directory}/part-0.parquet")
    with pytest.raises(StagedVersionIncompleteError, match="run the model again"):
        staged_table.commit()
    staged_table.abort("not whole")
    assert world.metastore.tables[TARGET_NAME] is before
    assert staged_table.version not in world.versions_on_storage() | world.records()


def test_what_a_check_left_behind_is_not_published(ours: tuple[World, Staged]) -> None:
    """A file that came after the job does not belong to the version."""
    world, staged_table = ours
    world.storage.write(f"{version_of(staged_table).directory}/part-9.parquet", "rows")
    with pytest.raises(StagedVersionIncompleteError):
        staged_table.commit()


def test_figures_of_the_engine_are_compared(ours: tuple[World, Staged]) -> None:
    """And they are what the model reports."""
    world, _ = ours
    world.job.counted = WriteFigures(rows=1, files=1, bytes=4)
    good = world.begun()
    good.commit()
    assert good.figures == world.job.counted
    world.job.counted = WriteFigures(rows=1, files=2, bytes=8)
    bad = world.begun()
    with pytest.raises(StagedVersionIncompleteError, match="has 1 data files, and the job wrote 2"):
        bad.commit()
