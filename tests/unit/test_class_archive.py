"""The archive of Spark's classes: which one fits, and what becomes of one that can't be made."""

import os
from pathlib import Path

import pytest

from dbt.adapters.ctas_spark.staging.engines import class_archive
from dbt.adapters.ctas_spark.staging.errors import SparkNotStartedError


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of this user."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "dbt-ctas-spark"


def train_with(monkeypatch: pytest.MonkeyPatch, directory: Path, code: str) -> None:
    """Replace the Spark by a program."""
    (directory / "trained.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", str(directory))
    monkeypatch.setattr(class_archive, "TRAINING", "trained")


def test_each_java_and_each_spark_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A JVM would ignore another's, and nobody would notice."""
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch(mode=0o755)
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    found = {class_archive.path()}
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    found.add(class_archive.path())
    os.utime(java, ns=(1, 1))  # an update in place
    found.add(class_archive.path())
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    found.add(class_archive.path())
    os.utime(tmp_path / "spark" / "jars", ns=(1, 1))
    found.add(class_archive.path())
    assert len(found) == 5
    assert class_archive.path() in found


def test_it_is_made_by_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """It gets its name when it is whole."""
    train_with(
        monkeypatch,
        tmp_path,
        "import pathlib, sys\n"
        "assert not list(pathlib.Path.cwd().iterdir())\n"
        "pathlib.Path(sys.argv[1]).write_bytes(b'archive')\n",
    )
    assert class_archive.option() == ""
    made = class_archive.make()
    assert list(cache.iterdir()) == [made]
    assert class_archive.option() == f'"-XX:SharedArchiveFile={made}"'


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("", "it said nothing"),
        ("raise SystemExit('no Java')", "no Java"),
        ("print('[0.1s][error][cds] a reason\\nthe end')", "[0.1s][error][cds] a reason"),
    ],
)
def test_one_that_is_not_made_leaves_nothing(
    code: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """The process's own words say why, and an archive that was there stays."""
    train_with(monkeypatch, tmp_path, code)
    cache.mkdir(parents=True)
    class_archive.path().write_bytes(b"the one before")
    with pytest.raises(SparkNotStartedError) as caught:
        class_archive.make()
    assert caught.value.what == f"no archive of Spark's classes was made: {reason}"
    assert [one.read_bytes() for one in cache.iterdir()] == [b"the one before"]


def test_all_of_them_are_removed(cache: Path) -> None:
    """Also those of environments that are gone, and what a kill left of one."""
    assert class_archive.remove() == []
    cache.mkdir(parents=True)
    left = [cache / "spark-3.5.9-gone.42", cache / "spark-4.1.4-other.jsa"]
    for one in left:
        one.touch()
    assert class_archive.remove() == left
    assert not list(cache.iterdir())
