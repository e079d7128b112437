"""The catalogs of a session without a JVM: those whose commit is a statement, and no others.

``Capabilities.needs_jvm`` decides who may serve it. What the formats' own conditional commits reach
is ``isolated``; a native CREATE or REPLACE TABLE reaches ``atomic``.
"""

import threading
import uuid
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NoReturn

from dbt.adapters.ctas_spark.staging.catalogs import settings
from dbt.adapters.ctas_spark.staging.catalogs.kinds import (
    NOT_ISOLATED,
    OF_CLASS,
    Kind,
    SessionFacts,
    choose,
    has_branches,
    implementation_of,
)
from dbt.adapters.ctas_spark.staging.catalogs.protocol import (
    Capabilities,
    ConflictCheck,
    StagingCatalog,
)
from dbt.adapters.ctas_spark.staging.catalogs.settings import SETTINGS
from dbt.adapters.ctas_spark.staging.clock import ReadClock
from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG, Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.remote import RemoteStatements
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.statement.catalog import StatementCatalog
from dbt.adapters.ctas_spark.staging.statement.tables import (
    DeltaBySql,
    IcebergBySql,
    SqlFormat,
    SqlTables,
    asking,
)
from dbt.adapters.ctas_spark.staging.statement.version import StatementServices

CONNECT = "Spark Connect"
THRIFT = "Thrift"
WHY_NOT_MORE = (
    "a commit that is conditional on what the model saw is made by the format's Java classes, and "
    f"over {{}} the driver's JVM can't be reached; {NOT_ISOLATED}"
)
INSTEAD = "use method: session in the profile for isolated, or set atomicity: auto"
FILES_REFUSED = (
    "its publication takes calls of the metastore and the storage, which only the driver's JVM "
    "reaches"
)
UNKNOWN_REFUSED = "a probe of it would call the catalog through the driver's JVM"
REFUSED = (("a table of files", FILES_REFUSED), ("a catalog that is not known", UNKNOWN_REFUSED))
FORMATS: Mapping[Kind, SqlFormat] = {Kind.ICEBERG: IcebergBySql(), Kind.DELTA: DeltaBySql()}


def reached(format_name: str, over: str) -> Capabilities:
    """What the format's native replace reaches; ``over`` is the way to the server."""
    return Capabilities(
        f"{format_name}, over {over}",
        ConflictCheck.NONE,
        Atomicity.ATOMIC,
        WHY_NOT_MORE.format(over),
        INSTEAD,
        needs_jvm=False,
    )


class CatalogsWithoutJvm:
    """Opened once for an invocation; ``run`` is its id.

    ``over`` is the way to the server, as messages name it.
    """

    def __init__(self, spark: Any, over: str) -> None:
        self.run = uuid.uuid4().hex
        self.over = over
        self._spark = spark
        self._guard = threading.Lock()
        self._opened: dict[tuple[str, Kind], StagingCatalog] = {}

    def catalog_for(self, context: StagingContext) -> StagingCatalog:
        """The catalog that serves the context's target and format.

        Raises:
            StagingError: none does without a JVM; it says what would.
        """
        name = context.target.catalog
        kind = self._choose(context)
        if kind is Kind.FILES:
            self._refuse_files(context)
        if kind is Kind.ICEBERG:
            self._check_iceberg(context)
        with self._guard:
            if (name, kind) not in self._opened:
                self._opened[name, kind] = self._open(name, kind)
            return self._opened[name, kind]

    def close(self) -> None:
        """Nothing is held on the server."""
        with self._guard:
            self._opened.clear()

    @cached_property
    def _facts(self) -> SessionFacts:
        """A class that the server has not is told by its first statement."""
        extensions = self._spark.conf.get(settings.EXTENSIONS, "") or ""
        return SessionFacts(self._spark.version, extensions, has_iceberg=True, has_delta=True)

    def _choose(self, context: StagingContext) -> Kind:
        name = context.target.catalog
        implementation = implementation_of(self._spark, name)
        if name != SESSION_CATALOG and implementation and implementation not in OF_CLASS:
            _refuse(
                context,
                f"nothing is known of the catalog {name}, whose class is {implementation}, and "
                f"{UNKNOWN_REFUSED}",
                "use a catalog of Iceberg's or Delta's, or method: session in the profile",
            )
        try:
            return choose(context, implementation, self._facts)
        except StagingError as error:
            error.remedy = error.remedy.replace("in spark_conf", "where the server is started")
            raise

    def _open(self, name: str, kind: Kind) -> StagingCatalog:
        file_format = FORMATS[kind]
        tables = SqlTables(asking(self._spark), name, file_format)
        driver = ReadClock(tables.now_ms)
        services = StatementServices(tables, RemoteStatements(self._spark), driver)
        copied = reached(file_format.name, self.over)
        branches = kind is Kind.ICEBERG and has_branches(self._facts)
        return StatementCatalog(services, copied, has_branches=branches)

    def _check_iceberg(self, context: StagingContext) -> None:
        """Refuse a catalog of which nobody knows whether it swaps a table's metadata."""
        name = context.target.catalog
        options = settings.settings_below(self._spark, f"{SETTINGS}{name}.")
        if settings.iceberg_kind(options) is None and not settings.is_hadoop(options):
            implementation = settings.iceberg_implementation(options)
            _refuse(
                context,
                f"it is not known whether {implementation} swaps an Iceberg table's "
                f"metadata in one step, and over {self.over} no probe can find out",
                f"use a catalog of type hive, jdbc, rest or hadoop ({SETTINGS}{name}.type), or "
                "method: session",
            )

    def _refuse_files(self, context: StagingContext) -> NoReturn:
        file_format = context.layout.file_format
        _refuse(
            context,
            f"a table of {file_format} files can't be published atomically over {self.over}: "
            f"{FILES_REFUSED}",
            "set file_format: iceberg or delta (with such a catalog on the server), or use method: "
            "session in the profile",
        )


def _refuse(context: StagingContext, what: str, remedy: str) -> NoReturn:
    raise settings.refused(context, what, remedy)
