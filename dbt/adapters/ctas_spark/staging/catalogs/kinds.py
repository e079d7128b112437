"""Which kind of catalog serves a table: by the class that Spark has for its name, and its format.

A new kind is a package beside ``files``, a line in ``OF_CLASS``, and a line where it is opened.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from dbt.adapters.ctas_spark.staging.catalogs import settings
from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities, ConflictCheck
from dbt.adapters.ctas_spark.staging.catalogs.settings import SETTINGS, refused
from dbt.adapters.ctas_spark.staging.context import (
    DELTA,
    SESSION_CATALOG,
    Atomicity,
    StagingContext,
)
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, FormatNotFoundError

ICEBERG = "iceberg"
SESSION_OF_ICEBERG = "org.apache.iceberg.spark.SparkSessionCatalog"
CATALOG_OF_ICEBERG = "org.apache.iceberg.spark.SparkCatalog"
DECLARED = "iceberg_catalogs"
"""The profile's list of catalogs that are Iceberg's, and of which nothing more is known here."""

REACH_NOTHING: Mapping[str, str] = {
    "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog": (
        "it stages nothing, so that Spark drops the table and creates it anew, and a failure in "
        "between leaves none"
    ),
    "org.apache.paimon.spark.SparkCatalog": (
        "a replace truncates the live table before it writes (paimon#9994)"
    ),
    "org.apache.spark.sql.hudi.catalog.HoodieCatalog": (
        "giving up a staged replace deletes the live table's files"
    ),
}
"""Catalogs whose own replace loses the old table, by class."""

BRANCHES = "IcebergSparkSessionExtensions"
"""The extension that has the statements of branches."""

NOT_ISOLATED = (
    "a rival's commit between our last look and the statement is not noticed: the last writer wins"
)
HADOOP = Capabilities(
    "iceberg (hadoop)",
    ConflictCheck.NONE,
    Atomicity.ATOMIC,
    "a hadoop catalog's table is its directory, so that there is no second name on which to stage "
    f"a version; {NOT_ISOLATED}, and "
    "a DROP and CREATE while the statement runs leaves a table without files",
    "use a catalog of type hive, jdbc or rest, or set atomicity: auto",
    needs_jvm=False,
)


class Kind(Enum):
    """A kind of catalog, each in a package of its own."""

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


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What the choice needs to know of a session; it stays as it is as long as the session.

    ``declared`` are the catalogs of ``iceberg_catalogs``.
    """

    version: str
    extensions: str
    has_iceberg: bool
    has_delta: bool
    declared: frozenset[str] = frozenset()


def has_branches(facts: SessionFacts) -> bool:
    """True if the session has SQL for a branch that is written, marked and published.

    INSERT has taken options, which mark it, since Spark 4.0.
    """
    return BRANCHES in facts.extensions and not facts.version.startswith("3.")


def implementation_of(spark: Any, catalog: str) -> str | None:
    """The class that a session, local or remote, has for a catalog's name."""
    found: str | None = spark.conf.get(f"{SETTINGS}{catalog}", None)
    return found


def choose(context: StagingContext, implementation: str | None, facts: SessionFacts) -> Kind:
    """The kind that serves the context's catalog and format.

    Args:
        implementation: the class that is configured for the catalog's name.

    Raises:
        StagingError: the format needs another catalog, a setting, a jar or a declaration; it says
            which.
    """
    serves = _behind(context.target.catalog, implementation, facts)
    if serves is None and context.target.catalog != SESSION_CATALOG:
        raise _of_nobody(context, implementation)
    if context.layout.file_format == DELTA:
        settings.check_delta(
            context, implementation, facts.extensions, facts.version, has_delta=facts.has_delta
        )
        return Kind.DELTA
    wants_iceberg = context.layout.file_format == ICEBERG and context.layout.format_given
    if (wants_iceberg or serves is not None) and not facts.has_iceberg:
        raise FormatNotFoundError(
            "Iceberg's classes are not there",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy=settings.iceberg_remedy(facts.version),
        )
    if serves is None:
        return _of_the_session(context, implementation, wants_iceberg=wants_iceberg)
    return _of_iceberg(context, serves)


def _behind(catalog: str, implementation: str | None, facts: SessionFacts) -> Serves | None:
    if implementation and catalog in facts.declared and catalog != SESSION_CATALOG:
        return OF_CLASS[CATALOG_OF_ICEBERG]
    return OF_CLASS.get(implementation or "")


def _of_iceberg(context: StagingContext, serves: Serves) -> Kind:
    layout = context.layout
    if layout.file_format == serves.native_format:
        return serves.native
    if serves.files is not None:
        return serves.files
    if not layout.format_given:
        return serves.native
    raise refused(
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
    if implementation == settings.CATALOG_OF_DELTA:
        what, remedy = "Delta's, which has no Iceberg tables", beside
    else:
        instead = (
            f"{SETTINGS}{SESSION_CATALOG}: {SESSION_OF_ICEBERG} and "
            f"{SETTINGS}{SESSION_CATALOG}.type: hive"
        )
        what, remedy = "not Iceberg's", f"set {instead} in spark_conf; or {beside}"
    raise refused(context, f"file_format is iceberg, and spark_catalog is {what}", remedy)


def _of_nobody(context: StagingContext, implementation: str | None) -> AtomicityNotSupportedError:
    """The error for a catalog of a class that no kind here is made for."""
    catalog, layout = context.target.catalog, context.layout
    if implementation is None:
        return refused(
            context,
            f"nothing is known of the catalog {catalog}: it is not configured",
            f"configure it by {SETTINGS}{catalog} in spark_conf, or use {SESSION_CATALOG}",
        )
    homes = {DELTA: SESSION_CATALOG, ICEBERG: f"a catalog of the class {CATALOG_OF_ICEBERG}"}
    wanted = layout.file_format if layout.format_given else ""
    use = f"use {homes.get(wanted, SESSION_CATALOG)}"
    named = f"the catalog {catalog}, whose class is {implementation}"
    if implementation in REACH_NOTHING:
        return refused(context, f"{named}, reaches no level: {REACH_NOTHING[implementation]}", use)
    what = f"nobody has tried what a table goes through that is replaced in {named}"
    return refused(context, what, f"{use}; or {declaration_of(catalog)}")


def declaration_of(catalog: str) -> str:
    """What a user writes to have a catalog of Iceberg's probed."""
    return (
        f"set {DECLARED}: [{catalog}] in the profile, if it is a catalog of Iceberg's (a probe on "
        "a scratch table checks that it refuses a commit over another's)"
    )
