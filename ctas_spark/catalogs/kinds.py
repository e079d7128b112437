"""Which kind of catalog serves a table: by the class that Spark has for its name, and its format.

An invocation's ``Catalogs`` open each kind once. A new kind is a package next to ``files``, a line
in ``choose``, and a line where it is opened.
"""

import logging
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Any

from ..context import DELTA, SESSION_CATALOG, Atomicity, StagingContext, TableName
from ..engines.protocol import WriteFigures
from ..errors import (
    AtomicityNotSupportedError,
    FormatNotFoundError,
    NotSupportedError,
    StagingError,
)
from ..files.catalog import SessionCatalog
from ..files.view import ViewChange
from ..metastore.client import TableEntry
from ..publish import messages
from ..publish.catalog import ConflictCheck, StagingCatalog
from . import levels, settings
from .settings import SETTINGS, SessionFacts

logger = logging.getLogger(__name__)

ICEBERG = "iceberg"
SESSION_OF_ICEBERG = "org.apache.iceberg.spark.SparkSessionCatalog"
CATALOG_OF_ICEBERG = "org.apache.iceberg.spark.SparkCatalog"
ICEBERGS = (SESSION_OF_ICEBERG, CATALOG_OF_ICEBERG)
FORMATS_OF = {**dict.fromkeys(ICEBERGS, ICEBERG), settings.CATALOG_OF_DELTA: DELTA}
"""The format, other than files, of the tables of a catalog of some class."""
DECLARED = "iceberg_catalogs"
"""The profile's list of Iceberg catalogs whose classes this adapter does not know."""

CATALOG_OF_DATABASES = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"

REACH_NOTHING: Mapping[str, str] = {
    "org.apache.paimon.spark.SparkCatalog": (
        "a replace truncates the live table before it writes (paimon#9994)"
    ),
    "org.apache.spark.sql.hudi.catalog.HoodieCatalog": (
        "giving up a staged replace deletes the live table's files"
    ),
}
"""Catalogs whose own replace loses the old table, by class."""

LOCK_OF = {
    Atomicity.ISOLATED: "lock (of this process)",
    Atomicity.ATOMIC: "lock (of the metastore)",
}
ROWS_IN_PARTS = (
    "each of Spark's tasks adds its rows in a transaction of its own, so readers would see only "
    "some of them, and a failure would leave them there"
)


class Kind(Enum):
    """A kind of catalog; each is a package."""

    FILES = "session_catalog"
    ICEBERG = "iceberg"
    DELTA = "delta"
    DATABASE = "database"


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
    catalog, layout = context.target.catalog, context.layout
    is_declared = bool(implementation) and catalog in facts.declared and catalog != SESSION_CATALOG
    only_iceberg = implementation == CATALOG_OF_ICEBERG or is_declared
    of_iceberg = only_iceberg or implementation == SESSION_OF_ICEBERG
    if not of_iceberg and catalog != SESSION_CATALOG:
        if implementation == CATALOG_OF_DATABASES:
            return Kind.DATABASE
        raise _of_nobody(context, implementation)
    if layout.file_format == DELTA:
        settings.check_delta(context, implementation, facts)
        return Kind.DELTA
    wants_iceberg = layout.file_format == ICEBERG
    if (wants_iceberg or of_iceberg) and not facts.has_iceberg:
        raise FormatNotFoundError(
            "Spark has no classes of Iceberg",
            table=context.target,
            left=messages.NO_JOB,
            remedy=_formats_of_iceberg(
                context, facts, settings.jar_remedy(settings.ICEBERG_JARS, facts.version)
            ),
        )
    if wants_iceberg and not of_iceberg:
        raise _not_icebergs(context, implementation, facts)
    if only_iceberg and layout.format_given and not wants_iceberg:
        raise messages.unsupported(
            context.target,
            f"the catalog {catalog} holds tables of the format {ICEBERG} only, and "
            f"file_format is {layout.file_format}",
            "remove file_format (the format of data files is the property write.format.default), "
            f"or use the catalog {SESSION_CATALOG}",
        )
    return Kind.ICEBERG if wants_iceberg or only_iceberg else Kind.FILES


def _formats_of_iceberg(context: StagingContext, facts: SessionFacts, otherwise: str) -> str:
    """The profile's one line is of the session catalog."""
    if context.target.catalog != SESSION_CATALOG:
        return otherwise
    jars = settings.JARS_OF_SESSION_ICEBERG
    return settings.formats_remedy(ICEBERG, jars, facts.version, otherwise)


