"""Delete the files of a managed table that a version took over, once nobody needs them.

Dropping a managed table deletes its files; replacing it by a version leaves them, because readers
may be on them. The record of the version remembers where they are. Only ``ctas_vacuum`` deletes
them, and only the default directory of the table. Any doubt keeps them, and a warning says so.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..context import TableName
from ..errors import MetastoreError
from ..retention.rules import RetentionRules
from ..steps import Step
from ..storage.client import emptied
from .base import FileBase
from .chain import Chain
from .directories import FOLDER
from .places import is_same
from .record import Record
from .table import FileTable

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TookOver:
    """What versions of one target took over; a dry run only looks.

    ``forget`` is told of a record whose directory is gone.
    """

    table: FileTable
    rules: RetentionRules
    forget: Callable[[Record], object]
    dry_run: bool = False

    def free(self, records: Iterable[Record]) -> list[str]:
        """Delete what may go of what the target's records remember; the directories.

        Raises:
            MetastoreError, StorageError: the target or the storage did not answer.
        """
        remembering = [one for one in records if one.took_over]
        if not remembering:
            return []
        base = self.table.look()  # after the records: what it shows by then is in its lineage
        if base.marker is None:
            return []
        has_version = base.marker.lineage.has_version
        found = [one for one in remembering if has_version(one.version)]
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
            self.forget(record)
            said = "files of the table that %s replaced were deleted: %s"
            logger.info(said, self.table.name, directory)
        return is_empty

    def _is_past_grace(self, record: Record, base: FileBase) -> bool:
        """It runs from the first publication of the version that replaced the managed table."""
        now = self.table.services.now_ms(record.root)
        landed_ms = Chain.of(base, (), now).first_landed_ms(record.version)
        return landed_ms is not None and now - landed_ms >= self.rules.grace_ms

    def _reason_to_stay(self, record: Record, directory: str) -> str | None:
        """By the search for all that was taken, and by the target as it is now."""
        target, metastore = self.table.name, self.table.metastore
        schema = metastore.database_location(target.database)
        if schema is None or not is_same(directory, f"{schema}/{target.table}"):
            return "it is not the directory that Spark gives to a table of that name"
        if FOLDER in self.table.services.storage.children(directory):
            return f"it holds versions, in {FOLDER}"
        try:
            found = self.table.services.search.found().first_within(directory)
        except MetastoreError as error:
            return f"not every table could be looked at ({error.what})"
        if found is not None:
            return f"{found} lies there"
        marker = self.table.look().marker
        if marker is None or not marker.lineage.has_version(record.version):
            return "another table has that name now"
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
