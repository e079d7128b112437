"""What versions need of a file system, and how what is on it is removed."""

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from ..errors import StagingError, StorageError
from ..steps import Step, StepReport


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file of a listing: its path, bytes, and time in milliseconds by the storage's clock."""

    path: str
    bytes: int
    modified_ms: int


def data_files(found: Iterable[StoredFile], directory: str) -> tuple[StoredFile, ...]:
    """The files of a listing that Spark reads: no part of their path below ``directory`` is hidden.

    Its input filters hide names that begin with ``.``, and with ``_`` unless it is a partition's.
    """
    return tuple(one for one in found if not _is_hidden(path_below(directory, one)))


def path_below(directory: str, file: StoredFile) -> str:
    """A file's path below a directory, found by the directory's name: URIs have many spellings."""
    last = directory.rstrip("/").rpartition("/")[2]
    return file.path.rpartition(f"/{last}/")[2]


def _is_hidden(path: str) -> bool:
    return any(
        part.startswith(".") or (part.startswith("_") and "=" not in part)
        for part in path.split("/")
    )


class AccessDeniedError(StorageError):
    """The user may not do that there."""


class Deleting(Protocol):
    """The calls that remove what is stored, by URI; each raises StorageError when it fails."""

    def exists(self, path: str) -> bool:
        """True if the path is there."""

    def delete(self, path: str) -> None:
        """Remove a file or a whole directory; no error when it is not there."""


class Storage(Deleting, Protocol):
    """A file system by URI. Every call raises StorageError when it fails or can't be answered."""

    def write(self, path: str, text: str) -> None:
        """Write a small file, whole, with its parents."""

    def create(self, path: str, text: str) -> bool:
        """Write a small file unless it is there; False if it is: of two writers, one creates it."""

    def read(self, path: str) -> str | None:
        """A small file's text, or None when the storage says that there is none."""

    def now_ms(self, directory: str) -> int:
        """The storage's own time in milliseconds: that of a file that was just written there."""

    def qualified(self, path: str) -> str:
        """The path with its file system's scheme, which may be the default one's.

        StorageError if Spark knows no such file system. Nothing is looked up on it.
        """

    def children(self, directory: str, known: Collection[str] | None = None) -> tuple[str, ...]:
        """The names of what lies in a directory; none without the directory.

        Those of ``known`` versions are left out. Where a storage shows no directory without files,
        it finds those that are named like versions only if it is told the known ones.
        """

    def files(self, directory: str) -> tuple[StoredFile, ...]:
        """Every file below a directory, hidden ones too; none without the directory."""

    def modified_ms(self, path: str) -> int | None:
        """The time of a file or directory; None if it is not there."""

    def copy(self, source: str, directory: str) -> None:
        """Copy a directory, with all below it, to a path at which nothing is."""

    def remove_empty(self, directory: str) -> None:
        """Remove a directory in which nothing is; one that is not there, or has files, stays so."""

    def copy_permissions(self, source: str, directory: str) -> None:
        """Make a directory, and give it the mode, group and ACL of ``source``, if there is one.

        Where that changes its mode, the directories below it get it, too. Nothing where the
        storage has no permissions.
        """

    def make_directory(self, directory: str, like: str) -> None:
        """Make a directory with the permissions of ``like``, unless it is there.

        Nothing where the storage has no permissions: there is no directory to make, either.

        Raises:
            AccessDeniedError: it is there, and this user may not write in it.
        """


logger = logging.getLogger(__name__)

MOST_DELETES = 5

Removal = tuple[Step, str, Callable[[], None]]
"""The step that it is, what it removes, and the call that does."""


def still_there(report: StepReport, *removals: Removal) -> list[str]:
    """Remove one thing after another; what could not be removed, in words. Never raises."""
    return [what for step, what, remove in removals if not _done(report, step, what, remove)]


def emptied(storage: Deleting, directory: str) -> bool:
    """Delete, look, delete again: a late file of a job may have come between.

    A file system may refuse to delete what is not there: HDFS asks for the right on the parent.
    """
    for _ in range(MOST_DELETES):
        try:
            storage.delete(directory)
        except StorageError:
            if storage.exists(directory):
                raise
            return True
        if not storage.exists(directory):
            return True
    return False


def empty(storage: Deleting, directory: str) -> None:
    """Delete a directory; StorageError if it fills again and again."""
    if not emptied(storage, directory):
        raise StorageError(
            f"new files appeared in {directory} after each of {MOST_DELETES} deletes"
        )


def _done(report: StepReport, step: Step, what: str, remove: Callable[[], None]) -> bool:
    try:
        with report.within(step):
            remove()
    except StagingError as error:
        logger.warning("could not remove %s: %s", what, error)
        return False
    return True
