"""What a model may ask of file tables and not of an Iceberg table; found before any job."""

from collections.abc import Iterator

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.publish.format_limits import problems_of_any


def problems(context: StagingContext) -> tuple[str, ...]:
    """Every problem, with what to do about it."""
    return tuple(_problems(context))


def _problems(context: StagingContext) -> Iterator[str]:
    yield from problems_of_any(context, "Iceberg")
    if context.layout.clustered_by:
        yield "clustered_by and buckets: use partition_by: ['bucket(8, id)']"