def _not_icebergs(
    context: StagingContext, implementation: str | None, facts: SessionFacts
) -> AtomicityNotSupportedError:
    another = (
        f"set {SETTINGS}<name>: {CATALOG_OF_ICEBERG} with its type in spark_conf, and database: "
        "<name> for the model"
    )
    if implementation == settings.CATALOG_OF_DELTA:
        what, remedy = "Delta's, which has no Iceberg tables", another
    else:
        instead = (
            f"{SETTINGS}{SESSION_CATALOG}: {SESSION_OF_ICEBERG} and "
            f"{SETTINGS}{SESSION_CATALOG}.type: hive"
        )
        what, remedy = "not Iceberg's", f"set {instead} in spark_conf; or {another}"
        remedy = _formats_of_iceberg(context, facts, remedy)
    what = f"file_format is iceberg, and spark_catalog is {what}"
    return messages.unsupported(context.target, what, remedy)


def _of_nobody(context: StagingContext, implementation: str | None) -> AtomicityNotSupportedError:
    """The error for a catalog whose class no kind serves."""
    catalog, layout = context.target.catalog, context.layout
    if implementation is None:
        return messages.unsupported(
            context.target,
            f"the catalog {catalog} is not configured",
            f"configure it by {SETTINGS}{catalog} in spark_conf, or use {SESSION_CATALOG}",
        )
    homes = {DELTA: SESSION_CATALOG, ICEBERG: f"a catalog of the class {CATALOG_OF_ICEBERG}"}
    wanted = layout.file_format if layout.format_given else ""
    use = f"use {homes.get(wanted, SESSION_CATALOG)}"
    named = f"the catalog {catalog}, whose class is {implementation}"
    if implementation in REACH_NOTHING:
        what = f"{named}, reaches no level: {REACH_NOTHING[implementation]}"
        return messages.unsupported(context.target, what, use)
    what = f"replacing a table was not tested in {named}"
    return messages.unsupported(context.target, what, f"{use}; or {declaration_of(catalog)}")


def declaration_of(catalog: str) -> str:
    """What a user writes to have an Iceberg catalog probed."""
    return (
        f"set {DECLARED}: [{catalog}] in the profile, if it is a catalog of Iceberg's (a probe on "
        "a scratch table checks that it refuses a commit over another's)"
    )


