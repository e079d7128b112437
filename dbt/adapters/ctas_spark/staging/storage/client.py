"""What versions need of a file system."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file of a listing: its path, bytes, and time in milliseconds by the storage's clock."""

    path: str
    bytes: int
    modified_ms: int


def data_files(found: Iterable[StoredFile], directory: str) -> tuple[StoredFile, ...]:
    """The files of a listing that Spark reads: no part of their path below ``directory`` is hidden.

    Hadoop's and Spark's input filters hide names that begin with ``.``, and with ``_`` unless it
    is a partition's.
    """
    last = directory.rstrip("/").rpartition("/")[2]
    return tuple(one for one in found if not _is_hidden(one.path.rpartition(f"/{last}/")[2]))


def _is_hidden(path: str) -> bool:
    return any(
        part.startswith(".") or (part.startswith("_") and "=" not in part)
        for part in path.split("/")
    )


class Storage(Protocol):
    """A file system by URI. Every call raises StorageError when it fails or can't be answered."""

    def write(self, path: str, text: str) -> None:
        """Write a small file, whole, with its parents."""

    def read(self, path: str) -> str | None:
        """A small file's text, or None when the storage says that there is none."""

    def now_ms(self, directory: str) -> int:
        """The storage's own time in milliseconds: that of a file that was just written there."""

    def children(self, directory: str) -> tuple[str, ...]:
        """The names of what lies in a directory; none without the directory."""

    def files(self, directory: str) -> tuple[StoredFile, ...]:
        """Every file below a directory, hidden ones too; none without the directory."""

    def modified_ms(self, path: str) -> int | None:
        """The time of a file or directory; None if it is not there."""

    def exists(self, path: str) -> bool:
        """True if the path is there."""

    def delete(self, path: str) -> None:
        """Remove a file or a whole directory; no error when it is not there."""

    def copy_permissions(self, source: str, directory: str) -> None:
        """Give a directory the mode, group and ACL of ``source``; make it if it is not there.

        Nothing happens if there is no ``source``.
        """
