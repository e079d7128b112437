"""What a model may ask of file tables and not of a Delta table; found before any job."""

from collections.abc import Iterator, Mapping

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.delta.features import APPEND_ONLY
from dbt.adapters.ctas_spark.staging.publish.format_limits import problems_of_any

UNTRIED = (
    "delta.enableRowTracking",
    "delta.enableIcebergCompat",
    "delta.universalFormat.",
    "delta.enableTypeWidening",
    "delta.feature.",
    "delta.checkpointPolicy",
)


def problems(context: StagingContext) -> tuple[str, ...]:
    """Every problem, with what to do about it."""
    return tuple(_problems(context))


def _problems(context: StagingContext) -> Iterator[str]:
    layout = context.layout
    yield from problems_of_any(context, "Delta")
    if layout.buckets is not None:
        yield "buckets: Delta has none; clustered_by without it is CLUSTER BY"
    if layout.clustered_by and layout.partition_by:
        yield "clustered_by and partition_by: Delta takes one of them"
    yield from _properties(layout.properties)


def _properties(properties: Mapping[str, str]) -> Iterator[str]:
    for key, value in properties.items():
        if key.startswith(UNTRIED):
            yield f"tblproperties: {key}: a publication was not tried with it; remove it"
        elif key.lower() == APPEND_ONLY.lower() and value.lower() == "true":
            yield f"tblproperties: {key}: such a table can't be published a second time; remove it"
