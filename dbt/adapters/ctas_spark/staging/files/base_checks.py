"""What begin refuses of a base, and what it warns of, before any job is started."""

import logging

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.publication import tracks_partitions

logger = logging.getLogger(__name__)


def other_partition_keys(context: StagingContext, base: Base) -> bool:
    """True if the partition keys change, which no single metastore call can do."""
    wanted = tuple(key.lower() for key in context.layout.partition_keys)
    entry = base.entry
    return entry is not None and not entry.is_view and entry.partition_keys != wanted


def refuse_other_formats_table(context: StagingContext, base: Base) -> None:
    """An entry that leads to another format's metadata would still do so after the swap."""
    kind = base.entry.parameters.get("table_type", "") if base.entry else ""
    if kind.upper() == "ICEBERG":
        raise AtomicityNotSupportedError(
            "an Iceberg table is in the place of the table, and no single metastore call replaces "
            f"it by a table of {context.layout.file_format} files",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy="drop it, or set file_format: iceberg, or give the model another alias",
        )


def refuse_other_partition_keys(context: StagingContext, base: Base) -> None:
    """``isolated`` by name can't be kept where the keys change."""
    if context.atomicity is not Atomicity.ISOLATED or not other_partition_keys(context, base):
        return
    raise AtomicityNotSupportedError(
        f"the partition keys change from {_keys(base)} to {list(context.layout.partition_keys)}, "
        "which no single metastore call can do",
        table=context.target,
        left="it is unchanged; no job was started",
        remedy="keep partition_by; or set atomicity: auto for this run: it sets the old entry "
        "aside and creates the new one, and readers find no table for a moment",
    )


def warn_of_less(context: StagingContext, base: Base, level: Atomicity) -> None:
    """Nothing weakens silently: neither the level nor what readers may meet."""
    marker = base.marker
    if marker is not None and level.strength < Atomicity(marker.level).strength:
        logger.warning(
            "%s was last published at atomicity %s, and is now at %s",
            context.target,
            marker.level,
            level.value,
        )
    if other_partition_keys(context, base):
        logger.warning(
            "%s changes its partition keys from %s to %s: it is published by rename, and readers "
            "find no table for a moment (atomicity: atomic)",
            context.target,
            _keys(base),
            list(context.layout.partition_keys),
        )


def warn_of_untracked(context: StagingContext, base: Base) -> None:
    """Partitions that were in the metastore are found by listing from now on."""
    if context.layout.partition_keys and base.entry is not None and tracks_partitions(base.entry):
        logger.warning(
            "%s kept its partitions in the metastore; from now on they are found by listing, "
            "and SHOW PARTITIONS is refused",
            context.target,
        )


def _keys(base: Base) -> list[str]:
    return list(base.entry.partition_keys) if base.entry else []
