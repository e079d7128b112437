"""The commits that this adapter makes on a Delta table: a publication, or a fence."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dbt.adapters.ctas_spark.staging.delta import actions
from dbt.adapters.ctas_spark.staging.delta.calls import core_errors
from dbt.adapters.ctas_spark.staging.delta.marker import CommitMarker
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, LoadedTable
from dbt.adapters.ctas_spark.staging.errors import MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.metastore.jvm import scala

REMOVES_DATA = True
KEEPS_ITS_OWN = True


def publish(
    tables: DeltaTables, over: LoadedTable, staged: LoadedTable, marker: CommitMarker
) -> None:
    """Make the staged table's schema, layout, properties and files those of the target.

    The transaction has read the whole table at ``over``: what another commits meanwhile is a
    conflict. The files stay where they were staged, below the target's own directory.

    Raises:
        EntryModifiedError: another committed first.
        RefusedError: Delta refuses what was staged, or changes it.
        MetastoreError: the commit may or may not be in the log.
    """
    with _nothing_called():
        transaction = _begun(tables, over)
        transaction.readWholeTable()
        metadata = _action(tables, actions.new_metadata(over.facts, staged.facts))
        transaction.updateMetadataForNewTableInReplace(metadata)
        _check_kept(transaction, staged)
        changes = list(_changes(tables, over, staged, marker))
    with core_errors("commit"):
        operation = _operation(tables, transaction.metadata(), marker, builds=True)
        transaction.commit(scala.sequence(tables.packages, changes), operation)


def fence(tables: DeltaTables, table: LoadedTable, marker: CommitMarker) -> None:
    """Commit the same metadata again: every attempt over an older version is then refused.

    Raises:
        EntryModifiedError: another committed first.
        MetastoreError: the fence may or may not stand.
    """
    with core_errors("fence"):
        transaction = _begun(tables, table)
        transaction.updateMetadata(table.snapshot.metadata(), not KEEPS_ITS_OWN)
        operation = _operation(tables, table.snapshot.metadata(), marker, builds=False)
        transaction.commit(scala.sequence(tables.packages, ()), operation)


@contextmanager
def _nothing_called() -> Iterator[None]:
    """What fails before the commit has had no effect, whatever it was."""
    try:
        with core_errors("prepare the commit"):
            yield
    except RefusedError:
        raise
    except MetastoreError as error:
        raise RefusedError(str(error)) from error


def _begun(tables: DeltaTables, table: LoadedTable) -> Any:
    return table.log.startTransaction(table.entry, scala.some(tables.packages, table.snapshot))


def _check_kept(transaction: Any, staged: LoadedTable) -> None:
    accepted = json.loads(str(transaction.metadata().json()))["metaData"]
    lost = actions.lost(accepted, staged.facts.metadata)
    if lost:
        raise RefusedError(f"Delta would not publish as it was staged: {', '.join(lost)}")


def _changes(
    tables: DeltaTables, over: LoadedTable, staged: LoadedTable, marker: CommitMarker
) -> Iterator[Any]:
    for file in over.files():
        yield file.removeWithTimestamp(marker.time_ms, REMOVES_DATA)
    for file in staged.files():
        yield _action(tables, actions.moved(json.loads(str(file.json()))["add"], marker.version))
    for action in actions.new_domains(over.domains(), staged.domains()):
        yield _action(tables, action)


def _action(tables: DeltaTables, action: actions.Action) -> Any:
    made = tables.packages.org.apache.spark.sql.delta.actions.Action
    return made.fromJson(json.dumps(action))


def _operation(tables: DeltaTables, metadata: Any, marker: CommitMarker, *, builds: bool) -> Any:
    """Delta's REPLACE TABLE, which carries user metadata: a session's setting is all threads'."""
    java = tables.packages
    made = getattr(java.org.apache.spark.sql.delta, "DeltaOperations$ReplaceTable")
    is_managed, or_create = False, builds
    nothing = scala.none(java)
    text = scala.some(java, marker.to_text())
    rest = (nothing,) * 6
    return made(metadata, is_managed, or_create, builds, text, *rest)
