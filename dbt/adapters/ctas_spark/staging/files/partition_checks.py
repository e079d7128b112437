"""Whether the metastore is to keep a table's partitions: decided before any job.

Spark looks partitions that are tracked up by the table's name whenever a query is planned, also for
a session that resolved the table long ago. So a reader of the old version would get the new one's
partitions: with tracked partitions no publication is isolated, and ``auto`` lists directories.
"""

import logging
import re
from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.context import Atomicity, PartitionMetadata, StagingContext
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, NotSupportedError
from dbt.adapters.ctas_spark.staging.files.locks import CommitLock
from dbt.adapters.ctas_spark.staging.files.publication import PartitionState

LISTED = "%s: its partitions are found by listing (partition_metadata: files): %s"
NOT_ISOLATED = (
    "%s: with partition_metadata: tracked it is published at atomicity atomic: a session that "
    "resolved it before reads the new version's partitions with the old schema"
)

logger = logging.getLogger(__name__)

FindLock = Callable[[], CommitLock | None]

# Identifier in Hive's Filter.g: a query's "where" fails on any other column of a tracked table.
FILTERED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*")


def with_partitions(
    context: StagingContext, level: Atomicity, find_lock: FindLock
) -> tuple[Atomicity, PartitionState]:
    """The level that is left, and ``PENDING`` where the partitions are to be tracked.

    Raises:
        NotSupportedError: ``tracked`` by name can't be kept.
        AtomicityNotSupportedError: ``tracked`` and ``isolated``, both by name.
    """
    asked = context.partition_metadata
    if not context.layout.partition_by or asked is PartitionMetadata.FILES:
        return level, PartitionState.FILES
    if asked is PartitionMetadata.AUTO and level is Atomicity.ISOLATED:
        return level, PartitionState.FILES
    missing = _missing(context, level, find_lock)
    if asked is PartitionMetadata.TRACKED:
        _refuse_tracked(context, missing)
    elif missing is not None:
        logger.info(LISTED, context.target, missing)
        return level, PartitionState.FILES
    if level is Atomicity.ISOLATED:
        logger.warning(NOT_ISOLATED, context.target)
    return Atomicity.ATOMIC, PartitionState.PENDING


def _refuse_tracked(context: StagingContext, missing: str | None) -> None:
    if missing is not None:
        raise NotSupportedError(
            f"partition_metadata: tracked can't be kept: {missing}",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy="set partition_metadata: files (reads are the same; SHOW PARTITIONS is refused)",
        )
    if context.atomicity is Atomicity.ISOLATED:
        raise AtomicityNotSupportedError(
            "atomicity: isolated can't be kept with partition_metadata: tracked: a session that "
            "resolved the table before asks the metastore for partitions and gets the new "
            "version's",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy="set partition_metadata: files, or atomicity: atomic",
        )


def metastore_filters(partition_column: str) -> bool:
    """True if a query can filter by the column where the metastore is asked for partitions."""
    return FILTERED.fullmatch(partition_column) is not None


def _missing(context: StagingContext, level: Atomicity, find_lock: FindLock) -> str | None:
    if level is Atomicity.NONE:
        return "at atomicity none the table is filled in place"
    if find_lock() is None:
        return (
            "the metastore has no lock tables (Hive's TxnDbUtil.prepDb makes them), and two "
            "writers could mix their partitions"
        )
    unfiltered = [key for key in context.layout.partition_by if not metastore_filters(key)]
    if unfiltered:
        return f"a metastore can't filter by the columns {unfiltered}"
    return None
