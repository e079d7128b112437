"""What a model may ask of file tables and of no format that commits by itself."""

from collections.abc import Iterator

from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    PartitionMetadata,
    StagingContext,
)


def problems_of_any(context: StagingContext, name: str) -> Iterator[str]:
    """Every problem, with what to do about it; ``name`` is the format's, for people."""
    if context.atomicity is Atomicity.NONE:
        yield (
            f"atomicity: none fills a published table in place, and a commit of {name} is all or "
            "nothing anyway; remove it"
        )
    if context.layout.options:
        yield f"options: {name} has table properties only; use tblproperties"
    if context.partition_metadata is not PartitionMetadata.AUTO:
        yield f"partition_metadata: {name} itself knows the partitions; remove it"
