"""What versions and leases need of a file system."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredText:
    """A small file, with its modification time in milliseconds by the storage's own clock."""

    text: str
    modified_ms: int


class TextStore(Protocol):
    """Small files by path. Every call raises StorageError when it fails or can't be answered."""

    def write(self, path: str, text: str) -> int:
        """Write a small file, whole, with its parents.

        Returns:
            its modification time in milliseconds, by the storage's own clock.
        """

    def read(self, path: str) -> StoredText | None:
        """A small file, or None when the storage says that there is none."""

    def children(self, directory: str) -> tuple[str, ...]:
        """The names of what lies in a directory; none without the directory."""

    def delete(self, path: str) -> None:
        """Remove a file; no error when it is not there."""


class Storage(TextStore, Protocol):
    """A file system by URI; ``delete`` removes a whole directory, too."""

    def copy_permissions(self, source: str, directory: str) -> None:
        """Give a directory the mode, group and ACL of ``source``; make it if it is not there.

        Nothing happens if there is no ``source``.
        """

    def exists(self, path: str) -> bool:
        """True if the path is there."""
