"""What a model may ask of file tables and not of a table that a statement publishes."""

from collections.abc import Iterator

from dbt.adapters.ctas_spark.staging.context import DELTA, StagingContext
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.publish.format_limits import problems_of_any


def check(context: StagingContext) -> None:
    """Return if a statement publishes what the model asks for.

    Raises:
        AtomicityNotSupportedError: it says every problem, with what to do about it.
    """
    found = tuple(_problems(context))
    if found:
        raise AtomicityNotSupportedError(
            f"this configuration is not that of {context.target.catalog}: " + "; ".join(found),
            table=context.target,
            left="it is unchanged; no job was started",
        )


def _problems(context: StagingContext) -> Iterator[str]:
    catalog = context.target.catalog
    yield from problems_of_any(context, f"the catalog {catalog}")
    if context.layout.clustered_by and context.layout.file_format == DELTA:
        yield "clustered_by: a Delta table's CLUSTER BY is published with method: session only"
    elif context.layout.clustered_by:
        yield "clustered_by and buckets: use partition_by: ['bucket(8, id)']"
    if context.layout.location_root is not None:
        yield f"location_root: the catalog {catalog} places its tables itself; remove it"
