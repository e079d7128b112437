"""Whether a staged version is whole: nothing that its job wrote is missing when it is published."""

from collections.abc import Callable
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.storage.client import Storage, data_files

EXACT = ("file:", "/", "hdfs:", "viewfs:")
"""Where Spark's own committers write, and count the very bytes that then lie there."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The data files of a version's directory at one moment; ``files`` is None if not counted."""

    files: int | None = None
    bytes: int | None = None


def check(
    storage: Storage,
    directory: str,
    counted: WriteFigures,
    before: Listed | None,
    gone: Callable[[str], StagingError],
) -> Listed:
    """What is there.

    The first call only looks whether the directory is there, and lists it where the engine counted
    nothing; the last one lists it, and compares.

    Args:
        before: what the first call returned; None on the first call.
        gone: makes the error, from what is missing.

    Raises:
        StagingError: fewer files than the job wrote, or others.
    """
    if before is None and counted.files is not None:
        if not storage.exists(directory):
            raise gone(f"its directory {directory} is not there")
        return Listed()
    found = data_files(storage.files(directory), directory)
    now = Listed(len(found), sum(one.bytes for one in found))
    if before is None:
        if not storage.exists(directory):
            raise gone(f"its directory {directory} is not there")
        return now
    _compare(directory, now, _expected(counted, before), gone)
    return now


def _expected(counted: WriteFigures, before: Listed) -> Listed:
    if before.files is not None:
        return before
    return Listed(counted.files, counted.bytes)


def _compare(
    directory: str, now: Listed, wanted: Listed, gone: Callable[[str], StagingError]
) -> None:
    found, expected = now.files or 0, wanted.files or 0
    exact = directory.startswith(EXACT)
    if found < expected or (exact and found > expected):
        raise gone(f"{directory} has {found} data files, and the job wrote {expected}")
    if exact and wanted.bytes is not None and now.bytes != wanted.bytes:
        raise gone(f"{directory} has {now.bytes} bytes, and the job wrote {wanted.bytes}")
