"""What ``dbt debug`` says of Spark, Java and the catalog, and which level they reach."""

from collections.abc import Iterator

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.opened import OpenedCatalog
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import StagingError


def report(spark: SparkSession, opened: OpenedCatalog, staging_schema: str) -> Iterator[str]:
    """One line for each thing found."""
    system = jvm.classes(spark).java.lang.System
    yield f"spark: {spark.version} (master {spark.sparkContext.master})"
    yield f"java: {system.getProperty('java.version')} ({system.getProperty('java.home')})"
    yield f"catalog: spark_catalog, {opened.description}"
    yield f"warehouse: {spark.conf.get('spark.sql.warehouse.dir')}"
    yield f"atomicity: {_reached(opened, staging_schema)}"


def _reached(opened: OpenedCatalog, staging_schema: str) -> str:
    try:
        found = opened.catalog.capabilities(staging_schema)
    except StagingError as error:
        return f"not known: {error}"
    reason = f": {found.missing}" if found.missing else ""
    return f"up to {found.reaches.value}, conflict check {found.conflict_check.value}{reason}"
