"""What one metastore call over a base keeps: of its partitions, and of the promise to others.

Spark looks tracked partitions up by the table's name whenever a query is planned, also for a
session that resolved the table long ago. So a reader of the old version would get the new one's
partitions: with tracked partitions no publication is isolated.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from ..context import Atomicity, PartitionMetadata, StagingContext
from ..errors import NotSupportedError
from ..metastore.client import TableEntry
from ..publish.locks import CommitLock
from ..publish.messages import NO_JOB, unsupported
from ..publish.version import Reach
from .base import PARTITION_PROVIDER, PARTITIONS, SCHEMA, FileBase
from .table import FileTable

CREATE = "create"
SWAP = "swap"

NOW_LISTED = (
    "its partitions were kept in the metastore; from now on they are found by listing directories, "
    "SHOW PARTITIONS is refused, and other engines find no rows"
)
MANAGES = "spark.sql.hive.manageFilesourcePartitions"
NOT_MANAGED = f"Spark keeps no partitions in the metastore here ({MANAGES} is false)"
NO_LOCK = (
    "the metastore has no lock tables (Hive's TxnDbUtil.prepDb makes them), and two writers could "
    "mix their partitions"
)
BY_TRACKED = (
    "a session that resolved the table before asks the metastore for its partitions, and gets the "
    "new version's with the old schema"
)
BY_MIXED_READS = (
    "schema, format or partition columns change, and one read of this remote metastore may mix "
    "two versions: the schema of one with the directory of the other"
)
DECLARE = (
    "set metastore_reads: repeatable in the profile, if the metastore's database reads repeatably "
    "(datanucleus.transactionIsolation=repeatable-read on the server); or atomicity: auto"
)

# Identifier in Hive's Filter.g: a query's "where" fails on any other column of a tracked table.
FILTERED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*")

FindLock = Callable[[], CommitLock | None]


class PartitionState(str, Enum):
    """Where Spark finds a target's partitions; ``PENDING``: in the directories until tracked."""

    FILES = "files"
    PENDING = "pending"
    TRACKED = "tracked"


@dataclass(frozen=True, slots=True)
class PartitionPlan:
    """What becomes of the partitions, and what a user should know of that.

    ``is_default``: nobody has chosen it yet for a table that is new.
    """

    state: PartitionState
    warning: str = ""
    is_default: bool = False


def plan_partitions(
    context: StagingContext, level: Atomicity, base: FileBase, find_lock: FindLock
) -> PartitionPlan:
    """Decide it over one base.

    Raises:
        NotSupportedError: ``tracked`` by name can't be kept.
        AtomicityNotSupportedError: ``tracked`` and ``isolated``, both by name.
    """
    asked, wanted = context.partition_metadata, context.layout.partition_keys
    kept = base.table.partition_keys if base.table and base.changes_keys(wanted) else None
    if asked is PartitionMetadata.TRACKED and wanted:
        _refuse_tracked(context, level, find_lock, kept)
        return PartitionPlan(PartitionState.PENDING)
    if kept is not None:
        return PartitionPlan(
            PartitionState.FILES,
            f"its partition keys change from {list(kept)} to {[key.lower() for key in wanted]}: "
            "Spark reads the new ones; Hive's own view of the table keeps the old ones until the "
            "table is dropped",
        )
    was_tracked = base.table and (PARTITION_PROVIDER in base.table.parameters or is_pending(base))
    if not (wanted and was_tracked):
        is_default = bool(wanted) and base.table is None and asked is PartitionMetadata.AUTO
        return PartitionPlan(PartitionState.FILES, is_default=is_default)
    is_isolated = context.atomicity is Atomicity.ISOLATED
    if asked is PartitionMetadata.FILES or is_isolated or _missing(wanted, level, find_lock):
        return PartitionPlan(PartitionState.FILES, NOW_LISTED)
    return PartitionPlan(PartitionState.PENDING)


def as_staged(planned: PartitionPlan, asked: StagingContext | None) -> PartitionPlan:
    """The plan for a version that Spark has staged with no partitions in the metastore.

    Raises:
        NotSupportedError: this model asks for ``tracked`` by name.
    """
    if planned.state is PartitionState.FILES:
        return planned
    if asked is not None and asked.partition_metadata is PartitionMetadata.TRACKED:
        raise NotSupportedError(
            f"partition_metadata: tracked can't be kept: {NOT_MANAGED}",
            table=asked.target,
            left="it is unchanged",
            remedy=f"set {MANAGES} to true, or partition_metadata: files",
        )
    return PartitionPlan(PartitionState.FILES, f"{NOT_MANAGED}: {NOW_LISTED}")


