"""A fork's difference against its base, replayed on the target: one metadata commit.

To hand a fork's own metadata to the target's commit does nothing on a REST catalog, which sends
changes and not metadata.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryExistsError, MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.iceberg.facts import MAIN, TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.fork import METADATA_PATH, Fork, version_of_record
from dbt.adapters.ctas_spark.staging.iceberg.tables import (
    FilesGoneError,
    IcebergTables,
    LoadedTable,
    core_errors,
)
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.publish.version import CannotReplayError, SweptError
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)

HISTORY_OF_FILES = ("metadata-log", "statistics", "partition-statistics")
OTHER_PLACE = "_elsewhere"


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
        self.tables.write_metadata(metadata, fork, path)
        failure = self._register(fork, path)
        swept = self._find_swept()
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

    def _find_swept(self) -> SweptError | None:
        try:
            fork_to_publish(self.tables, self.record)
        except SweptError as swept:
            return swept
        except MetastoreError as error:
            raise self._unknown(error) from error
        return None

    def _take_back(self, path: str) -> None:
        """Drop the new entry, if it still is what was registered."""
        try:
            if self._is_what_was_registered(path):
                self.tables.drop_entry(self.target)
        except MetastoreError as error:
            raise self._unknown(error) from error

    def _is_what_was_registered(self, path: str) -> bool:
        """False if there is no table; MetastoreError if it is not ours alone."""
        try:
            found = self.tables.find(self.target)
        except FilesGoneError as error:
            if self._file not in str(error):
                raise
            return True
        if found is not None and found.facts.metadata_location != path:
            raise MetastoreError(
                "a clean-up took the version, and another has written to the new table since"
            )
        return found is not None

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


NUMBERS_ITS_ROWS = 3


def replayed(
    packages: Any,
    over: LoadedTable,
    fork: LoadedTable,
    begun: TableFacts | None,
    properties: Mapping[str, str],
) -> Any:
    """The metadata to commit over ``over``.

    Args:
        begun: the base that the fork was made from; None if it was made from nothing.
        properties: all that the target is to have.

    Raises:
        CannotReplayError: the target's ids have come to mean something else.
    """
    with core_errors("put the staged version on the target"):
        builder = _shaped(packages, over, fork, begun)
        _snapshots(packages, builder, over, fork, begun)
        _properties(packages, builder, over.facts.properties, properties)
        metadata = builder.build()
        _check(metadata, fork)
    return metadata


def commit(over: LoadedTable, metadata: Any) -> None:
    """The one call, conditional on ``over``.

    Raises:
        EntryModifiedError, EntryMissingError: refused by name.
        MetastoreError: its fate is not known.
    """
    with core_errors("commit the target's metadata"):
        over.operations.commit(over.metadata, metadata)


def _shaped(packages: Any, over: LoadedTable, fork: LoadedTable, begun: TableFacts | None) -> Any:
    """The target with the fork's own schemas and specs, in their order, so that ids agree."""
    builder = packages.org.apache.iceberg.TableMetadata.buildFrom(over.metadata)
    if fork.facts.format_version > over.facts.format_version:
        builder.upgradeFormatVersion(fork.facts.format_version)
    schemas = _ids(begun, "schemas", "schema-id")
    for schema in fork.metadata.schemas():
        if schema.schemaId() not in schemas:
            builder.addSchema(schema)
    builder.setCurrentSchema(fork.metadata.schema(), fork.metadata.lastColumnId())
    specs = _ids(begun, "partition-specs", "spec-id")
    for spec in fork.metadata.specs():
        if spec.specId() not in specs:
            builder.addPartitionSpec(spec)
    builder.setDefaultPartitionSpec(fork.metadata.spec())
    builder.setDefaultSortOrder(fork.metadata.sortOrder())
    return builder


def _ids(table: TableFacts | None, listed: str, key: str) -> set[int]:
    return {one[key] for one in table.document.get(listed, ())} if table else set()


def _snapshots(
    packages: Any, builder: Any, over: LoadedTable, fork: LoadedTable, begun: TableFacts | None
) -> None:
    """All that the fork added; over another base the last alone, whose number is high enough."""
    is_begun = begun is not None and begun.contents == over.facts.contents
    numbers_rows = fork.facts.format_version >= NUMBERS_ITS_ROWS
    if numbers_rows and _next_row(over.facts) != (_next_row(begun) if begun else None):
        raise CannotReplayError(
            "format version 3 numbers a table's rows, and another's rows have the same numbers"
        )
    wanted = _own(fork, begun) if is_begun or numbers_rows else [fork.metadata.currentSnapshot()]
    if not is_begun:
        schema = _shaped(packages, over, fork, begun).build().currentSchemaId()
        wanted = [_with_schema(packages, one, schema) for one in wanted]
    for snapshot in wanted[:-1]:
        builder.addSnapshot(snapshot)
    builder.setBranchSnapshot(wanted[-1], MAIN)


def _own(fork: LoadedTable, begun: TableFacts | None) -> list[Any]:
    """The snapshots that the fork added, the current one last."""
    inherited = begun.snapshots.keys() if begun else set()
    own = [one for one in fork.metadata.snapshots() if one.snapshotId() not in inherited]
    return sorted(own, key=lambda one: bool(one.snapshotId() == fork.facts.main))


def _next_row(table: TableFacts) -> int:
    return int(table.document.get("next-row-id", 0))


def _with_schema(packages: Any, snapshot: Any, schema_id: int) -> Any:
    """The snapshot under the id that its schema got; a rival's schema may have taken the old id."""
    parser = packages.org.apache.iceberg.SnapshotParser
    document = json.loads(str(parser.toJson(snapshot)))
    return parser.fromJson(json.dumps({**document, "schema-id": schema_id}))


def _properties(
    packages: Any, builder: Any, before: Mapping[str, str], after: Mapping[str, str]
) -> None:
    changed, gone = packages.java.util.HashMap(), packages.java.util.HashSet()
    for key, value in after.items():
        if before.get(key) != value:
            changed.put(key, value)
    for key in before.keys() - after.keys():
        gone.add(key)
    builder.setProperties(changed)
    builder.removeProperties(gone)


def _check(metadata: Any, fork: LoadedTable) -> None:
    """Readers of the target have to get what readers of the fork got."""
    if not metadata.schema().sameSchema(fork.metadata.schema()):
        raise CannotReplayError("the target's columns would not be the staged ones")
    if metadata.defaultSpecId() != fork.metadata.defaultSpecId():
        raise CannotReplayError("another's partitioning has the id of the staged one")
    if metadata.currentSnapshot().schemaId() != metadata.currentSchemaId():
        raise CannotReplayError("another's columns have the id of the staged ones")
