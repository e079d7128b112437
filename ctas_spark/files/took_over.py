"""Delete the files of a managed table that a version took over, once nobody needs them.

Dropping a managed table deletes its files; replacing it by a version leaves them, because readers
may be on them. The record of the version remembers where they are. Only ``ctas_vacuum`` deletes
them, and only the default directory of the table. Any doubt keeps them, and a warning says so.
"""

import logging
import posixpath
import re
from dataclasses import dataclass, replace
from urllib.parse import unquote

from ..context import TableName
from ..errors import MetastoreError
from ..retention.rules import RetentionRules
from ..steps import Step
from ..storage.client import emptied
from .base import FileBase
from .chain import Chain
from .directories import FOLDER
from .record import Record, moved, records_of
from .showing import places
from .table import FileTable

logger = logging.getLogger(__name__)

SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?")


@dataclass(frozen=True, slots=True)
class TookOver:
    """What versions of one target took over; a dry run only looks."""

    table: FileTable
    rules: RetentionRules
    dry_run: bool = False

    def free(self) -> list[str]:
        """Delete what may go of what the target's records remember; the directories.

        Raises:
            MetastoreError, StorageError: the target or the storage did not answer.
        """
        # before the target: what it shows by then is in its lineage
        records = records_of(self.table)
        base = self.table.look()
        if base.marker is None:
            return []
        lineage = base.marker.lineage
        found = [one for one in records if one.took_over and lineage.has_version(one.version)]
        return [one.took_over or "" for one in found if self._is_freed(one, base)]

    def _is_freed(self, record: Record, base: FileBase) -> bool:
        directory = record.took_over or ""
        if not self._is_past_grace(record, base):
            return False
        reason = self._reason_to_stay(record, directory)
        if reason is not None:
            say_they_stay(self.table.name, directory, reason)
            return False
        if self.dry_run:
            return True
        with self.table.report.within(Step.DELETE_FILES):
            is_empty = emptied(self.table.services.storage, directory)
        if is_empty:
            moved(self.table, replace(record, took_over=None), record)
            said = "files of the table that %s replaced were deleted: %s"
            logger.info(said, self.table.name, directory)
        return is_empty

    def _is_past_grace(self, record: Record, base: FileBase) -> bool:
        """It runs from the first publication of the version that replaced the managed table."""
        now = self.table.services.now_ms(record.root)
        landed_ms = Chain.of(base, (), now).first_landed_ms(record.version)
        return landed_ms is not None and now - landed_ms >= self.rules.grace_ms

    def _reason_to_stay(self, record: Record, directory: str) -> str | None:
        """Looked up just before the deletion."""
        target, metastore = self.table.name, self.table.metastore
        schema = metastore.database_location(target.database)
        if schema is None or not is_same(directory, f"{schema}/{target.table}"):
            return "it is not the directory that Spark gives to a table of that name"
        if FOLDER in self.table.services.storage.children(directory):
            return f"it holds versions, in {FOLDER}"
        try:
            there = (one for one in places(metastore) if lies_within(one.location, directory))
            found = next(there, None)
        except MetastoreError as error:
            return f"not every table could be looked at ({error.what})"
        if found is not None:
            return f"{found.what} lies there"
        marker = self.table.look().marker
        if marker is None or not marker.lineage.has_version(record.version):
            return "another table has the name by now"
        return None


def say_they_stay(target: TableName, directory: str, reason: str) -> None:
    """Warn that only the user can delete them."""
    logger.warning(
        "%s: files of the table that it replaced stay in %s, because %s; delete them by hand when "
        "nobody needs them",
        target,
        directory,
        reason,
    )


def is_same(one: str, other: str) -> bool:
    """True if both paths are one, by whatever spelling."""
    return bool(_spellings(one) & _spellings(other))


def lies_within(location: str, directory: str) -> bool:
    """True if the location is the directory or below it, by whatever spelling."""
    return any(
        path == above or path.startswith(f"{above}/")
        for path in _spellings(location)
        for above in _spellings(directory)
    )


def _spellings(location: str) -> set[str]:
    """The path without scheme and authority: as it is, and with its escapes read."""
    path = SCHEME.sub("", location)
    return {posixpath.normpath(spelling) for spelling in (path, unquote(path))}
