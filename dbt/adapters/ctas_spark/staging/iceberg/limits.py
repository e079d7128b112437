"""What a model may ask of file tables and not of an Iceberg table; found before any job."""

from collections.abc import Iterator

from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    HiveColumns,
    PartitionMetadata,
    StagingContext,
)


def problems(context: StagingContext) -> tuple[str, ...]:
    """Every problem, with what to do about it."""
    return tuple(_problems(context))


def _problems(context: StagingContext) -> Iterator[str]:
    layout = context.layout
    if context.atomicity is Atomicity.NONE:
        yield (
            "atomicity: none fills a published table in place, and an Iceberg commit is all or "
            "nothing anyway; remove it"
        )
    if layout.clustered_by:
        yield "clustered_by and buckets: use partition_by: ['bucket(8, id)']"
    if layout.options:
        yield "options: Iceberg has table properties only; use tblproperties"
    if context.partition_metadata is not PartitionMetadata.AUTO:
        yield "partition_metadata: Iceberg's metadata has the partitions; remove it"
    if context.hive_columns is not HiveColumns.NEW:
        yield "hive_columns: Iceberg's metadata has the columns; remove it"
