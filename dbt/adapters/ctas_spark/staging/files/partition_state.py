"""Whether the metastore or the directories know a table's partitions: decided before any job.

Spark looks tracked partitions up by the table's name whenever a query is planned, also for a
session that resolved the table long ago. So a reader of the old version would get the new one's
partitions: with tracked partitions no publication is isolated.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    PartitionMetadata,
    StagingContext,
)
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, NotSupportedError
from dbt.adapters.ctas_spark.staging.files.base import PARTITION_PROVIDER, FileBase
from dbt.adapters.ctas_spark.staging.publish.locks import CommitLock

NOW_LISTED = (
    "its partitions were kept in the metastore; from now on they are found by listing, SHOW "
    "PARTITIONS is refused, and other engines find no rows"
)
NO_LOCK = (
    "the metastore has no lock tables (Hive's TxnDbUtil.prepDb makes them), and two writers could "
    "mix their partitions"
)
NO_JOB = "it is unchanged; no job was started"

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
    """What becomes of the partitions, and what a user should know of that."""

    state: PartitionState
    warning: str = ""


LISTED = PartitionPlan(PartitionState.FILES)


def plan_partitions(
    context: StagingContext, level: Atomicity, base: FileBase, find_lock: FindLock
) -> PartitionPlan:
    """Decide it over one base.

    Raises:
        NotSupportedError: ``tracked`` by name can't be kept.
        AtomicityNotSupportedError: ``tracked`` and ``isolated``, both by name.
    """
    asked = context.partition_metadata
    wanted = tuple(key.lower() for key in context.layout.partition_keys)
    kept = () if base.table is None else base.table.partition_keys
    changes_keys = base.table is not None and kept != wanted
    if asked is PartitionMetadata.TRACKED and wanted:
        _refuse_tracked(context, level, find_lock, kept if changes_keys else None)
        return PartitionPlan(PartitionState.PENDING)
    was_tracked = base.table is not None and PARTITION_PROVIDER in base.table.parameters
    if changes_keys:
        return PartitionPlan(PartitionState.FILES, _keeps_keys(kept, wanted))
    stays = was_tracked and asked is PartitionMetadata.AUTO and bool(wanted)
    if not stays:
        return PartitionPlan(PartitionState.FILES, NOW_LISTED if was_tracked and wanted else "")
    if context.atomicity is Atomicity.ISOLATED or _missing(wanted, level, find_lock):
        return PartitionPlan(PartitionState.FILES, NOW_LISTED)
    return PartitionPlan(PartitionState.PENDING)


def metastore_filters(partition_column: str) -> bool:
    """True if a query can filter by the column where the metastore is asked for partitions."""
    return FILTERED.fullmatch(partition_column) is not None


def _keeps_keys(kept: tuple[str, ...], wanted: tuple[str, ...]) -> str:
    return (
        f"its partition keys change from {list(kept)} to {list(wanted)}: Spark reads the new ones; "
        "Hive's own view of the table keeps the old ones as long as the table is not dropped"
    )


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
        raise AtomicityNotSupportedError(
            "atomicity: isolated can't be kept with partition_metadata: tracked: a session that "
            "resolved the table before asks the metastore for partitions and gets the new "
            "version's",
            table=context.target,
            left=NO_JOB,
            remedy="set partition_metadata: files, or atomicity: atomic",
        )


def _missing(keys: tuple[str, ...], level: Atomicity, find_lock: FindLock) -> str | None:
    if level is Atomicity.NONE:
        return "at atomicity none the table is filled in place"
    if find_lock() is None:
        return NO_LOCK
    unfiltered = [key for key in keys if not metastore_filters(key)]
    if unfiltered:
        return f"a metastore can't filter by the columns {unfiltered}"
    return None
