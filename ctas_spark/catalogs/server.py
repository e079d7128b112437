"""The catalogs of a session without a JVM: only those whose commit is a SQL statement.

What the formats' own conditional commits reach is ``isolated``; a native CREATE or REPLACE TABLE
reaches ``atomic``.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from pyspark.errors import PySparkException

from .. import quoting
from ..context import SESSION_CATALOG, Atomicity, StagingContext, TableLayout, TableName
from ..database.catalog import DatabaseCatalog, open_database
from ..errors import StagingError
from ..publish import messages
from ..publish.catalog import Capabilities, ConflictCheck, StagingCatalog
from ..statement.catalog import StatementCatalog
from ..statement.tables import FORMATS, SqlTables, asking
from . import settings
from .kinds import (
    CATALOG_OF_DATABASES,
    DECLARED,
    ICEBERGS,
    NOT_ISOLATED,
    REACH_NOTHING,
    Catalogs,
    Kind,
    implementation_of,
)
from .settings import SETTINGS, SessionFacts

logger = logging.getLogger(__name__)

NO_GRANT = "INVALID_STATEMENT_OR_CLAUSE"
CONNECT = "Spark Connect"
THRIFT = "Thrift"
WHY_NOT_MORE = (
    "a commit that is conditional on what the model saw is made by the format's Java classes, and "
    f"over {{}} the driver's JVM can't be reached; {NOT_ISOLATED}"
)
INSTEAD = "use method: session in the profile for isolated, or set atomicity: auto"
FILES_REFUSED = (
    "publishing it takes calls to the metastore and the storage, which only the driver's JVM can "
    "reach"
)
UNKNOWN_REFUSED = "a probe of it would call the catalog through the driver's JVM"
UNDECLARED = "a catalog that is neither known nor declared to be Iceberg's"
REFUSED = (("a table of files", FILES_REFUSED), (UNDECLARED, UNKNOWN_REFUSED))


def reached(format_name: str, over: str) -> Capabilities:
    """What the format's own CREATE or REPLACE TABLE reaches; ``over`` names the connection."""
    return Capabilities(
        f"{format_name}, over {over}",
        ConflictCheck.NONE,
        Atomicity.ATOMIC,
        WHY_NOT_MORE.format(over),
        INSTEAD,
    )


class CatalogsWithoutJvm(Catalogs):
    """The catalogs of a server; ``over`` names the connection to it in messages.

    ``iceberg_catalogs`` are those that the user declares to be Iceberg's, by name. They are not
    probed: no SQL holds a stale commit against a catalog.
    """

    def __init__(self, spark: Any, over: str, iceberg_catalogs: Sequence[str] = ()) -> None:
        super().__init__(spark)
        self.over = over
        self._declared = frozenset(iceberg_catalogs)

    def forget_cached(self, table: TableName) -> None:
        try:
            self._spark.sql(f"REFRESH TABLE {quoting.table(table)}")
        except PySparkException as error:
            logger.warning("%s was not refreshed in this session: %s", table, error)

    def report(self, any_table: StagingContext) -> Iterator[str]:
        yield f"spark: {self._spark.version} ({self.over})"
        name = any_table.target.catalog
        implementation = implementation_of(self._spark, name) or "Spark's own"
        yield f"catalog: {name}, {implementation}"
        for file_format in (*FORMATS, "parquet"):
            context = replace(any_table, layout=TableLayout(file_format))
            yield f"atomicity of {file_format}: {self._reached(context)}"

    @cached_property
    def _facts(self) -> SessionFacts:
        """The jars are taken to be there: the first statement fails if they are not."""
        extensions = self._spark.conf.get(settings.EXTENSIONS, "") or ""
        return SessionFacts(
            self._spark.version,
            extensions,
            has_iceberg=True,
            has_delta=True,
            declared=self._declared,
        )

    @cached_property
    def lacks_grants(self) -> bool:
        """Send half a GRANT, which nothing can execute; an unknown extension may have a whole one.

        Spark's own parser knows the word, and refuses whatever follows it.
        """
        extensions = {one.strip() for one in self._facts.extensions.split(",")}
        if extensions - {"", settings.EXTENSION_OF_DELTA, settings.EXTENSION_OF_ICEBERG}:
            return False
        try:
            self._spark.sql("GRANT")
        except PySparkException as error:
            return error.getCondition() == NO_GRANT
        return False

    def _choose(self, context: StagingContext, implementation: str | None) -> Kind:
        name = context.target.catalog
        is_database = implementation == CATALOG_OF_DATABASES
        is_one = (name in self._declared) != is_database  # a declared database is no Iceberg's
        is_known = implementation in ICEBERGS or (is_one and implementation not in REACH_NOTHING)
        if name != SESSION_CATALOG and implementation and not is_known:
            raise messages.unsupported(
                context.target,
                f"nothing is known of the catalog {name}, whose class is {implementation}, and "
                f"{UNKNOWN_REFUSED}",
                "use a catalog of Iceberg's or Delta's, or method: session in the profile; or "
                f"{_declaration_of(name)}",
            )
        try:
            kind = super()._choose(context, implementation)
        except StagingError as error:
            own = error.remedy.removeprefix(
                f"{settings.FORMATS_LINE.format(context.layout.file_format)}; or "
            )
            error.remedy = own.replace("in spark_conf", "where the server is started")
            raise
        if kind is Kind.FILES:
            raise messages.unsupported(
                context.target,
                f"a table of {context.layout.file_format} files can't be published atomically over "
                f"{self.over}: {FILES_REFUSED}",
                "set file_format: iceberg or delta (with such a catalog on the server), or use "
                "method: session in the profile",
            )
        return kind

    def _open(self, context: StagingContext, kind: Kind) -> StagingCatalog:
        if kind is Kind.DATABASE:
            return DatabaseCatalog(open_database(self._spark, context))
        name, is_iceberg = context.target.catalog, kind is Kind.ICEBERG
        options = self._options(name)
        is_known = settings.iceberg_kind(options) is not None or settings.is_hadoop(options)
        if is_iceberg and not is_known and name not in self._declared:
            raise messages.unsupported(
                context.target,
                f"it is not known whether {settings.iceberg_implementation(options)} swaps an "
                f"Iceberg table's metadata in one step, and over {self.over} no probe can find out",
                f"use a catalog of type hive, jdbc, rest or hadoop ({SETTINGS}{name}.type), or "
                f"method: session; or {_declaration_of(name)}",
            )
        branches = is_iceberg and settings.publishes_by_branch(options, self._facts)
        tables = SqlTables(asking(self._spark), name, kind.value, has_branches=branches)
        return StatementCatalog(tables, reached(kind.value, self.over))


def _declaration_of(catalog: str) -> str:
    return (
        f"set {DECLARED}: [{catalog}] in the profile, if it is a catalog of Iceberg's that refuses "
        "a commit over another's, as those of Glue and Nessie do"
    )
