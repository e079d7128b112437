"""A storage's files, as Spark's own file systems keep them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ctas_spark.engines import jvm
from ctas_spark.storage.client import data_files
from ctas_spark.storage.hadoop import HadoopStorage


def test_a_small_file_has_no_other_file_beside_it(spark: SparkSession, tmp_path: Path) -> None:
    """Hadoop's own checksum of a file that was cut by a kill would make it unreadable."""
    storage = HadoopStorage(spark)
    written = tmp_path / "ids" / "id"
    storage.write(str(written), "a whole text")
    assert [path.name for path in written.parent.iterdir()] == ["id"]
    written.write_text("a who")
    assert storage.read(str(written)) == "a who"
    assert storage.read(str(tmp_path / "nothing")) is None


@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
def test_a_listing_has_every_file_with_its_bytes_and_its_time(
    scheme: str, spark: SparkSession, tmp_path: Path
) -> None:
    """Names with spaces and signs, partitions and hidden files: each once."""
    version = tmp_path / "20260101t000000x00000000"
    names = ("part-0.parquet", "k=a b; length=7/part-1.parquet", "_k=_x/part-2.parquet", "_SUCCESS")
    for size, name in enumerate(names):
        (version / name).parent.mkdir(parents=True, exist_ok=True)
        (version / name).write_bytes(b"x" * size)
    storage = HadoopStorage(spark)
    found = storage.files(f"{scheme}{version}")
    told = {one.path.partition(f"{version.name}/")[2]: one.bytes for one in found}
    assert told == {name: size for size, name in enumerate(names)}
    newest = (version / "_SUCCESS").stat().st_mtime_ns // 1_000_000
    assert {one.modified_ms for one in found if one.path.endswith("_SUCCESS")} == {newest}
    assert len(data_files(found, str(version))) == 3
    assert set(storage.children(f"{scheme}{version}")) == {name.partition("/")[0] for name in names}
    for empty in (storage.files, storage.children, storage.exists):
        assert not empty(f"{scheme}{tmp_path}/nothing")


def test_a_file_system_of_links_is_listed_like_what_they_lead_to(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The statuses of viewfs say nothing of a file when they are printed."""
    written = tmp_path / "linked" / "k=1" / "part-0"
    written.parent.mkdir(parents=True)
    written.write_bytes(b"xxx")
    configuration = spark.sparkContext._jsc.hadoopConfiguration()  # noqa: SLF001 (a JVM's)
    configuration.set("fs.viewfs.mounttable.links.link./there", f"file:{tmp_path}/linked")
    storage = HadoopStorage(spark)
    (found,) = storage.files("viewfs://links/there")
    assert (found.path, found.bytes) == ("viewfs://links/there/k=1/part-0", 3)
    assert found.modified_ms == written.stat().st_mtime_ns // 1_000_000
    assert storage.children("viewfs://links/there") == ("k=1",)
    assert not storage.files("viewfs://links/there/nothing")


@pytest.fixture
def hadoops_own_files(spark: SparkSession) -> Iterator[None]:
    """Not those without a process of chmod, which leave out the bit of the group."""
    conf, own = jvm.hadoop_configuration(spark), "fs.file.impl"
    before = conf.get(own)
    conf.set(own, "org.apache.hadoop.fs.LocalFileSystem")
    conf.set(f"{own}.disable.cache", "true")
    yield
    conf.unset(f"{own}.disable.cache")
    conf.set(own, before) if before else conf.unset(own)


@pytest.mark.usefixtures("hadoops_own_files")
@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
def test_a_directory_gets_the_permissions_of_another(
    scheme: str, spark: SparkSession, tmp_path: Path
) -> None:
    """It is made; that its group is its parent's stays. Without a source, nothing is made."""
    storage = HadoopStorage(spark)
    source, parent = tmp_path / "source", tmp_path / "parent"
    storage.copy_permissions(f"{scheme}{source}", f"{scheme}{parent}")
    assert not parent.exists()
    for directory, mode in ((source, 0o1750), (parent, 0o2775)):
        directory.mkdir()
        directory.chmod(mode)
    storage.copy_permissions(f"{scheme}{source}", f"{scheme}{parent}/made/there")
    assert (parent / "made" / "there").stat().st_mode & 0o7777 == 0o3750


def test_the_storages_time_is_that_of_a_file_just_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Nothing of it stays behind."""
    now = HadoopStorage(spark).now_ms(str(tmp_path / "clock"))
    assert abs(now - tmp_path.stat().st_mtime * 1000) < 60_000
    assert list((tmp_path / "clock").iterdir()) == []
