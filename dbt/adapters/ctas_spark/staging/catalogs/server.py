"""The catalogs of a session without a JVM: those whose commit is a statement, and no others.

``Capabilities.needs_jvm`` decides who may serve it. What the formats' own conditional commits reach
is ``isolated``; a native CREATE or REPLACE TABLE reaches ``atomic``.
"""

import re
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NoReturn

from dbt.adapters.ctas_spark.staging.catalogs import delta_settings
from dbt.adapters.ctas_spark.staging.catalogs.iceberg_kinds import implementation_of, swaps
from dbt.adapters.ctas_spark.staging.catalogs.kinds import (
    OF_CLASS,
    SETTINGS,
    Kind,
    SessionFacts,
    choose,
)
from dbt.adapters.ctas_spark.staging.catalogs.protocol import (
    Capabilities,
    ConflictCheck,
    StagingCatalog,
)
from dbt.adapters.ctas_spark.staging.catalogs.session_settings import settings_below
from dbt.adapters.ctas_spark.staging.catalogs.statement_kinds import NOT_ISOLATED
from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG, Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.remote import RemoteStatements
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    StagingError,
    StorageError,
)
from dbt.adapters.ctas_spark.staging.publish import ways
from dbt.adapters.ctas_spark.staging.retention.lease import Lease, new_lease_id
from dbt.adapters.ctas_spark.staging.statement.catalog import StatementCatalog
from dbt.adapters.ctas_spark.staging.statement.services import StatementServices
from dbt.adapters.ctas_spark.staging.statement.sql import asking
from dbt.adapters.ctas_spark.staging.statement.sql_formats import (
    DeltaBySql,
    IcebergBySql,
    SqlFormat,
)
from dbt.adapters.ctas_spark.staging.statement.sql_tables import SqlTables
from dbt.adapters.ctas_spark.staging.statement.table_texts import TableTexts

LETTER = "s"
LEASE_ID = re.compile(rf"\d{{8}}t\d{{6}}{LETTER}[0-9a-f]{{8}}")
VERSION_ID = re.compile(rf"{LEASE_ID.pattern}_\d{{4,}}")
"""Other than those of runs with a JVM: they keep their leases elsewhere, and stage otherwise.

Over Spark Connect and over Thrift they are the same, so that the runs of both see each other.
"""
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
DECLARED_REFUSED = "the probe of a declaration calls the catalog through the driver's JVM"
REFUSED = (("a table of files", FILES_REFUSED), ("a declared catalog", DECLARED_REFUSED))
FORMATS: Mapping[Kind, SqlFormat] = {Kind.ICEBERG: IcebergBySql(), Kind.DELTA: DeltaBySql()}


def reached(format_name: str, over: str) -> Capabilities:
    """What the format's native replace reaches; ``over`` is the way to the server."""
    return Capabilities(
        f"{format_name}, over {over}",
        ConflictCheck.NONE,
        Atomicity.ATOMIC,
        WHY_NOT_MORE.format(over),
        INSTEAD,
        replaces_by=ways.REPLACE,
        needs_jvm=False,
    )


class CatalogsWithoutJvm:
    """Opened once for an invocation; each catalog and format has a lease of its own.

    ``over`` is the way to the server, as messages name it.
    """

    def __init__(
        self, spark: Any, on_missed_beat: Callable[[StorageError], None], over: str
    ) -> None:
        self.over = over
        self._spark = spark
        self._on_missed_beat = on_missed_beat
        self._guard = threading.Lock()
        self._opened: dict[tuple[str, Kind], StagingCatalog] = {}
        self._leases: list[Lease] = []
        self.run = new_lease_id(LETTER)

    def catalog_for(self, context: StagingContext) -> StagingCatalog:
        """The catalog that serves the context's target and format.

        Raises:
            StagingError: none does without a JVM; it says what would.
        """
        name = context.target.catalog
        implementation = self._spark.conf.get(f"{SETTINGS}{name}", None)
        if name != SESSION_CATALOG and implementation and implementation not in OF_CLASS:
            _refuse(
                context,
                f"nothing is known of the catalog {name}, whose class is {implementation}, and "
                f"{DECLARED_REFUSED}",
                "use a catalog of Iceberg's or Delta's, or method: session in the profile",
            )
        try:
            kind = choose(context, implementation, self._facts)
        except StagingError as error:
            error.remedy = error.remedy.replace("in spark_conf", "where the server is started")
            raise
        if kind is Kind.ICEBERG:
            self._check_iceberg(context)
        elif kind is not Kind.DELTA:
            self._refuse_files(context)
        with self._guard:
            key = (name, kind)
            if key not in self._opened:
                self._opened[key] = self._open(name, FORMATS[kind])
            return self._opened[key]

    def close(self) -> None:
        """Give the leases back."""
        with self._guard:
            for lease in self._leases:
                lease.close()
            self._leases.clear()
            self._opened.clear()

    @cached_property
    def _facts(self) -> SessionFacts:
        """A class that the server has not is told by its first statement."""
        extensions = self._spark.conf.get(delta_settings.EXTENSIONS, "") or ""
        return SessionFacts(self._spark.version, extensions, has_iceberg=True, has_delta=True)

    def _open(self, name: str, file_format: SqlFormat) -> StagingCatalog:
        ask = asking(self._spark)
        tables = SqlTables(ask, name, file_format)
        texts = TableTexts(ask, tables)
        lease = Lease(
            texts,
            self._on_missed_beat,
            f"over {self.over} {name} {file_format.name}",
            new_lease_id(LETTER),
        )
        self._leases.append(lease)
        services = StatementServices(
            tables,
            texts,
            RemoteStatements(self._spark),
            lease,
            leases_in=lambda namespace: namespace,
            version_id=VERSION_ID,
            lease_id=LEASE_ID,
        )
        return StatementCatalog(services, lambda _: reached(file_format.name, self.over))

    def _check_iceberg(self, context: StagingContext) -> None:
        """Refuse a catalog of which nobody knows whether it swaps a table's metadata."""
        name = context.target.catalog
        options = settings_below(self._spark, f"{SETTINGS}{name}.")
        if not swaps(options):
            _refuse(
                context,
                f"it is not known whether {implementation_of(options)} swaps an Iceberg table's "
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
    raise AtomicityNotSupportedError(
        what, table=context.target, left="it is unchanged; no job was started", remedy=remedy
    )
