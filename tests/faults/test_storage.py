"""The storage is full or read-only, or somebody removes what a run has staged."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from ctas_spark.publish.marker import VERSION_ID
from ctas_spark.publish.staged_table import StagedTable
from ctas_spark.steps import Step
from faults.moments import before
from faults.numbered import NOTHING_KEPT, TABLE, Numbered
from functional.terminal import FAILED, steady

SIZE = "1m"
BLOCK = b"x" * 4_096
FULL = """\
  [TASK_WRITE_FAILED] Task failed while writing rows to \
file:DISK/ctas-spark/ID/shop.numbered/VERSION. SQLSTATE: 58030
  Caused by: No space left on device"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    mounted = subprocess.run(mount, capture_output=True, check=False, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"this user may not mount a small file system: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> None:
    """Leave no block of it."""
    with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(BLOCK)


def test_a_full_disk_leaves_the_old_version(
    numbered: Numbered, small_disk: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The job fails with the storage's own words; once there is room the next run works."""
    old = numbered.publish(1)
    root = {"location_root": str(small_disk)}
    capfd.readouterr()
    with before(Step.STAGE, lambda: fill(small_disk)):
        run = numbered.run(2, **root)
    printed = capfd.readouterr()
    said = steady(printed.out + printed.err, numbered.project)
    assert said.replace(str(small_disk), "DISK") == FAILED.format(starts="", error=FULL)
    assert not run.success
    assert "No space left on device" in run.message(TABLE)
    assert f"still holds version {old}" in run.message(TABLE)
    assert (numbered.version(), numbered.number()) == (old, 1)

    (small_disk / "filler").unlink()
    numbered.publish(3, **root, **NOTHING_KEPT)
    assert numbered.number() == 3
    staged = [path.name for path in small_disk.rglob("*") if VERSION_ID.fullmatch(path.name)]
    assert staged == [numbered.version()]


def test_a_read_only_disk_is_refused_before_the_job(numbered: Numbered, small_disk: Path) -> None:
    """What can't be written is said by its path, with what to do."""
    old = numbered.publish(1)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    run = numbered.run(2, location_root=str(small_disk))
    assert not run.success
    message = run.message(TABLE)
    assert f"the storage refused to create file:{small_disk}" in message
    assert "check that the user who runs dbt may write there" in message
    assert (numbered.version(), numbered.number()) == (old, 1)


@contextmanager
def before_commit(happens: Callable[[], object]) -> Iterator[None]:
    """Have it happen between the checks and the last listing."""
    commit = StagedTable.commit

    def commits(staged: StagedTable[Any]) -> None:
        happens()
        commit(staged)

    with patch.object(StagedTable, "commit", commits):
        yield


@pytest.mark.parametrize("at", [partial(before, Step.VERIFY), before_commit])
def test_removed_files_are_not_published(
    numbered: Numbered, at: Callable[[Callable[[], object]], AbstractContextManager[None]]
) -> None:
    """A version whose directory somebody removed would be an empty table: it is refused."""
    old = numbered.publish(1)

    def remove() -> None:
        staged = numbered.staged_beside(old)
        shutil.rmtree(numbered.outside.directory(TABLE).with_name(staged))

    with at(remove):
        run = numbered.run(2)
    assert not run.success
    assert "the staged version is incomplete" in run.message(TABLE)
    assert f"still holds version {old}" in run.message(TABLE)
    assert (numbered.version(), numbered.number()) == (old, 1)
    numbered.publish(3, **NOTHING_KEPT)
    numbered.only_live_left()
