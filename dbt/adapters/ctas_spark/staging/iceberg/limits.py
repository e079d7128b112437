"""What may not be asked of an Iceberg table, or stand on one; found before any job."""

from collections.abc import Iterator, Mapping

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.iceberg.fork import DATA_PATH
from dbt.adapters.ctas_spark.staging.publish.purposes import problems_of_any

LOCATION_PROVIDER = "write.location-provider.impl"


def problems(context: StagingContext) -> tuple[str, ...]:
    """Every setting of a model that only tables of files have, with what to do about it."""
    return tuple(_problems(context))


def check_location_provider(target: TableName, properties: Mapping[str, str]) -> None:
    """Return if it is known where the files of a staged version lie.

    Raises:
        AtomicityNotSupportedError: a class of the user's decides that.
    """
    provider = properties.get(LOCATION_PROVIDER)
    if provider is not None:
        raise AtomicityNotSupportedError(
            f"{LOCATION_PROVIDER} is {provider}: where a staged version's files lie would not be "
            "known, and so not what an abort may delete",
            table=target,
            left="it is unchanged; no job was started",
            remedy=f"remove the property; {DATA_PATH} moves data elsewhere, too",
        )


def _problems(context: StagingContext) -> Iterator[str]:
    yield from problems_of_any(context, "Iceberg")
    if context.layout.clustered_by:
        yield "clustered_by and buckets: use partition_by: ['bucket(8, id)']"