def is_pending(base: FileBase) -> bool:
    """True if a publication's partitions are to be tracked, and its run did not get to it."""
    if base.entry is None or base.marker is None:
        return False
    return base.entry.parameters.get(PARTITIONS) == PartitionState.PENDING.value


def metastore_filters(partition_column: str) -> bool:
    """True if a query can filter by the column where the metastore is asked for partitions."""
    return FILTERED.fullmatch(partition_column) is not None


def over(
    table: FileTable, base: FileBase, partitions: PartitionPlan, staged: TableEntry | None
) -> Reach:
    """The reach of a publication.

    Args:
        staged: the staged entry, once it is there.

    Raises:
        AtomicityNotSupportedError: the base has nothing that a compare-and-swap could expect.
    """
    able = table.services.capabilities
    found = Reach(
        able.reaches,
        CREATE if base.entry is None else SWAP,
        missing=able.missing,
        remedy=able.remedy,
        warning=partitions.warning,
        hides_partitions=partitions.is_default,
    )
    if base.entry is None:
        return found
    if table.services.conditional and base.expectation is None:
        what = "its entry has no transient_lastDdlTime to compare"
        remedy = "ALTER TABLE ... SET TBLPROPERTIES with any property gives it one"
        raise unsupported(table.name, what, remedy)
    if partitions.state is not PartitionState.FILES:
        return _mixed(found, BY_TRACKED, "set partition_metadata: files")
    if table.services.mixes_reads and _changes_shape(table.context, base.entry, staged):
        return _mixed(found, BY_MIXED_READS, DECLARE)
    return found


def has_left(base: FileBase, after: FileBase) -> bool:
    """True if the marker moved on from our base by others' commits that we can all see.

    Our request, if it is still under way, is then refused: the value that it expects is gone.
    """
    marker = after.marker
    if marker is None or base.entry is None:
        return False
    if base.marker is None:
        return marker.is_whole
    return marker.commit != base.marker.commit and base.marker.commit in marker.lineage


def _refuse_tracked(
    context: StagingContext,
    level: Atomicity,
    find_lock: FindLock,
    kept: tuple[str, ...] | None,
) -> None:
    missing = _missing(context.layout.partition_keys, level, find_lock)
    if kept is not None:
        missing = f"the partition keys change from {list(kept)}, which no metastore call can do"
    if missing is not None:
        raise NotSupportedError(
            f"partition_metadata: tracked can't be kept: {missing}",
            table=context.target,
            left=NO_JOB,
            remedy="set partition_metadata: files (reads are the same; SHOW PARTITIONS is refused)"
            + ("; or drop the table first" if kept is not None else ""),
        )
    if context.atomicity is Atomicity.ISOLATED:
        raise unsupported(
            context.target,
            "atomicity: isolated can't be kept with partition_metadata: tracked: a session that "
            "resolved the table before asks the metastore for partitions and gets those of "
            "the new version",
            "set partition_metadata: files, or atomicity: atomic",
        )


def _missing(keys: tuple[str, ...], level: Atomicity, find_lock: FindLock) -> str | None:
    if level is Atomicity.NONE:
        return "at atomicity none the table is filled in place"
    if find_lock() is None:
        return NO_LOCK
    unfiltered = [key for key in keys if not metastore_filters(key)]
    return f"a metastore can't filter by the columns {unfiltered}" if unfiltered else None


def _mixed(found: Reach, missing: str, remedy: str) -> Reach:
    atomic = Atomicity.ATOMIC
    return replace(found, level=atomic, reader_window="mixed", missing=missing, remedy=remedy)


def _changes_shape(context: StagingContext, base: TableEntry, staged: TableEntry | None) -> bool:
    """True if a read that mixes both versions would not be one of them."""
    wanted = [key.lower() for key in context.layout.partition_keys]
    if base.is_view or [key.lower() for key in base.partition_columns] != wanted:
        return True
    if base.provider != context.layout.file_format.lower():
        return True
    return staged is not None and _shape(base) != _shape(staged)


def _shape(entry: TableEntry) -> dict[str, str]:
    """All that Spark reads the schema from."""
    return {key: value for key, value in entry.parameters.items() if key.startswith(SCHEMA)}
