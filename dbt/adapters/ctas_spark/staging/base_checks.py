"""What begin refuses of a base, and what it warns of, before any job is started."""

import logging

from dbt.adapters.ctas_spark.staging.base import Base
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.publication import tracks_partitions

logger = logging.getLogger(__name__)


def refuse_other_partition_keys(context: StagingContext, base: Base) -> None:
    """Partition keys can't change in one metastore call."""
    wanted = tuple(key.lower() for key in context.layout.partition_by)
    entry = base.entry
    if entry is None or entry.is_view or entry.partition_keys == wanted:
        return
    raise AtomicityNotSupportedError(
        f"the partition keys change from {list(entry.partition_keys)} to {list(wanted)}, "
        "which no single metastore call can do",
        table=context.target,
        left="it is unchanged; no job was started",
        remedy="keep partition_by, or drop the table and run the model again",
    )


def warn_of_less(context: StagingContext, base: Base, level: Atomicity) -> None:
    """Nothing weakens silently: neither the level nor how partitions are found."""
    marker = base.marker
    if marker is not None and level.strength < Atomicity(marker.level).strength:
        logger.warning(
            "%s was last published at atomicity %s, and is now at %s",
            context.target,
            marker.level,
            level.value,
        )
    if base.entry is not None and tracks_partitions(base.entry):
        logger.warning(
            "%s kept its partitions in the metastore; from now on they are found by listing, "
            "SHOW PARTITIONS is refused, and the old partition entries stay, unused by Spark",
            context.target,
        )
