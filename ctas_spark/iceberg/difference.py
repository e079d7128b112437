"""A fork's difference against its base, replayed on the target: one metadata commit.

To hand a fork's own metadata to the target's commit does nothing on a REST catalog, which sends
changes and not metadata.
"""

import json
from collections.abc import Mapping
from typing import Any

from ..publish.version import CannotReplayError
from .facts import MAIN, TableFacts
from .loaded import LoadedTable, core_errors

NUMBERS_ITS_ROWS = 3


def replayed(
    over: LoadedTable, fork: LoadedTable, begun: TableFacts | None, properties: Mapping[str, str]
) -> Any:
    """The metadata to commit over ``over``.

    Args:
        begun: the base that the fork was made from; None if it was made from nothing.
        properties: all that the target is to have.

    Raises:
        CannotReplayError: the target's ids have come to mean something else.
    """
    with core_errors("put the staged version on the target"):
        builder = _shaped(over, fork, begun)
        _add_snapshots(builder, over, fork, begun)
        set_properties(builder, over, properties)
        metadata = builder.build()
        _check(metadata, fork)
    return metadata


def _shaped(over: LoadedTable, fork: LoadedTable, begun: TableFacts | None) -> Any:
    """The target with the fork's last schema, and its own specs, in their order: ids agree.

    Comments on columns are schemas of their own on the fork, and the target gets the last alone.
    """
    builder = over.builder()
    name_what_was_seen(builder, over)
    if fork.facts.format_version > over.facts.format_version:
        builder.upgradeFormatVersion(fork.facts.format_version)
    last_column = max(fork.metadata.lastColumnId(), over.metadata.lastColumnId())
    builder.setCurrentSchema(fork.metadata.schema(), last_column)
    for spec in _added(fork.facts, begun, "partition-specs", "spec-id"):
        builder.addPartitionSpec(fork.metadata.spec(spec))
    builder.setDefaultPartitionSpec(fork.metadata.spec())
    builder.setDefaultSortOrder(fork.metadata.sortOrder())
    return builder


def name_what_was_seen(builder: Any, seen: LoadedTable) -> None:
    """Have a REST server compare schema, partition spec and sort order with those of the base.

    It compares what a commit names, and the builder does not name what stays.
    """
    update = seen.packages.org.apache.iceberg.MetadataUpdate
    reflect = seen.packages.org.apache.commons.lang3.reflect.FieldUtils
    changes = reflect.readField(builder, "changes", True)
    changes.add(update.SetCurrentSchema(seen.metadata.currentSchemaId()))
    changes.add(update.SetDefaultPartitionSpec(seen.metadata.defaultSpecId()))
    changes.add(update.SetDefaultSortOrder(seen.metadata.defaultSortOrderId()))


def _added(fork: TableFacts, begun: TableFacts | None, listed: str, key: str) -> list[int]:
    """The ids that the fork added, in their order: to walk a list in the JVM takes many calls."""
    inherited = {one[key] for one in begun.document.get(listed, ())} if begun else ()
    ids = (int(one[key]) for one in fork.document.get(listed, ()))
    return [one for one in ids if one not in inherited]


def _add_snapshots(
    builder: Any, over: LoadedTable, fork: LoadedTable, begun: TableFacts | None
) -> None:
    """All that the fork added; over another base the last alone, whose number is high enough."""
    is_begun = begun is not None and begun.contents == over.facts.contents
    numbers_rows = fork.facts.format_version >= NUMBERS_ITS_ROWS
    if numbers_rows and over.facts.next_row != (begun.next_row if begun else None):
        raise CannotReplayError(
            "format version 3 numbers a table's rows, and the other writer's rows have the same "
            "numbers"
        )
    wanted = _own(fork, begun) if is_begun or numbers_rows else [fork.metadata.currentSnapshot()]
    schema = _shaped(over, fork, begun).build().currentSchemaId()
    wanted = [with_schema(fork, one, schema) for one in wanted]
    for snapshot in wanted[:-1]:
        if is_begun or snapshot.parentId() is None:  # others' numbers may be too low by now
            builder.addSnapshot(snapshot)
    builder.setBranchSnapshot(wanted[-1], MAIN)


def _own(fork: LoadedTable, begun: TableFacts | None) -> list[Any]:
    """The snapshots that the fork added, the current one last."""
    own = _added(fork.facts, begun, "snapshots", "snapshot-id")
    return [fork.metadata.snapshot(one) for one in sorted(own, key=fork.facts.main.__eq__)]


def with_schema(table: LoadedTable, snapshot: Any, schema_id: int) -> Any:
    """The snapshot under the id that its schema got: the old id may be another's, or nobody's."""
    if snapshot.schemaId() == schema_id:
        return snapshot
    parser = table.packages.org.apache.iceberg.SnapshotParser
    document = json.loads(str(parser.toJson(snapshot)))
    return parser.fromJson(json.dumps({**document, "schema-id": schema_id}))


def set_properties(builder: Any, over: LoadedTable, properties: Mapping[str, str]) -> None:
    """Leave the table with those properties and no other."""
    before = over.facts.properties
    builder.setProperties({k: v for k, v in properties.items() if before.get(k) != v})
    builder.removeProperties(before.keys() - properties.keys())


def _check(metadata: Any, fork: LoadedTable) -> None:
    """Readers of the target have to get what readers of the fork got."""
    if not metadata.schema().sameSchema(fork.metadata.schema()):
        raise CannotReplayError("the target's columns would not be the staged ones")
    if metadata.defaultSpecId() != fork.metadata.defaultSpecId():
        raise CannotReplayError("the other writer's partitioning has the same id as the staged one")
    if metadata.currentSnapshot().schemaId() != metadata.currentSchemaId():
        raise CannotReplayError("the other writer's columns have the same id as the staged ones")
