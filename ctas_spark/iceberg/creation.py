"""A new table out of a fork: its metadata is registered, or taken back again.

No comparison with a base stops a creation whose writer slept while a clean-up took its version.
So the writer reads its record again after the call.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..context import TableName
from ..errors import EntryExistsError, MetastoreError, RefusedError
from ..publish import messages
from ..publish.marker import version_named
from ..publish.version import SweptError, before_the_call
from ..steps import Step, StepReport
from .facts import MAIN, TableFacts
from .fork import METADATA_PATH, Fork, uuid_of_new
from .loaded import FilesGoneError, LoadedTable
from .tables import IcebergTables

logger = logging.getLogger(__name__)

HISTORY_OF_FILES = ("metadata-log", "statistics", "partition-statistics")
OTHER_PLACE = "_elsewhere"
WITHDRAWN = "_withdrawn"


@dataclass(frozen=True, slots=True)
class Creation:
    """One call that creates a target; ``commit`` is its commit id.

    ``drops_view`` says that a view is there, which goes first.
    """

    tables: IcebergTables
    report: StepReport
    record: TableName
    target: TableName
    commit: str
    drops_view: bool = False

    def make(self, fork: LoadedTable, metadata: str) -> LoadedTable:
        """Write the new table's metadata, register it, then look at the fork again, and return it.

        Raises:
            EntryExistsError: another has created the table.
            RefusedError: the catalog refuses it.
            SweptError: a clean-up took the version; the entry was taken back.
            CommitStateUnknownError: it could not be taken back, or not be found out.
            MetastoreError: it may or may not have been made.
        """
        path = f"{fork.facts.properties[METADATA_PATH]}/{self._file}"
        with before_the_call():
            self.tables.write_metadata(metadata, fork, path)
            if self.drops_view:
                logger.info("%s: the view that dbt clone has made of it is dropped", self.target)
                self.tables.drop_view(self.target)
        try:
            fork = self.register(fork, path)
        except RefusedError:
            raise
        except MetastoreError:
            self._take_back_if_swept(fork, path)
            raise
        if self._take_back_if_swept(fork, path):
            raise SweptError(f"a clean-up deleted {self.record}")
        return fork

    @property
    def _file(self) -> str:
        return f"00000-{self.commit}.metadata.json"

    def register(self, fork: LoadedTable, path: str) -> LoadedTable:
        """Register the new table, at the location that the fork has so far; the fork since then.

        Where the catalog refuses that, the fork says another location first: no file moves.
        """
        try:
            self.tables.register(self.target, path)
        except EntryExistsError:
            raise
        except RefusedError as refused:
            logger.debug("%s makes room for %s: %s", self.record, self.target, refused)
            try:
                free = replace(self.record, table=f"{self.record.table}{OTHER_PLACE}")
                fork = fork.say_location(self.tables.location_of_new(free))
            except MetastoreError as error:
                raise RefusedError(f"nothing was created: {error}") from error
            self.tables.register(self.target, path)
        return fork

    def _take_back_if_swept(self, fork: LoadedTable, path: str) -> bool:
        """False if the new entry stays."""
        try:
            if not self._is_swept(fork):
                return False
            with self.report.within(Step.TAKE_BACK):
                self._withdraw(path)
        except MetastoreError as error:
            version = version_named(self.record)
            raise messages.unknown(self.target, version, error) from error
        return True

    def _is_swept(self, fork: LoadedTable) -> bool:
        """True if a clean-up took the version: then the files go before the record.

        One that has seen the new table removes the record alone.
        """
        try:
            found = self.tables.find(self.record)
        except FilesGoneError:
            return True
        if found is not None:
            return Fork(self.record, found).is_deleting
        main = fork.facts.snapshots[fork.facts.document["refs"][MAIN]["snapshot-id"]]
        return not fork.has_file(main.manifest_list)

    def _withdraw(self, path: str) -> None:
        """Drop the new entry, if it still is what was registered.

        Nothing drops a name on a condition. So the entry first gets a name that nobody else uses.
        """
        is_whole = self._is_whole(self.target, path)
        if is_whole is None:
            return
        if not is_whole:  # nobody can write to or rename a table whose metadata is gone
            self.tables.drop_entry(self.target)
            return
        aside = replace(self.record, table=f"{self.record.table}{WITHDRAWN}")
        self.tables.rename(self.target, aside)
        try:
            self._is_whole(aside, path)
        except MetastoreError:
            self.tables.rename(aside, self.target)
            raise
        self.tables.drop_entry(aside)

    def _is_whole(self, name: TableName, path: str) -> bool | None:
        """True if its metadata is there; None without a table; an error if not ours alone."""
        try:
            found = self.tables.find(name)
        except FilesGoneError as error:
            if self._file not in str(error):
                raise
            return False
        if found is not None and found.facts.metadata_location != path:
            raise MetastoreError(
                "a clean-up deleted the version, and another writer has changed the new table since"
            )
        return None if found is None else True


def fork_to_publish(tables: IcebergTables, record: TableName) -> LoadedTable:
    """The fork as it is now; SweptError if a clean-up has taken it, or removed it already."""
    try:
        found = tables.find(record)
    except FilesGoneError:
        found = None
    if found is None or Fork(record, found).is_deleting:
        raise SweptError(f"a clean-up deleted {record}")
    return found


def metadata_of_creation(
    staged: TableFacts,
    version: str,
    begun: TableFacts | None,
    location: str,
    properties: Mapping[str, str],
) -> str:
    """JSON of a table that begins with the snapshots that ``version`` added.

    Args:
        begun: the table over which it was staged, if any; it was dropped, maybe with its files.
        location: the new table's directory; the staged table may say another.
        properties: what is published instead of the staged table's own.
    """
    inherited = begun.snapshots.keys() if begun else ()
    document = staged.document
    listed, log = document["snapshots"], document["snapshot-log"]
    new = {
        **{key: value for key, value in document.items() if key not in HISTORY_OF_FILES},
        "table-uuid": uuid_of_new(staged, version) if begun else staged.uuid,
        "location": location,
        "properties": dict(properties),
        "refs": {MAIN: document["refs"][MAIN]},
        "snapshots": [one for one in listed if one["snapshot-id"] not in inherited],
        "snapshot-log": [one for one in log if one["snapshot-id"] == staged.main],
    }
    return json.dumps(new)
