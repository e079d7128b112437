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
from .directories import FOLDER
from .record import Record, moved
from .table import FileTable
from .versions import places, records_of

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
        marker = self.table.look().marker
        if marker is None:
            return []
        published = (one for one in records if marker.lineage.has_version(one.version))
        return [one.took_over for one in published if one.took_over and self._is_freed(one)]

    def _is_freed(self, record: Record) -> bool:
        directory = record.took_over or ""
        noted = self._noted(record)
        if noted is None or not self._is_past_grace(noted):
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
            moved(self.table, replace(noted, took_over=None, took_over_ms=None), noted)
            said = "files of the table that %s replaced were deleted: %s"
            logger.info(said, self.table.name, directory)
        return is_empty

    def _noted(self, record: Record) -> Record | None:
        """The record with the time from which the grace runs; None if it is another's by now."""
        if record.took_over_ms is not None or self.dry_run:
            return record
        return moved(self.table, replace(record, took_over_ms=self._now(record)), record)

    def _is_past_grace(self, record: Record) -> bool:
        since = record.took_over_ms
        lived = 0 if since is None else self._now(record) - since
        return lived >= self.rules.grace_ms

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

    def _now(self, record: Record) -> int:
        return self.table.services.now_ms(record.root)


def say_they_stay(target: TableName, directory: str, reason: str) -> None:
    """Warn that only the user can delete them."""
    logger.warning(
        "%s: files of the table before it stay in %s, because %s; delete them by hand when "
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
