"""What ``dbt debug`` reports: Spark, Java, the catalog, and the level that they reach."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities
from dbt.adapters.ctas_spark.staging.catalogs.server import FORMATS, CatalogsWithoutJvm
from dbt.adapters.ctas_spark.staging.catalogs.session import CatalogsWithJvm
from dbt.adapters.ctas_spark.staging.catalogs.settings import SETTINGS
from dbt.adapters.ctas_spark.staging.context import StagingContext, TableLayout, TableName
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import StagingError


@dataclass(frozen=True, slots=True)
class Place:
    """Where the profile's models are built."""

    database: str
    schema: str
    staging_schema: str


def report(spark: SparkSession, opened: CatalogsWithJvm, place: Place) -> Iterator[str]:
    """One line for each thing found; Spark is in this process."""
    system = jvm.classes(spark).java.lang.System
    yield f"spark: {spark.version} (master {spark.sparkContext.master})"
    yield f"java: {system.getProperty('java.version')} ({system.getProperty('java.home')})"
    yield f"catalog: spark_catalog, {_known(lambda: opened.description)}"
    yield f"warehouse: {spark.conf.get('spark.sql.warehouse.dir')}"
    reached = _known(lambda: _reach_of(opened.catalog.capabilities(place.staging_schema)))
    yield f"atomicity: {reached}"


def report_of_a_server(spark: Any, catalogs: CatalogsWithoutJvm, place: Place) -> Iterator[str]:
    """One line for each thing found; Spark is on a server, and a level belongs to a format."""
    yield f"spark: {spark.version} ({catalogs.over})"
    implementation = spark.conf.get(f"{SETTINGS}{place.database}", "Spark's own")
    yield f"catalog: {place.database}, {implementation}"
    for file_format in (*(known.name for known in FORMATS.values()), "parquet"):
        yield f"atomicity of {file_format}: {_of_a_format(catalogs, place, file_format)}"


def _of_a_format(catalogs: CatalogsWithoutJvm, place: Place, file_format: str) -> str:
    context = StagingContext(
        TableName(place.schema, "any", place.database),
        place.staging_schema,
        layout=TableLayout(file_format),
    )
    return _known(
        lambda: _reach_of(catalogs.catalog_for(context).capabilities(place.staging_schema))
    )


def _known(tell: Callable[[], str]) -> str:
    try:
        return tell()
    except StagingError as error:
        return f"not known: {error}"


def _reach_of(found: Capabilities) -> str:
    reason = f": {found.missing}" if found.missing else ""
    return f"up to {found.reaches.value}, conflict check {found.conflict_check.value}{reason}"
