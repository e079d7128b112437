"""Find the directory of a target's versions."""

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoot
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts


def version_root(metastore: MetastoreClient, context: StagingContext) -> VersionRoot:
    """The root by the present configuration; records of older versions name their own.

    Raises:
        StagingError: the target's schema does not exist.
    """
    location = metastore.database_location(context.target.database)
    if location is None:
        raise conflicts.no_such_schema(context.target)
    return VersionRoot.of(context.target, location, context.layout.location_root)
