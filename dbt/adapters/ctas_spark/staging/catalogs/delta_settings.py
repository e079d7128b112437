"""What a session has to be started with for Delta models; found before any job."""

from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG, StagingContext
from dbt.adapters.ctas_spark.staging.delta import limits
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError

CATALOG_OF_DELTA = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
CATALOG = f"spark.sql.catalog.{SESSION_CATALOG}"
EXTENSIONS = "spark.sql.extensions"


def check(
    context: StagingContext,
    implementation: str | None,
    extensions: str,
    spark_version: str,
    *,
    has_delta: bool,
) -> None:
    """Return if the target's catalog holds Delta tables.

    Args:
        implementation: the class that is configured for the target's catalog.
        extensions: the session's extensions, between commas.
        has_delta: Delta's classes are there.

    Raises:
        AtomicityNotSupportedError: it says what to put into ``spark_conf``.
    """
    if context.target.catalog != SESSION_CATALOG:
        raise _refused(
            context,
            f"file_format is delta, and the table is in the catalog {context.target.catalog}",
            f"Delta tables are published in {SESSION_CATALOG}; remove database",
        )
    missing = []
    if not has_delta:
        missing.append(limits.jar_remedy(spark_version))
    if implementation != CATALOG_OF_DELTA:
        missing.append(f"set {CATALOG}: {CATALOG_OF_DELTA} in spark_conf")
    if EXTENSION not in (name.strip() for name in extensions.split(",")):
        missing.append(f"add {EXTENSION} to {EXTENSIONS} in spark_conf")
    if missing:
        what = "file_format is delta, and the session has no Delta catalog"
        raise _refused(context, what, "; ".join(missing))


def _refused(context: StagingContext, what: str, remedy: str) -> AtomicityNotSupportedError:
    return AtomicityNotSupportedError(
        what,
        table=context.target,
        left="it is unchanged; no job was started",
        remedy=remedy,
    )
