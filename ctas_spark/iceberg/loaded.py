"""One Iceberg table as it was loaded, and the commits that are conditional on that.

Iceberg's Java exceptions become the core's errors: refused by name, or a fate not known.
"""

import json
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import UnsupportedOperationException

from ..engines import jvm
from ..errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from . import branches
from .facts import TableFacts
from .file_io import FileIoStorage

ICEBERG = "org.apache.iceberg"


class FilesGoneError(MetastoreError):
    """An entry is there, and the metadata file that it names is not."""


class NotIcebergError(MetastoreError):
    """The entry of that name is not an Iceberg table's."""


class UnsupportedError(RefusedError):
    """The catalog has no such thing."""


ICEBERGS = f"{ICEBERG}.exceptions."
BY_CLASS: dict[str, type[MetastoreError]] = {
    f"{ICEBERGS}CommitFailedException": EntryModifiedError,
    f"{ICEBERGS}AlreadyExistsException": EntryExistsError,
    f"{ICEBERGS}NoSuchTableException": EntryMissingError,
    f"{ICEBERGS}NoSuchNamespaceException": EntryMissingError,
    f"{ICEBERGS}ValidationException": RefusedError,
    f"{ICEBERGS}BadRequestException": RefusedError,
    f"{ICEBERGS}ForbiddenException": RefusedError,
    f"{ICEBERGS}NotAuthorizedException": RefusedError,
    f"{ICEBERGS}NotFoundException": FilesGoneError,
    f"{ICEBERGS}NoSuchIcebergTableException": NotIcebergError,
    "java.lang.NoSuchMethodException": UnsupportedError,
}


def _meaning(error: Exception) -> tuple[type[MetastoreError], str]:
    if isinstance(error, UnsupportedOperationException):
        return UnsupportedError, str(error)
    if not isinstance(error, Py4JJavaError):
        return MetastoreError, str(error)
    name = str(error.java_exception.getClass().getName())
    return BY_CLASS.get(name, MetastoreError), str(error.java_exception.getMessage() or name)


core_errors = jvm.core_errors(_meaning)


class LoadedTable:
    """One table at one moment, on which its commits are conditional, and its facts.

    Those on a fork or a fence build on what others have committed since, and return the table as
    the catalog has it then. Each commit raises MetastoreError if it may or may not have been made.
    """

    def __init__(self, packages: Any, table: Any) -> None:
        self.packages = packages
        self.java = table
        self.operations = table.operations()
        self.metadata = self.operations.current()
        location = self.metadata.metadataFileLocation()
        if location is None:
            raise RefusedError("the catalog does not say where the table's metadata lies")
        text = jvm.member(packages, f"{ICEBERG}.TableMetadataParser.toJson")(self.metadata)
        self.facts = TableFacts(json.loads(str(text)), str(location))

    @property
    def storage(self) -> FileIoStorage:
        """The storage of its files."""
        return FileIoStorage(self.packages, self.operations.io())

    def builder(self) -> Any:
        """Java's builder of the metadata of the next commit."""
        return self.packages.org.apache.iceberg.TableMetadata.buildFrom(self.metadata)

    def commit(self, metadata: Any) -> None:
        """Replace the metadata by one call; EntryModifiedError if another commit came first."""
        with core_errors("commit the table's metadata"):
            self.operations.commit(self.metadata, metadata)

    def begin_branch(self, name: str, snapshot: int) -> None:
        """Create a branch that ends with a snapshot."""
        branches.change_branches(lambda: self._begin_branch(name, snapshot))

    def drop_branch(self, name: str) -> None:
        """Drop a branch; its snapshots go when Iceberg expires them."""
        branches.change_branches(lambda: self._drop_branch(name))

    def snapshot_on(self, branch: str, summary: Mapping[str, str]) -> Any:
        """A snapshot of a branch's files with ``summary``, which is written and not committed."""
        with core_errors(f"write a snapshot of {branch}"):
            update = self.java.newFastAppend().toBranch(branch)
            for key, value in summary.items():
                update.set(key, value)
            return update.apply()

    def with_properties(self, properties: Mapping[str, str]) -> "LoadedTable":
        """Set properties by one commit."""
        with core_errors("set properties of a staged table"):
            return self._after(self.java.updateProperties(), properties)

    def has_file(self, path: str) -> bool:
        """True if the table's own way to its storage finds a file."""
        with core_errors(f"look for {path}"):
            return bool(self.operations.io().newInputFile(path).exists())

    def say_location(self, location: str) -> "LoadedTable":
        """Change what the table says of its place; its files stay where they are."""
        with core_errors("change the location of a staged table"):
            return self._after(self.java.updateLocation().setLocation(location), {})

    def append_nothing(self, summary: Mapping[str, str]) -> "LoadedTable":
        """Commit a snapshot of the same files with ``summary``: the smallest commit of data."""
        with core_errors("commit a snapshot without files"):
            return self._after(self.java.newFastAppend(), summary)

    def _begin_branch(self, name: str, snapshot: int) -> None:
        with core_errors(f"begin the branch {name}"):
            self.java.manageSnapshots().createBranch(name, snapshot).commit()

    def _drop_branch(self, name: str) -> None:
        with core_errors(f"drop the branch {name}"):
            self.java.manageSnapshots().removeBranch(name).commit()

    def _after(self, update: Any, values: Mapping[str, str]) -> "LoadedTable":
        for key, value in values.items():
            update.set(key, value)
        update.commit()
        return LoadedTable(self.packages, self.java)
