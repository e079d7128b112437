"""Whether the metastore is to keep a table's partitions: decided before any job."""

import logging
import re

from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    PartitionMetadata,
    StagingContext,
)
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.locks import CommitLock
from dbt.adapters.ctas_spark.staging.publication import PartitionState

logger = logging.getLogger(__name__)

# Identifier in Hive's Filter.g: a query's "where" fails on any other column of a tracked table.
FILTERED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*")


def partitions_after(
    context: StagingContext, level: Atomicity, lock: CommitLock | None
) -> PartitionState:
    """``PENDING`` where they are to be tracked; ``auto`` says what it settles for otherwise.

    Raises:
        StagingError: ``tracked`` by name can't be kept.
    """
    if not context.layout.partition_by or context.partition_metadata is PartitionMetadata.FILES:
        return PartitionState.FILES
    missing = _missing(context, level, lock)
    if missing is None:
        return PartitionState.PENDING
    if context.partition_metadata is PartitionMetadata.TRACKED:
        raise StagingError(
            f"partition_metadata: tracked can't be kept: {missing}",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy="set partition_metadata: files (reads are the same; SHOW PARTITIONS is refused)",
        )
    logger.info(
        "%s: its partitions are found by listing (partition_metadata: files): %s",
        context.target,
        missing,
    )
    return PartitionState.FILES


def metastore_filters(partition_column: str) -> bool:
    """True if a query can filter by the column where the metastore is asked for partitions."""
    return FILTERED.fullmatch(partition_column) is not None


def _missing(context: StagingContext, level: Atomicity, lock: CommitLock | None) -> str | None:
    if level is Atomicity.NONE:
        return "at atomicity none the table is filled in place"
    if lock is None:
        return (
            "the metastore has no lock tables (Hive's TxnDbUtil.prepDb makes them), and two "
            "writers could mix their partitions"
        )
    unfiltered = [key for key in context.layout.partition_by if not metastore_filters(key)]
    if unfiltered:
        return f"a metastore can't filter by the columns {unfiltered}"
    return None
