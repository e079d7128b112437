"""The archive of Spark's classes: which one fits, and what becomes of one that can't be made."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ctas_spark.archiving import making
from ctas_spark.engines import class_archive
from ctas_spark.errors import SparkNotStartedError

OF_CLASSES = ".jsa", "-XX:ArchiveClassesAtExit", "-XX:SharedArchiveFile"
OF_JAVA = ".aot", "-XX:AOTCacheOutput", "-XX:AOTCache"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of this user."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "dbt-ctas-spark"


def train_with(monkeypatch: pytest.MonkeyPatch, directory: Path, code: str) -> None:
    """Replace the Spark by a program."""
    (directory / "trained.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", str(directory))
    monkeypatch.setattr(making, "TRAINING", "trained")


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


def java_of_release(home: Path, monkeypatch: pytest.MonkeyPatch, release: str) -> None:
    """Let Spark's scripts find a Java whose installation says this."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch(mode=0o755)
    (home / "release").write_text(release)
    monkeypatch.setenv("JAVA_HOME", str(home))


@pytest.mark.parametrize(
    ("release", "kind"),
    [
        ('JAVA_VERSION="17.0.15"', OF_CLASSES),
        ('JAVA_VERSION="24.0.2"', OF_CLASSES),
        ('A="b"\nJAVA_VERSION="25.0.3"\n', OF_JAVA),
        ('JAVA_VERSION="26"', OF_JAVA),
        ("", OF_CLASSES),
    ],
)
def test_from_java_25_on_it_is_javas_own_cache(
    release: str, kind: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first that makes it in one run; an older Java gets an archive of classes."""
    suffix, makes, uses = kind
    java_of_release(tmp_path / "jdk", monkeypatch, release)
    train_with(
        monkeypatch,
        tmp_path,
        f"import sys; assert sys.argv[1] == {makes!r}; open(sys.argv[2], 'w')\n",
    )
    made = making.make()
    assert made.suffix == suffix
    assert class_archive.option() == f'"{uses}={made}"'


def test_it_is_made_by_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """It gets its name when it is whole."""
    train_with(
        monkeypatch,
        tmp_path,
        "import pathlib, sys\n"
        "assert not list(pathlib.Path.cwd().iterdir())\n"
        "pathlib.Path(sys.argv[2]).write_bytes(b'archive')\n",
    )
    assert class_archive.option() == ""
    made = making.make()
    assert list(cache.iterdir()) == [made]
    assert class_archive.option().endswith(f'={made}"')


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("", "it said nothing"),
        ("raise SystemExit('no Java')", "no Java"),
        ("print('[0.1s][error][cds] a reason\\nthe end')", "[0.1s][error][cds] a reason"),
        ("import sys; open(sys.argv[2], 'w'); sys.exit('no memory')", "no memory"),
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
        making.make()
    assert caught.value.what == f"no archive of Spark's classes was made: {reason}"
    assert [one.read_bytes() for one in cache.iterdir()] == [b"the one before"]


def test_all_of_them_are_removed(cache: Path) -> None:
    """Also those of environments that are gone, and what a kill left of one."""
    assert making.remove() == []
    left = [cache / "spark-3.5.9-gone.42", cache / "spark-4.1.4-other.jsa"]
    for one in left:
        one.touch()
    assert making.remove() == left
    assert not list(cache.glob("spark-*"))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The commands of processes that were started; none of them is."""
    commands: list[Any] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: commands.append(command))
    return commands


def test_one_is_tried_automatically_once(started: list[Any], cache: Path) -> None:
    """By a process of its own; its note, with what it said, keeps others from trying again."""
    assert making.make_automatically() == class_archive.path()
    assert making.make_automatically() is None
    assert started == [[sys.executable, "-m", making.UNASKED]]
    assert list(cache.iterdir()) == [class_archive.path().with_suffix(making.TRIED)]


def test_none_is_made_automatically_after_a_removal(started: list[Any]) -> None:
    """Not for another Java or another Spark, either."""
    making.remove()
    assert making.make_automatically() is None
    assert not started


def test_a_full_disk_is_left_alone(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written there, and a later run may try."""
    usage = shutil.disk_usage("/")
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=making.ROOM - 1))
        assert making.make_automatically() is None
    assert not started
    assert making.make_automatically() is not None


def test_a_cache_that_is_not_writable_harms_nothing(
    started: list[Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The reason is in the log."""
    (tmp_path / "cache").touch()  # for a directory, root has every permission
    with caplog.at_level("INFO"):
        assert making.make_automatically() is None
    assert not started
    assert "no archive of Spark's classes is made automatically: " in caplog.text
    assert class_archive.option() == ""


def test_those_that_no_spark_starts_with_any_more_are_removed(
    started: list[Any], cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After two months, when another one is made; one that is in use stays."""
    cache.mkdir(parents=True)
    used, unused = class_archive.path(), cache / "spark-4.1.4-gone.jsa"
    for one in used, unused:
        one.touch()
        os.utime(one, (1, 1))
    assert class_archive.option()
    assert making.make_automatically() is None
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert making.make_automatically()
    assert len(started) == 1
    assert used.exists()
    assert not unused.exists()


def test_one_that_was_made_automatically_leaves_no_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """Of one that was not made, the note stays."""
    train_with(monkeypatch, tmp_path, "import sys; open(sys.argv[2], 'w')")
    cache.mkdir(parents=True)
    note = class_archive.path().with_suffix(making.TRIED)
    note.touch()
    made = making.make()
    assert list(cache.iterdir()) == [made]
