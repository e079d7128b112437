"""Local files, without Hadoop: it takes several calls for each, and starts ``ls`` or ``chmod``."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .client import StoredFile

URI = re.compile(r"file:(?://)?(/(?!/).*)")
PERMISSIONS = 0o1777
"""The bits of a mode that Hadoop knows; of a directory's others, chmod changes none."""


def path_of(uri: str) -> Path | None:
    """The path of a local file, which Hadoop's URIs don't escape; None if it lies elsewhere."""
    found = URI.fullmatch(uri)
    return Path(found[1]) if found else None


def children(directory: Path) -> Iterator[str]:
    """The names in it."""
    with suppress(FileNotFoundError):
        yield from (path.name for path in directory.iterdir() if not _is_checksum(path.name))


def files(directory: Path) -> Iterator[StoredFile]:
    """As Hadoop lists them: what goes meanwhile, and its checksums, are left out."""
    for parent, _, names in os.walk(directory, onerror=_raise_unless_gone, followlinks=True):
        for name in names:
            path = Path(parent, name)
            try:
                found = path.stat()
            except FileNotFoundError:
                continue
            if not _is_checksum(name):
                yield StoredFile(f"file:{path}", found.st_size, found.st_mtime_ns // 1_000_000)


def create(path: Path, text: str) -> bool:
    """Write a small file with its parents, unless it is there; of two writers, one does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True


def copy_permissions(source: Path, directory: Path) -> None:
    """Mode, and then group, which may be refused; nothing if there is no source."""
    with suppress(FileNotFoundError):
        wanted = source.stat()
        directory.mkdir(parents=True, exist_ok=True)
        for one in _with_those_below(directory, wanted):
            found = one.stat()
            one.chmod(_mode(wanted, found))
            if found.st_gid != wanted.st_gid:
                os.chown(one, -1, wanted.st_gid)


def may_write(directory: Path) -> bool | None:
    """Whether this user may make and remove files in it; None if it is not there."""
    return os.access(directory, os.W_OK | os.X_OK) if directory.exists() else None


def _with_those_below(directory: Path, wanted: os.stat_result) -> list[Path]:
    """Those below only if the directory has another mode or group: one job has made them all."""
    found = directory.stat()
    if found.st_gid == wanted.st_gid and _mode(wanted, found) == found.st_mode & 0o7777:
        return []
    return [Path(parent) for parent, _, _ in os.walk(directory)]


def _mode(wanted: os.stat_result, found: os.stat_result) -> int:
    """What Hadoop knows of a mode is the wanted one's; the rest stays."""
    return wanted.st_mode & PERMISSIONS | found.st_mode & 0o7777 & ~PERMISSIONS


def _is_checksum(name: str) -> bool:
    return name.startswith(".") and name.endswith(".crc")


def _raise_unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error
