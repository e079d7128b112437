"""A new table out of a fork: its metadata is registered, or taken back again.

No comparison with a base stops a creation whose writer slept while a clean-up took its version.
So the writer reads its record again after the call.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryExistsError, MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.iceberg.facts import MAIN, TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.fork import METADATA_PATH, Fork, version_of_record
from dbt.adapters.ctas_spark.staging.iceberg.tables import (
    FilesGoneError,
    IcebergTables,
    LoadedTable,
)
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.publish.version import SweptError
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)

HISTORY_OF_FILES = ("metadata-log", "statistics", "partition-statistics")
OTHER_PLACE = "_elsewhere"
WITHDRAWN = "_withdrawn"


@contextmanager
def before_the_call() -> Iterator[None]:
    """Whatever fails here has committed nothing: RefusedError."""
    try:
        yield
    except RefusedError:
        raise
    except MetastoreError as error:
        raise RefusedError(str(error)) from error


@dataclass(frozen=True, slots=True)
class Creation:
    """One call that creates a target; ``commit`` is its commit id."""

    tables: IcebergTables
    report: StepReport
    record: TableName
    target: TableName
    commit: str

    def make(self, fork: LoadedTable, metadata: str) -> None:
        """Write the new table's metadata, register it, look at the fork again.

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
        failure = self._register(fork, path)
        swept = self._find_swept(fork)
        if swept is not None:
            with self.report.within(Step.TAKE_BACK):
                self._take_back(path)
        ended = failure or swept
        if ended is not None:
            raise ended

    @property
    def _file(self) -> str:
        return f"00000-{self.commit}.metadata.json"

    def _register(self, fork: LoadedTable, path: str) -> MetastoreError | None:
        """None, or why it is not known whether the entry is there."""
        try:
            register_new_table(self.tables, self.record, fork, self.target, path)
        except RefusedError:
            raise
        except MetastoreError as lost:
            return lost
        return None

    def _find_swept(self, fork: LoadedTable) -> SweptError | None:
        try:
            try:
                fork_to_publish(self.tables, self.record)
            except SweptError as swept:
                return None if self._is_forgotten(fork) else swept
        except MetastoreError as error:
            raise self._unknown(error) from error
        return None

    def _is_forgotten(self, fork: LoadedTable) -> bool:
        """True if a clean-up has seen the new table, so that only the record went.

        Otherwise the files go before the record.
        """
        try:
            if self.tables.find(self.record) is not None:
                return False
        except FilesGoneError:
            return False
        main = fork.facts.snapshots[fork.facts.document["refs"][MAIN]["snapshot-id"]]
        return fork.has_file(main.manifest_list)

    def _take_back(self, path: str) -> None:
        try:
            self._withdraw(path)
        except MetastoreError as error:
            raise self._unknown(error) from error

    def _withdraw(self, path: str) -> None:
        """Drop the new entry, if it still is what was registered.

        Nothing drops a name on a condition: so the entry first gets one that nobody else uses.
        """
        is_whole = self._is_whole(self.target, path)
        if is_whole is None:
            return
        if not is_whole:  # nobody has written to a table whose metadata is gone, or can rename it
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
        """True if what was registered has its metadata; None if there is no table.

        Raises:
            MetastoreError: it is not ours alone, or could not be found out.
        """
        try:
            found = self.tables.find(name)
        except FilesGoneError as error:
            if self._file not in str(error):
                raise
            return False
        if found is not None and found.facts.metadata_location != path:
            raise MetastoreError(
                "a clean-up took the version, and another has written to the new table since"
            )
        return None if found is None else True

    def _unknown(self, cause: MetastoreError) -> Exception:
        return messages.unknown(self.target, version_of_record(self.record), cause)


def fork_to_publish(tables: IcebergTables, record: TableName) -> LoadedTable:
    """The fork as it is now.

    Raises:
        SweptError: a clean-up has taken it, or removed it already.
    """
    try:
        found = tables.find(record)
    except FilesGoneError:
        found = None
    if found is None or Fork(record, found.facts).is_deleting:
        raise SweptError(f"a clean-up took {record}")
    return found


def register_new_table(
    tables: IcebergTables, record: TableName, staged: LoadedTable, target: TableName, path: str
) -> None:
    """Register a new table, whose location is so far that of the ``staged`` one.

    Raises:
        EntryExistsError: another has created the table.
        RefusedError: the catalog refuses it.
        MetastoreError: it may or may not have been made.
    """
    try:
        tables.register(target, path)
    except EntryExistsError:
        raise
    except RefusedError as refused:
        logger.debug("%s makes room for %s: %s", record, target, refused)
        _free_location(tables, record, staged)
        tables.register(target, path)


def metadata_of_creation(
    staged: TableFacts,
    properties: Mapping[str, str],
    *,
    own: frozenset[int],
    uuid: str,
    location: str,
) -> str:
    """JSON of a table that begins with its staged snapshots.

    Args:
        properties: what is published instead of the staged table's own.
        own: the snapshots that this version added; where it was staged over a table that was
            dropped since, the others' files may be gone.
        uuid: the new table's identity.
        location: its directory; the staged table may say another.
    """
    document: dict[str, Any] = {
        key: value for key, value in staged.document.items() if key not in HISTORY_OF_FILES
    }
    references = staged.document.get("refs", {})
    document["table-uuid"] = uuid
    document["location"] = location
    document["properties"] = dict(properties)
    document["refs"] = {MAIN: references[MAIN]}
    document["snapshots"] = _only(staged.document["snapshots"], own)
    document["snapshot-log"] = _only(staged.document["snapshot-log"], frozenset({staged.main}))
    return json.dumps(document)


def _free_location(tables: IcebergTables, record: TableName, staged: LoadedTable) -> None:
    """Change the location that the staged table says; none of its files moves."""
    try:
        free = TableName(record.database, f"{record.table}{OTHER_PLACE}", record.catalog)
        staged.say_location(tables.location_of_new(free))
    except MetastoreError as error:
        raise RefusedError(f"nothing was created: {error}") from error


def _only(
    listed: list[Mapping[str, Any]], wanted: frozenset[int] | frozenset[int | None]
) -> list[Mapping[str, Any]]:
    return [one for one in listed if one["snapshot-id"] in wanted]
