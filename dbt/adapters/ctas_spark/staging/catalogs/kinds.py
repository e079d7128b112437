"""Which kind of catalog serves a table: by the class that Spark has for its name, and its format.

A new kind is a file in ``catalogs``, and a line in ``OF_CLASS``; ``opening/others.py`` opens it.
"""

from dataclasses import dataclass
from enum import Enum

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs import delta_settings
from dbt.adapters.ctas_spark.staging.catalogs.statement_kinds import (
    BAD_STAGING,
    DECLARED,
    NO_STAGING,
)
from dbt.adapters.ctas_spark.staging.context import (
    DELTA,
    SESSION_CATALOG,
    Atomicity,
    StagingContext,
)
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, FormatNotFoundError
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
    BY_STATEMENT = "by_statement"


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


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What the choice needs to know of a session; it stays as it is as long as the session."""

    version: str
    extensions: str
    has_iceberg: bool
    has_delta: bool

    @classmethod
    def of(cls, spark: SparkSession) -> "SessionFacts":
        """Ask Spark."""
        return cls(
            spark.version,
            spark.conf.get(delta_settings.EXTENSIONS, "") or "",
            jvm.has_class(spark, CATALOG_OF_ICEBERG),
            jvm.has_class(spark, delta_settings.CATALOG_OF_DELTA),
        )


def choose(
    context: StagingContext,
    implementation: str | None,
    facts: SessionFacts,
    declared: Atomicity | None = None,
) -> Kind:
    """The kind that serves the context's catalog and format.

    Args:
        implementation: the class that is configured for the catalog's name.
        declared: what ``catalog_atomicity`` says of the catalog.

    Raises:
        StagingError: the format needs another catalog, a setting, a jar or a declaration; it says
            which.
    """
    serves = OF_CLASS.get(implementation or "")
    if serves is None and context.target.catalog != SESSION_CATALOG:
        return _of_nobody(context, implementation, declared)
    if context.layout.file_format == DELTA:
        delta_settings.check(
            context, implementation, facts.extensions, facts.version, has_delta=facts.has_delta
        )
        return Kind.DELTA
    wants_iceberg = context.layout.file_format == ICEBERG and context.layout.format_given
    if (wants_iceberg or serves is not None) and not facts.has_iceberg:
        raise FormatNotFoundError(
            "Iceberg's classes are not there",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy=jars.remedy(facts.version),
        )
    if serves is None:
        return _of_the_session(context, implementation, wants_iceberg=wants_iceberg)
    return _of_iceberg(context, serves)


def _of_iceberg(context: StagingContext, serves: Serves) -> Kind:
    layout = context.layout
    if layout.file_format == serves.native_format:
        return serves.native
    if serves.files is not None:
        return serves.files
    if not layout.format_given:
        return serves.native
    raise _refused(
        context,
        f"the catalog {context.target.catalog} holds tables of the format {serves.native_format} "
        f"only, and file_format is {layout.file_format}",
        "remove file_format (the format of data files is the property write.format.default), or "
        f"use the catalog {SESSION_CATALOG}",
    )


def _of_the_session(
    context: StagingContext, implementation: str | None, *, wants_iceberg: bool
) -> Kind:
    if not wants_iceberg:
        return Kind.FILES
    beside = (
        f"set {SETTINGS}<name>: {CATALOG_OF_ICEBERG} with its type in spark_conf, and database: "
        "<name> for the model"
    )
    if implementation == delta_settings.CATALOG_OF_DELTA:
        what, remedy = "Delta's, which has no Iceberg tables", beside
    else:
        instead = (
            f"{SETTINGS}{SESSION_CATALOG}: {SESSION_OF_ICEBERG} and "
            f"{SETTINGS}{SESSION_CATALOG}.type: hive"
        )
        what, remedy = "not Iceberg's", f"set {instead} in spark_conf; or {beside}"
    raise _refused(context, f"file_format is iceberg, and spark_catalog is {what}", remedy)


def _of_nobody(
    context: StagingContext, implementation: str | None, declared: Atomicity | None
) -> Kind:
    """A catalog of a class that no file here is made for."""
    catalog = context.target.catalog
    if implementation is None:
        raise _refused(
            context,
            f"nothing is known of the catalog {catalog}: it is not configured",
            f"configure it by {SETTINGS}{catalog} in spark_conf, or use {SESSION_CATALOG}",
        )
    if declared is None:
        raise _undeclared(context, implementation)
    return Kind.BY_STATEMENT


def _undeclared(context: StagingContext, implementation: str) -> AtomicityNotSupportedError:
    catalog, layout = context.target.catalog, context.layout
    homes = {DELTA: SESSION_CATALOG, ICEBERG: f"a catalog of the class {CATALOG_OF_ICEBERG}"}
    wanted = layout.file_format if layout.format_given else ""
    use = f"use {homes.get(wanted, SESSION_CATALOG)}"
    named = f"the catalog {catalog}, whose class is {implementation}"
    if implementation in NO_STAGING:
        return _refused(context, f"{named}, reaches no level: {NO_STAGING[implementation]}", use)
    if implementation in BAD_STAGING:
        what = f"{named}, reaches no level: {BAD_STAGING[implementation]}"
        declare = f"for a release that mends that, {declaration_of(catalog)}"
        return _refused(context, what, f"{use}; {declare}")
    what = f"nobody has tried what a table goes through that is replaced in {named}"
    return _refused(context, what, f"{declaration_of(catalog)}; or {use}")


def declaration_of(catalog: str) -> str:
    """What a user writes to have a catalog probed."""
    return (
        f"set {DECLARED}: {{{catalog}: atomic}} in the profile, if a replace there leaves the old "
        "table until the new one is whole (a probe on a scratch table checks that)"
    )


def _refused(context: StagingContext, what: str, remedy: str) -> AtomicityNotSupportedError:
    return AtomicityNotSupportedError(
        what, table=context.target, left="it is unchanged; no job was started", remedy=remedy
    )
