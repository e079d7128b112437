"""Which kind of catalog serves a table: by the class that Spark has for its name, and its format.

A new kind is a file beside this one and a line in ``OF_CLASS``.
"""

from dataclasses import dataclass
from enum import Enum

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs import delta_settings
from dbt.adapters.ctas_spark.staging.context import DELTA, SESSION_CATALOG, StagingContext
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, StagingError
from dbt.adapters.ctas_spark.staging.iceberg import jars

ICEBERG = "iceberg"
SESSION_OF_ICEBERG = "org.apache.iceberg.spark.SparkSessionCatalog"
CATALOG_OF_ICEBERG = "org.apache.iceberg.spark.SparkCatalog"
SETTINGS = "spark.sql.catalog."


class Kind(Enum):
    """A kind of catalog, each in a file of its own."""

    FILES = "session_catalog"
    ICEBERG = "iceberg"
    DELTA = "delta"


@dataclass(frozen=True, slots=True)
class Serves:
    """The kinds behind a class; ``files`` is None where it has no tables of plain files."""

    native: Kind
    native_format: str
    files: Kind | None


OF_CLASS = {
    SESSION_OF_ICEBERG: Serves(Kind.ICEBERG, ICEBERG, Kind.FILES),
    CATALOG_OF_ICEBERG: Serves(Kind.ICEBERG, ICEBERG, None),
}
NATIVE_FORMATS = frozenset({ICEBERG})


def kind_for(spark: SparkSession, context: StagingContext) -> Kind:
    """The kind that serves the context's catalog and format.

    Raises:
        StagingError: the format needs another catalog, a setting or a jar; it says which.
    """
    catalog = context.target.catalog
    implementation = spark.conf.get(f"{SETTINGS}{catalog}", None)
    if context.layout.file_format == DELTA:
        delta_settings.check(
            context,
            implementation,
            spark.conf.get(delta_settings.EXTENSIONS, "") or "",
            spark.version,
            has_delta=jvm.has_class(spark, delta_settings.CATALOG_OF_DELTA),
        )
        return Kind.DELTA
    return choose(context, implementation, spark.version, has_iceberg=_has_iceberg(spark))


def choose(
    context: StagingContext, implementation: str | None, spark_version: str, *, has_iceberg: bool
) -> Kind:
    """The kind, given the class that is configured for the catalog's name."""
    catalog, layout = context.target.catalog, context.layout
    wants_iceberg = layout.file_format == ICEBERG and layout.format_given
    serves = OF_CLASS.get(implementation or "")
    if (wants_iceberg or (serves and serves.native is Kind.ICEBERG)) and not has_iceberg:
        raise StagingError(
            "Iceberg's classes are not there",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy=jars.remedy(spark_version),
        )
    if serves is None:
        return _without_native(context, implementation, wants_iceberg=wants_iceberg)
    if layout.file_format == serves.native_format:
        return serves.native
    if serves.files is not None:
        return serves.files
    if not layout.format_given:
        return serves.native
    raise AtomicityNotSupportedError(
        f"the catalog {catalog} holds tables of the format {serves.native_format} only, and "
        f"file_format is {layout.file_format}",
        table=context.target,
        left="it is unchanged; no job was started",
        remedy=f"remove file_format (the format of data files is the property "
        f"write.format.default), or use the catalog {SESSION_CATALOG}",
    )


def _without_native(
    context: StagingContext, implementation: str | None, *, wants_iceberg: bool
) -> Kind:
    catalog = context.target.catalog
    if wants_iceberg and catalog == SESSION_CATALOG:
        raise AtomicityNotSupportedError(
            "file_format is iceberg, and spark_catalog is not Iceberg's",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy=f"set {SETTINGS}{SESSION_CATALOG}: {SESSION_OF_ICEBERG} and "
            f"{SETTINGS}{SESSION_CATALOG}.type: hive in spark_conf, or use a catalog of its own "
            f"({CATALOG_OF_ICEBERG})",
        )
    if catalog == SESSION_CATALOG:
        return Kind.FILES
    raise AtomicityNotSupportedError(
        f"nothing is known of the catalog {catalog}"
        + (f", whose class is {implementation}" if implementation else ": it is not configured"),
        table=context.target,
        left="nothing was started",
        remedy=f"use {SESSION_CATALOG}, or a catalog of the class {', '.join(OF_CLASS)}",
    )


def _has_iceberg(spark: SparkSession) -> bool:
    return jvm.has_class(spark, CATALOG_OF_ICEBERG)
