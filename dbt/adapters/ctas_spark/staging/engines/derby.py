"""Derby, the embedded metastore: which process has it open, and a creation that was broken off."""

import re
import shutil
from contextlib import suppress
from pathlib import Path

from ..errors import MetastoreError, MetastoreInUseError, MetastoreUnfinishedError

DIRECTORY = "metastore_db"
WRITTEN_LAST = "service.properties"
IS_OPEN = "XSDB6"
URL = re.compile(r"Derby may have already booted the database (\S+?)\.?(?:\s|$)")
TOO_LONG = re.compile(
    r"truncation error was encountered trying to shrink LONG VARCHAR .*? to length (\d+)", re.DOTALL
)
UNFINISHED = re.compile(
    r"XBM0A: The database directory '(.+?)' exists|XBM0J: Directory (.+?) already exists"
)
PROCESSES = Path("/proc")


def explained(text: str) -> MetastoreError | None:
    """One of Derby's errors as ours, if its meaning is known."""
    if found := TOO_LONG.search(text):
        return MetastoreError(
            f"the view's query is too long: the metastore's database, Derby, holds {found[1]} "
            "characters of one",
            left="the view was not written",
            remedy="set materialized to table or ephemeral, divide the query between several "
            "views, or use a metastore on another database (spark.hadoop.hive.metastore.uris)",
        )
    if IS_OPEN in text:
        return _is_open(text)
    found = UNFINISHED.search(text)
    return _is_unfinished(found[1] or found[2]) if found else None


def remove_unfinished(database: Path) -> None:
    """Remove what the JVM of this process began to create, unless another process is at it."""
    finished = not database.is_dir() or (database / WRITTEN_LAST).exists()
    if PROCESSES.is_dir() and not finished and _holder_of(database) is None:
        shutil.rmtree(database, ignore_errors=True)


def _is_open(text: str) -> MetastoreInUseError:
    found = URL.search(text)
    path = found.group(1) if found else None
    holder = _holder_of(Path(path)) if path else None
    return MetastoreInUseError(
        f"the embedded metastore {path or '(Derby)'} is open in {holder or 'another process'}: an "
        "embedded metastore serves one process at a time",
        left="nothing was changed",
        remedy="end that process, or use a remote metastore: set "
        "spark.hadoop.hive.metastore.uris in spark_conf of the profile",
    )


def _is_unfinished(path: str) -> MetastoreUnfinishedError:
    return MetastoreUnfinishedError(
        f"the embedded metastore {path} was never finished: a run that was stopped had begun to "
        "create it",
        left="nothing was changed, and no table is lost: it has never held one",
        remedy=f"see that no other run is creating it now, delete {path}, and run dbt again",
    )


def _holder_of(database: Path) -> str | None:
    """The process that has a file of the database open, where /proc tells."""
    for descriptor in PROCESSES.glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if descriptor.readlink().is_relative_to(database):
                process = descriptor.parents[1]
                return f"process {process.name} ({(process / 'comm').read_text().strip()})"
    return None
