"""A table's files by its own FileIO, which has the credentials that its catalog gave for them.

No file system of Hadoop's has to know the scheme of their paths.
"""

import json
import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..engines import jvm
from ..storage import disk
from ..storage.client import StoredFile
from ..storage.hadoop import CLOCK, MissingError, asking

LISTS = "org.apache.iceberg.relocated.com.google.common.collect.Lists"
JACKSON = "com.fasterxml.jackson"


@dataclass(frozen=True, slots=True)
class FileIoStorage:
    """The part of ``Storage`` that staged versions need, with ``io``, the table's own.

    A FileIO that lists nothing (``SupportsPrefixOperations``) is a StorageError.
    """

    packages: Any
    io: Any

    def files(self, directory: str) -> tuple[StoredFile, ...]:
        """Every file below a directory; none without it.

        Local files are listed from here: Hadoop would start ``ls`` for each of them.
        """
        found = []
        with suppress(MissingError), asking("list", directory):
            if local := disk.path_of(directory):
                return tuple(disk.files(local))
            found = json.loads(self._listed(f"{directory}/"))
        return tuple(
            StoredFile(one["location"], int(one["size"]), int(one["createdAtMillis"]))
            for one in found
        )

    def now_ms(self, directory: str) -> int:
        """The time of an empty file that was just written there."""
        path = f"{directory}/{CLOCK}{secrets.token_hex(4)}"
        with asking("write", path):
            self.io.newOutputFile(path).createOrOverwrite().close()
        (written,) = (one for one in self.files(directory) if one.path.endswith(path[-8:]))
        self.delete(path)
        return written.modified_ms

    def exists(self, path: str) -> bool:
        """True if a directory has a file, as object stores have no other directories."""
        return bool(self.files(path))

    def delete(self, path: str) -> None:
        """Remove a file or a whole directory; no error when it is not there."""
        with asking("delete", path):
            self.io.deletePrefix(f"{path}/")
            self.io.deleteFile(path)

    def _listed(self, prefix: str) -> str:
        """JSON: one text crosses to Python, and not each file."""
        visibility = jvm.member(self.packages, f"{JACKSON}.annotation.JsonAutoDetect$Visibility")
        accessor = jvm.member(self.packages, f"{JACKSON}.annotation.PropertyAccessor")
        mapper = jvm.member(self.packages, f"{JACKSON}.databind.ObjectMapper")()
        mapper.setVisibility(accessor.FIELD, visibility.ANY)
        listed = jvm.member(self.packages, LISTS).newArrayList(self.io.listPrefix(prefix))
        return str(mapper.writeValueAsString(listed))
