"""Whether a version's directory holds what its job wrote."""

from dataclasses import replace

from ..engines.protocol import WriteFigures
from ..storage.client import Storage, data_files

EXACT = ("file:", "hdfs:", "viewfs:")
"""Where Spark's own committers write, and count the very bytes that then lie there."""


def what_is_wrong(storage: Storage, directory: str, wanted: WriteFigures) -> str:
    """How a directory differs from what the job wrote; empty if it does not."""
    now, exact = _listed(storage, directory), directory.startswith(EXACT)
    found, expected = now.files or 0, wanted.files or 0
    if found < expected or (exact and found > expected):
        return f"{directory} has {found} data files, and the job wrote {expected}"
    if exact and wanted.bytes is not None and now.bytes != wanted.bytes:
        return f"{directory} has {now.bytes} bytes, and the job wrote {wanted.bytes}"
    return ""


def has_changed(storage: Storage, directory: str, counted: WriteFigures) -> bool:
    """Whether a statement has added or replaced rows in place since the version was published."""
    if counted.files is None:
        return False
    now, exact = _listed(storage, directory), directory.startswith(EXACT)
    return now.files != counted.files or (exact and counted.bytes not in (None, now.bytes))


def written(storage: Storage, directory: str, counted: WriteFigures) -> WriteFigures:
    """What has to stand until the commit: the figures, and a listing of those nobody counted."""
    if counted.files is not None and counted.bytes is not None:
        return counted
    found = _listed(storage, directory)
    return replace(found, rows=counted.rows, files=counted.files or found.files)


def _listed(storage: Storage, directory: str) -> WriteFigures:
    found = data_files(storage.files(directory), directory)
    return WriteFigures(files=len(found), bytes=sum(one.bytes for one in found))
