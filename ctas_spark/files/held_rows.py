"""The base's rows that a version holds, too; no call can be conditional on the files of a table."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor

from ..errors import StorageError
from ..metastore.client import TableEntry
from ..publish import messages
from .base import FileBase
from .data_files import StoredRows, stored_rows
from .table import FileTable

logger = logging.getLogger(__name__)

LISTING = ThreadPoolExecutor(4, thread_name_prefix="ctas-spark-listing")
"""Threads that stay: each has a connection of its own to a server."""
ROWS_CAME_LATE = (
    "%s: another writer added %d files while this version was published over them. Their rows are "
    "not in the table now, but in %s: insert them again from there, or roll back"
)
LATE_ROWS_NOT_SOUGHT = (
    "%s: whether another writer added files while this version was published over them is not "
    "known: %s"
)


class HeldRows:
    """Listed before they are read, and again before and after they are replaced."""

    def __init__(self, table: FileTable, base: FileBase) -> None:
        self._table, self._base = table, base
        self._listed = self._list()
        self._again: Future[StoredRows | None] | None = None

    def list_again(self) -> None:
        """Begin the listing that ``are_still_those_of`` goes by, beside other work."""
        self._again = LISTING.submit(self._list)

    def are_still_those_of(self, entry: TableEntry | None) -> bool:
        """True if the files of the base, which ``entry`` is, are what they were."""
        if self._listed is None or entry is None:
            return True
        listed, self._again = self._again, None
        return (listed.result() if listed else self._stored(entry)) == self._listed

    def warn_of_late_rows(self) -> None:
        """Between the last listing and the call that publishes, some may come."""
        if self._listed is None or self._base.table is None:
            return
        target = self._table.context.target
        try:
            came = self._listed.came_since(self._table.services.storage)
        except StorageError as error:
            logger.warning(LATE_ROWS_NOT_SOUGHT, target, error.what)
            return
        if came:
            base = self._base
            where = f"version {base.version}" if base.version else str(self._base.table.location)
            logger.warning(ROWS_CAME_LATE, target, len(came), where)

    def _list(self) -> StoredRows | None:
        """None if there is no base."""
        return None if self._base.table is None else self._stored(self._base.table)

    def _stored(self, entry: TableEntry) -> StoredRows:
        services = self._table.services
        return stored_rows(services.metastore, services.storage, entry)


def held_rows(table: FileTable, base: FileBase) -> HeldRows:
    """List the rows of a base.

    Raises:
        StorageError, MetastoreError: they could not be listed.
    """
    try:
        return HeldRows(table, base)
    except StorageError as error:
        raise messages.base_not_listed(table.context.target, error) from error
