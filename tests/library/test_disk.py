"""Local files, looked at without Hadoop."""

import os
from pathlib import Path

import pytest

from ctas_spark.storage import disk


@pytest.mark.parametrize("uri", ["file:/tables/a b/100%25", "file:///tables/a b/100%25"])
def test_a_local_uri_is_not_escaped(uri: str) -> None:
    """Hadoop's own are not; what looks like an escape is part of a name."""
    assert disk.path_of(uri) == Path("/tables/a b/100%25")


@pytest.mark.parametrize(
    "uri", ["hdfs://node/tables", "s3a://bucket/tables", "/tables", "tables", "file://node/tables"]
)
def test_other_paths_are_hadoops_to_read(uri: str) -> None:
    """One without a scheme lies on the default file system, wherever that is."""
    assert disk.path_of(uri) is None


def test_a_directory_that_is_gone_is_empty(tmp_path: Path) -> None:
    """As in Hadoop's listings; one that can't be read is an error."""
    assert list(disk.files(tmp_path / "gone")) == []
    assert list(disk.children(tmp_path / "gone")) == []
    (tmp_path / "a file").touch()
    with pytest.raises(NotADirectoryError):
        list(disk.children(tmp_path / "a file"))


def test_the_checksums_of_hadoop_are_no_files(tmp_path: Path) -> None:
    """It hides them, too."""
    for name in ("part-0", ".part-0.crc"):
        (tmp_path / name).write_text("x")
    assert [one.path for one in disk.files(tmp_path)] == [f"file:{tmp_path}/part-0"]
    assert list(disk.children(tmp_path)) == ["part-0"]


def test_a_group_that_is_refused_leaves_the_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the version could be read by more people than the table before it."""
    source, directory = tmp_path / "source", tmp_path / "version"
    source.mkdir(mode=0o700)
    stat = Path.stat

    def of_another_group(path: Path, **options: bool) -> os.stat_result:
        found = stat(path, **options)
        return (
            os.stat_result((*found[:5], found.st_gid + 1, *found[6:])) if path == source else found
        )

    def refused(*_arguments: object) -> None:
        raise PermissionError("not a member")

    monkeypatch.setattr(Path, "stat", of_another_group)
    monkeypatch.setattr(os, "chown", refused)
    with pytest.raises(PermissionError):
        disk.copy_permissions(source, directory)
    assert directory.stat().st_mode & 0o777 == 0o700


def test_a_directory_gets_the_mode_of_another(tmp_path: Path) -> None:
    """Its parent's group stays with it; without a source, nothing is made."""
    source, parent = tmp_path / "source", tmp_path / "parent"
    disk.copy_permissions(source, parent)
    assert not parent.exists()
    for directory, mode in ((source, 0o1750), (parent, 0o2775)):
        directory.mkdir()
        directory.chmod(mode)
    disk.copy_permissions(source, parent / "made" / "there")
    assert (parent / "made" / "there").stat().st_mode & 0o7777 == 0o3750
