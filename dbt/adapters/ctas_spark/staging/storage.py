"""What versions and leases need of a file system."""

from typing import Protocol


class Storage(Protocol):
    """A file system by URI. Every call raises StorageError when it fails or can't be answered."""

    def write(self, path: str, text: str) -> int:
        """Write a small file, whole, with its parents.

        Returns:
            its modification time in milliseconds, by the storage's own clock.
        """

    def copy_permissions(self, source: str, directory: str) -> None:
        """Give a directory the mode, group and ACL of ``source``; make it if it is not there.

        Nothing happens if there is no ``source``.
        """

    def delete(self, path: str) -> None:
        """Remove a file or a whole directory; no error when it is not there."""

    def exists(self, path: str) -> bool:
        """True if the path is there."""