class Catalogs:
    """The catalogs of one invocation, each opened by the first model that needs it.

    ``run`` is the invocation's id.
    """

    def __init__(self, spark: Any) -> None:
        self.run = uuid.uuid4().hex
        self._spark = spark
        self._guard = threading.RLock()  # one catalog may be opened with another
        self._opened: dict[tuple[str, Kind], StagingCatalog] = {}

    def catalog_for(self, context: StagingContext) -> StagingCatalog:
        """The catalog that serves the context's target and format.

        Raises:
            StagingError: none does; it says which setting, jar or declaration would make one.
        """
        name = context.target.catalog
        served = name, self._choose(context, implementation_of(self._spark, name))
        with self._guard:
            if served not in self._opened:
                self._opened[served] = self._open(context, served[1])
            return self._opened[served]

    def in_session(self, spark: Any) -> "Catalogs":  # noqa: ARG002 (a server has one session)
        """The same catalogs, for a node with another session of the same Spark."""
        return self

    def check_added_to(self, target: TableName) -> None:
        """Return if the rows of an incremental model or a snapshot can be added to the target."""
        if implementation_of(self._spark, target.catalog) == CATALOG_OF_DATABASES:
            raise NotSupportedError(
                f"rows can't be added to a table in a database: {ROWS_IN_PARTS}",
                table=target,
                left=messages.NO_JOB,
                remedy="make it a table model with staging_purpose: create_if_not_exists; or use "
                "another catalog",
            )

    def check_partitions_overwritten(self, target: TableName) -> None:
        """Return if a statement can replace just those partitions that its rows have."""

    @contextmanager
    def true_statistics(self, sql: str) -> Iterator[None]:
        """Around a statement that may write statistics: what Spark counts wrong is corrected."""
        before: dict[TableName, Mapping[str, str]] = {}
        for name in self._counted_tables(sql):
            with _warning_of_statistics(name):
                before[name] = self.catalog.statistics_of(name)
        yield
        for name, known in before.items():
            with _warning_of_statistics(name):
                self.catalog.correct_statistics(name, known)

    def entries_in(self, schema: str) -> Sequence[TableEntry]:  # noqa: ARG002 (for a server)
        """The session catalog's tables and views of a schema by a few calls of the metastore.

        None where only SQL tells, and maybe another metastore's than the server's.
        """
        return ()

    def forget_cached(self, table: TableName) -> None:
        """Forget what this session's caches hold of a table; trouble is a warning."""
        raise NotImplementedError

    def report(self, any_table: StagingContext) -> Iterator[str]:
        """What ``dbt debug`` says of the session, and of the level that tables there reach."""
        raise NotImplementedError

    @property
    def catalog(self) -> SessionCatalog:
        """The tables of files; the first call connects to the metastore.

        Raises:
            AtomicityNotSupportedError: there is no way to it.
        """
        raise NotImplementedError

    @property
    def has_files(self) -> bool:
        """Whether tables of files can be published, as far as it is known without connecting."""
        return True

    def figures(self, table: TableName, version: str) -> WriteFigures:
        """What was counted of a published version of files, if it still is what was published."""
        if self.has_files:
            with suppress(StagingError):
                return self.catalog.figures(table, version)
        return WriteFigures()

    def view_change(self, context: StagingContext) -> ViewChange | None:
        """What makes the context's target a view by one call; None if nothing does."""
        is_icebergs = implementation_of(self._spark, SESSION_CATALOG) == SESSION_OF_ICEBERG
        if is_icebergs or not self.has_files:  # Iceberg's catalog has views of its own
            return None
        return self.catalog.view_change(context)

    def comment(self, staged: TableName, find: Callable[[str], str | None]) -> tuple[str, ...]:
        """Comment the columns of a staged table of files by the texts that ``find`` has for them.

        The partition columns that have one are returned: Spark comments on none of them.
        """
        raise NotImplementedError

    @property
    def lacks_grants(self) -> bool:
        """Whether it is proven that Spark has no GRANT, which some of its extensions bring."""
        raise NotImplementedError

    def close(self) -> None:
        """Give back what the invocation holds."""
        with self._guard:
            self._opened.clear()

    def _counted_tables(self, sql: str) -> tuple[TableName, ...]:
        """The session catalog's tables whose size the statement, which is not run, writes down."""
        raise NotImplementedError

    @property
    def _facts(self) -> SessionFacts:
        raise NotImplementedError

    @property
    def _method(self) -> str:
        """The profile's word for the connection."""
        return levels.SESSION

    def _choose(self, context: StagingContext, implementation: str | None) -> Kind:
        return choose(context, implementation, self._facts)

    def _open(self, context: StagingContext, kind: Kind) -> StagingCatalog:
        raise NotImplementedError

    def _reached(self, context: StagingContext) -> str:
        try:
            found = self.catalog_for(context).capabilities(context.staging_schema)
        except StagingError as error:
            return f"not known: {error}"
        reason, check = f": {found.missing}" if found.missing else "", found.conflict_check
        lock = check is ConflictCheck.LOCK and LOCK_OF[found.reaches]
        row = levels.row(self._method, context.layout.file_format, found)
        on_page = f" ({levels.PAGE}: {row})" if row else ""
        return f"up to {found.reaches.value}, conflict check {lock or check.value}{on_page}{reason}"

    def _try_rights(self, any_table: StagingContext) -> None:
        """Return if tables can be created and dropped in the staging schema, or nobody can tell.

        Raises:
            MetastoreError: they can't.
        """
        try:
            services = self.catalog.services(any_table.staging_schema, any_table.target)
        except StagingError:
            return  # the line of the level says why
        services.roots.staging.try_rights()

    def _options(self, catalog: str) -> dict[str, str]:
        """The catalog's settings, without the prefix that ends with its name."""
        prefix = f"{SETTINGS}{catalog}."
        found = self._spark.sql("SET").collect()
        return {
            row.key.removeprefix(prefix): row.value for row in found if row.key.startswith(prefix)
        }


@contextmanager
def _warning_of_statistics(name: TableName) -> Iterator[None]:
    try:
        yield
    except StagingError as error:
        logger.warning("%s: its statistics may say that it is empty: %s", name, error.what)
