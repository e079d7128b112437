"""Make the archive of Spark's classes, on request or automatically, and remove it."""

import logging
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from ..engines.class_archive import AOT_CACHE, CLASSES, cache_directory, path
from ..errors import SparkNotStartedError

logger = logging.getLogger(__name__)

MADE_BY = {CLASSES: "-XX:ArchiveClassesAtExit", AOT_CACHE: "-XX:AOTCacheOutput"}
TRIED = ".tried"
ONLY_BY_HAND = "only-by-hand"
"""The file which says that none is made automatically any more."""
TRAINING, UNASKED = f"{__package__}.training", f"{__package__}.making"
SAID_BY_JVM = "[error]"
ROOM = 2_000_000_000
"""Bytes that have to be free: some ten times what an archive takes."""
LOWEST_PRIORITY = 19
UNUSED_SECONDS = 60 * 24 * 3600


def make_automatically() -> Path | None:
    """Let a process that outlives this one make the archive; None if it is not to be made.

    That is tried once for each Java and Spark. What the process says stays in a note next to the
    archive until it is made; the note is the lock, too.
    """
    archive = path()
    cache = archive.parent
    try:
        cache.mkdir(parents=True, exist_ok=True)
        is_unwanted = archive.exists() or (cache / ONLY_BY_HAND).exists()
        if is_unwanted or shutil.disk_usage(cache).free < ROOM:
            return None
        with archive.with_suffix(TRIED).open("x") as note:
            _remove_unused()
            subprocess.Popen(  # noqa: S603 (our own module)
                [sys.executable, "-m", UNASKED],
                cwd=cache,
                stdin=subprocess.DEVNULL,
                stdout=note,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:  # a note that is there has the name of its file in this, too
        logger.info("no archive of Spark's classes is made automatically: %s", error)
        return None
    return archive


def make() -> Path:
    """Make the archive, some 200 MB; another process runs a Spark for that, a minute or two.

    Raises:
        SparkNotStartedError: that Spark failed, or its Java makes no archives.
    """
    archive = path()
    archive.parent.mkdir(parents=True, exist_ok=True)
    unfinished = archive.with_name(f"{archive.stem}-{os.getpid()}{archive.suffix}")
    try:
        done = _train(unfinished)
        if done.returncode or not unfinished.exists():
            raise SparkNotStartedError(
                f"no archive of Spark's classes was made: {_reason(done.stdout)}",
                left="nothing was changed, and Spark starts as before",
                remedy="check that Java is a JDK 17 or newer, that Spark starts, and that no "
                "directory on its class path, such as that of SPARK_CONF_DIR, contains files",
            )
        unfinished.replace(archive)
    finally:
        unfinished.unlink(missing_ok=True)
    archive.with_suffix(TRIED).unlink(missing_ok=True)
    return archive


def remove() -> list[Path]:
    """Remove every archive of this user, also those of environments that are gone.

    From then on none is made automatically.
    """
    directory = cache_directory()
    directory.mkdir(parents=True, exist_ok=True)
    (directory / ONLY_BY_HAND).touch()
    found = _all()
    for one in found:
        one.unlink(missing_ok=True)
    return [one for one in found if one.suffix != TRIED]


def _remove_unused() -> None:
    """Remove those of environments that are gone, and what a kill has left of one."""
    for one in _all():
        if time.time() - one.stat().st_mtime > UNUSED_SECONDS:
            one.unlink(missing_ok=True)


def _all() -> list[Path]:
    return sorted(cache_directory().glob("spark-*"))


def _train(archive: Path) -> "subprocess.CompletedProcess[str]":
    """Run the process elsewhere: Python would import what lies here."""
    with TemporaryDirectory() as scratch:
        return subprocess.run(  # noqa: S603 (our own module)
            [sys.executable, "-m", TRAINING, MADE_BY[archive.suffix], str(archive)],
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )


def _reason(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()] or ["it said nothing"]
    return next((line for line in lines if SAID_BY_JVM in line), lines[-1])


if __name__ == "__main__":
    os.nice(LOWEST_PRIORITY)
    with suppress(OSError):  # where Linux shares the cores between sessions, and then within each
        Path("/proc/self/autogroup").write_text(str(LOWEST_PRIORITY))
    made = make()
    if (made.parent / ONLY_BY_HAND).exists():  # the user has removed it meanwhile
        made.unlink()
