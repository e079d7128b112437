"""The catalogs of a Spark session in this process, each opened by the first model that needs it."""

import threading
import uuid
from collections.abc import Sequence
from functools import cached_property

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs import declared, settings
from dbt.adapters.ctas_spark.staging.catalogs.declared import Probe
from dbt.adapters.ctas_spark.staging.catalogs.kinds import (
    CATALOG_OF_ICEBERG,
    DECLARED,
    HADOOP,
    OF_CLASS,
    Kind,
    SessionFacts,
    choose,
    declaration_of,
    has_branches,
    implementation_of,
)
from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.catalogs.settings import SETTINGS, IcebergKind
from dbt.adapters.ctas_spark.staging.clock import SYSTEM_CLOCK, Clock, ReadClock
from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG, StagingContext
from dbt.adapters.ctas_spark.staging.delta.catalog import DeltaCatalog
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.engines.session import SessionEngine
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, NoSuchCatalogError
from dbt.adapters.ctas_spark.staging.files.catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.iceberg.catalog import IcebergCatalog
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergServices, IcebergTables
from dbt.adapters.ctas_spark.staging.metastore.opening import OpenedMetastore, open_metastore
from dbt.adapters.ctas_spark.staging.statement.catalog import StatementCatalog
from dbt.adapters.ctas_spark.staging.statement.tables import IcebergBySql, SqlTables, asking
from dbt.adapters.ctas_spark.staging.statement.version import StatementServices
from dbt.adapters.ctas_spark.staging.storage.hadoop import HadoopStorage


class CatalogsWithJvm:
    """Opened once for an invocation; ``run`` is its id.

    Nothing is opened before a model needs it: with every model on a catalog of Iceberg's own, no
    client of a metastore is made.
    """

    def __init__(
        self,
        spark: SparkSession,
        iceberg_catalogs: Sequence[str] = (),
        *,
        repeatable_reads: bool = False,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.run = uuid.uuid4().hex
        self._spark = spark
        self._declared = frozenset(iceberg_catalogs)
        self._repeatable_reads = repeatable_reads
        self._clock = clock
        self._guard = threading.RLock()  # Delta's catalog is opened with that of files
        self._opened: dict[tuple[str, Kind], StagingCatalog] = {}
        self._metastore: OpenedMetastore | None = None
        self._files: SessionCatalog | None = None

    def catalog_for(self, context: StagingContext) -> StagingCatalog:
        """The catalog that serves the context's target and format.

        Raises:
            StagingError: none does; it says which setting, jar or declaration would make one.
        """
        name = context.target.catalog
        kind = choose(context, implementation_of(self._spark, name), self._facts)
        if kind is Kind.FILES:
            return self.catalog
        with self._guard:
            if (name, kind) not in self._opened:
                self._opened[name, kind] = self._open(context, kind)
            return self._opened[name, kind]

    @property
    def catalog(self) -> SessionCatalog:
        """The session's tables of files; the first call connects to the metastore.

        Raises:
            AtomicityNotSupportedError: its metastore can't be reached from here.
        """
        with self._guard:
            if self._files is None:
                self._files = self._open_files()
            return self._files

    @property
    def description(self) -> str:
        """How the session's metastore is reached; asking connects to it."""
        with self._guard:
            return self._connected().description

    def close(self) -> None:
        """Close the metastore's connections, if there are some."""
        with self._guard:
            metastore, self._metastore, self._files = self._metastore, None, None
            self._opened.clear()
        if metastore is not None:
            metastore.metastore.close()

    @cached_property
    def _facts(self) -> SessionFacts:
        spark = self._spark
        return SessionFacts(
            spark.version,
            spark.conf.get(settings.EXTENSIONS, "") or "",
            jvm.has_class(spark, CATALOG_OF_ICEBERG),
            jvm.has_class(spark, settings.CATALOG_OF_DELTA),
            self._declared,
        )

    def _connected(self) -> OpenedMetastore:
        if self._metastore is None:
            self._metastore = open_metastore(self._spark)
        return self._metastore

    def _open_files(self) -> SessionCatalog:
        found = self._connected()
        return SessionCatalog(
            found.metastore,
            HadoopStorage(self._spark),
            SessionEngine(self._spark),
            kind=found.kind,
            locks=found.locks,
            address=found.address,
            needs_jvm=found.needs_jvm,
            clock=self._clock,
            repeatable_reads=self._repeatable_reads,
        )

    def _open(self, context: StagingContext, kind: Kind) -> StagingCatalog:
        if kind is Kind.DELTA:
            return DeltaCatalog(self.catalog, DeltaTables(self._spark))
        name = context.target.catalog
        options = settings.settings_below(self._spark, f"{SETTINGS}{name}.")
        is_known = implementation_of(self._spark, name) in OF_CLASS
        if is_known and settings.is_hadoop(options) and name != SESSION_CATALOG:
            return self._by_statement(name)
        settings.check_iceberg(name, options)
        swapped_by = settings.iceberg_kind(options) if is_known else None
        if swapped_by is None:
            self._require_declaration(name, settings.iceberg_implementation(options))
            swapped_by = IcebergKind.DECLARED
        return self._iceberg(context, swapped_by)

    def _by_statement(self, catalog: str) -> StagingCatalog:
        tables = SqlTables(asking(self._spark), catalog, IcebergBySql())
        driver = ReadClock(tables.now_ms, self._clock)
        engine = SessionEngine(self._spark)
        services = StatementServices(tables, engine, driver, self._clock)
        return StatementCatalog(services, HADOOP, has_branches=has_branches(self._facts))

    def _iceberg(self, context: StagingContext, kind: IcebergKind) -> StagingCatalog:
        name, engine = context.target.catalog, SessionEngine(self._spark)
        storage = HadoopStorage(self._spark)
        if kind is IcebergKind.DECLARED:
            tables = declared.load(lambda: IcebergTables(self._spark, name), name)
            Probe(tables, storage, engine, context.staging_schema, self._clock).run()
        else:
            tables = IcebergTables(self._spark, name)
        return IcebergCatalog(IcebergServices(tables, storage, engine, self._clock), kind)

    def _require_declaration(self, catalog: str, implementation: str) -> None:
        if catalog in self._declared:
            return
        raise AtomicityNotSupportedError(
            f"nothing is published atomically on the Iceberg catalog {catalog}: it is not known "
            f"whether {implementation} compares and swaps a table's metadata",
            left="nothing was started",
            remedy=f"use a catalog of type hive, jdbc or rest ({SETTINGS}{catalog}.type); or "
            + declaration_of(catalog),
        )


def open_catalog(
    spark: SparkSession,
    iceberg_catalogs: Sequence[str] = (),
    *,
    repeatable_reads: bool = False,
    clock: Clock = SYSTEM_CLOCK,
) -> CatalogsWithJvm:
    """The catalogs of ``spark`` for one invocation; none of them is opened yet.

    Args:
        iceberg_catalogs: those that the user declares to be Iceberg's, by name.
        repeatable_reads: what the user declares of the reads of a remote metastore.

    Raises:
        NoSuchCatalogError: a declared catalog is not there; its declaration would never be used.
    """
    for name in iceberg_catalogs:
        if not implementation_of(spark, name):
            raise NoSuchCatalogError(
                f"{DECLARED} in the profile names {name}, and Spark has no catalog of that name",
                left="nothing was started",
                remedy=f"configure it by {SETTINGS}{name} in spark_conf, or remove it",
            )
    return CatalogsWithJvm(spark, iceberg_catalogs, repeatable_reads=repeatable_reads, clock=clock)
