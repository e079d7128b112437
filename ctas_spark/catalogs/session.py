"""The catalogs of a Spark session in this process, each opened by the first model that needs it."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from pyspark.errors import ParseException
from pyspark.sql import SparkSession

from ..clock import SYSTEM_CLOCK, Clock
from ..context import SESSION_CATALOG, StagingContext, TableLayout, TableName
from ..database.catalog import DatabaseCatalog, open_database
from ..delta.catalog import DeltaCatalog
from ..delta.tables import DeltaTables
from ..engines import commands, jvm, sharing
from ..engines.calls import refresh
from ..engines.session import SessionEngine
from ..errors import (
    AtomicityNotSupportedError,
    NoSuchCatalogError,
    NotSupportedError,
    StagingError,
)
from ..files.catalog import SessionCatalog
from ..files.schema import Find, comment
from ..iceberg.catalog import IcebergCatalog
from ..iceberg.tables import IcebergServices, IcebergTables
from ..metastore.opening import OpenedMetastore, open_metastore
from ..publish import messages
from ..publish.catalog import StagingCatalog
from ..publish.locks import ProcessLock
from ..statement.catalog import StatementCatalog
from ..statement.tables import SqlTables, asking
from ..storage import committers
from ..storage.hadoop import HadoopStorage
from . import declared, rest, settings
from .declared import Probe
from .kinds import (
    CATALOG_OF_ICEBERG,
    DECLARED,
    FORMATS_OF,
    ICEBERG,
    ICEBERGS,
    Catalogs,
    Kind,
    declaration_of,
    implementation_of,
)
from .levels import HADOOP
from .report import SparkReport
from .rest import RestCatalog
from .settings import SETTINGS, IcebergKind, SessionFacts

logger = logging.getLogger(__name__)

OTHERS_COUNT = (
    "if a program other than dbt runs ANALYZE on a partitioned table with partition_metadata: "
    "files, it writes size 0, and every join then broadcasts the table"
)
OF_THIS_PROCESS = ProcessLock(lambda name: sharing.registered().alone(name))
"""Of every invocation in this process; processes that share one Spark share it, too."""
GRANT = "GRANT SELECT ON TABLE any_schema.any_table TO `anyone`"


class CatalogsWithJvm(Catalogs):
    """The catalogs of this process; only models of files and of Delta open a metastore's client.

    ``iceberg_catalogs`` are those that the user declares to be Iceberg's, by name, and
    ``repeatable_reads`` is what the user declares of the reads of a remote metastore. One that is
    not there is a NoSuchCatalogError: its declaration would never be used.
    """

    def __init__(
        self,
        spark: SparkSession,
        iceberg_catalogs: Sequence[str] = (),
        *,
        repeatable_reads: bool = False,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        super().__init__(spark)
        for name in iceberg_catalogs:
            if not implementation_of(spark, name):
                raise NoSuchCatalogError(
                    f"{DECLARED} in the profile names {name}, and Spark has no catalog of that "
                    "name",
                    left="nothing was started",
                    remedy=f"configure it by {SETTINGS}{name} in spark_conf, or remove it",
                )
        self._declared = frozenset(iceberg_catalogs)
        self._repeatable_reads = repeatable_reads
        self._clock = clock
        self._metastore: OpenedMetastore | None = None
        self._files: SessionCatalog | None = None

    @property
    def catalog(self) -> SessionCatalog:
        """The session's tables of files; the first call connects to the metastore."""
        with self._guard:
            if self._files is None:
                found = self._connected()
                self._files = SessionCatalog(
                    found.metastore,
                    HadoopStorage(self._spark),
                    SessionEngine(self._spark),
                    locks=found.locks or OF_THIS_PROCESS,
                    address=found.address,
                    clock=self._clock,
                    repeatable_reads=self._repeatable_reads,
                )
            return self._files

    def in_session(self, spark: SparkSession) -> "CatalogsWithJvm":
        return CatalogsOfNode(self, spark)

    def forget_cached(self, table: TableName) -> None:
        refresh(SessionEngine(self._spark), table)

    def report(self, any_table: StagingContext) -> Iterator[str]:
        of_spark = SparkReport(self._spark)
        yield from of_spark.versions()
        yield f"catalog: {SESSION_CATALOG}, {self._description()} ({of_spark.metastore()})"
        yield from of_spark.storage(self._location_of(any_table.target.database))
        of_files = replace(any_table.target, catalog=SESSION_CATALOG)
        yield f"atomicity: {self._reached(replace(any_table, target=of_files))}"
        yield from self._reached_by_others(any_table)
        yield f"statistics: {OTHERS_COUNT}"
        if any_table.target.catalog == SESSION_CATALOG:
            self._try_rights(any_table)

    def _reached_by_others(self, any_table: StagingContext) -> Iterator[str]:
        """A line for each format in the session's catalog and in the target's, but for files."""
        for name in dict.fromkeys((SESSION_CATALOG, any_table.target.catalog)):
            implementation = implementation_of(self._spark, name)
            file_format = FORMATS_OF.get(implementation or "")
            if file_format is None and name == SESSION_CATALOG:
                continue
            layout = TableLayout(file_format) if file_format else any_table.layout
            target = replace(any_table.target, catalog=name)
            reached = self._reached(replace(any_table, target=target, layout=layout))
            yield f"atomicity of {file_format or 'tables'} in {name}: {reached}"

    def check_partitions_overwritten(self, target: TableName) -> None:
        if not committers.is_chosen_by_place(self._spark):
            return
        entry = self.catalog.entry(target)
        location = entry.location if entry is not None else None
        committer = committers.committer_at(self._spark, location or "")
        if committer is not None and not committer.overwrites_partitions:
            raise NotSupportedError(
                f"partitions can't be overwritten in place: Spark refuses that with the "
                f"{committer.value} committer, which writes to {location}",
                table=target,
                left=messages.NO_JOB,
                remedy="set atomicity: isolated, which publishes old and new rows as one version",
            )

    def _location_of(self, database: str) -> str:
        """Where the schema lies; empty if it is not there, or nobody can tell."""
        with suppress(StagingError), self._guard:
            return self._connected().metastore.database_location(database) or ""
        return ""

    def comment(self, staged: TableName, find: Find) -> tuple[str, ...]:
        partition_columns = comment(self.catalog.services(staged.database).entries, staged, find)
        jvm.session_catalog(self._spark).refreshTable(jvm.identifier(self._spark, staged))
        return partition_columns

    @cached_property
    def lacks_grants(self) -> bool:
        """Ask the session's parser, which contains those of extensions; nothing is executed."""
        try:
            jvm.session(self._spark).sessionState().sqlParser().parsePlan(GRANT)
        except ParseException:
            return True
        return False

    def _counted_tables(self, sql: str) -> tuple[TableName, ...]:
        return commands.counted_tables(self._spark, sql)

    def _description(self) -> str:
        """What the metastore is; the report goes on if there is no way to it."""
        try:
            with self._guard:
                return self._connected().description
        except StagingError as error:
            return f"not known: {error}"

    def close(self) -> None:
        with self._guard:
            super().close()
            metastore, self._metastore, self._files = self._metastore, None, None
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

    def _open(self, context: StagingContext, kind: Kind) -> StagingCatalog:
        if kind is Kind.FILES:
            return self.catalog
        if kind is Kind.DELTA:
            return DeltaCatalog(self.catalog, DeltaTables(self._spark))
        if kind is Kind.DATABASE:
            return DatabaseCatalog(open_database(self._spark, context, self._clock))
        return self._open_iceberg(context)

    def _open_iceberg(self, context: StagingContext) -> StagingCatalog:
        name = context.target.catalog
        options = self._options(name)
        is_known = implementation_of(self._spark, name) in ICEBERGS
        by_branch = settings.publishes_by_branch(options, self._facts)
        tables = SqlTables(asking(self._spark), name, ICEBERG, self._clock, has_branches=by_branch)
        if is_known and settings.is_hadoop(options) and name != SESSION_CATALOG:
            return StatementCatalog(tables, HADOOP)
        swapped_by = settings.iceberg_kind(options) if is_known else None
        if swapped_by is not None:
            services = self._services(IcebergTables(self._spark, name))
            if swapped_by is not IcebergKind.REST:
                return IcebergCatalog(services, swapped_by.value)
            forked = IcebergCatalog(services, swapped_by.value, may_refuse_forks=True)
            return RestCatalog(forked, StatementCatalog(tables, rest.IN_SQL))
        if name not in self._declared:
            raise _undeclared(name, settings.iceberg_implementation(options))
        services = self._services(declared.load(self._spark, name))
        self._probe(services, context)
        return IcebergCatalog(services, IcebergKind.DECLARED.value)

    def _probe(self, services: IcebergServices, context: StagingContext) -> None:
        Probe(services, context.staging_schema, context.target).run()

    def _services(self, tables: IcebergTables) -> IcebergServices:
        return IcebergServices(tables, SessionEngine(self._spark), self._clock)


class CatalogsOfNode(CatalogsWithJvm):
    """A run's catalogs, for statements in a node's own session.

    Only Iceberg's look at a query, and at settings. All else is the run's: connections, locks,
    and what was probed.
    """

    def __init__(self, of_run: CatalogsWithJvm, spark: SparkSession) -> None:
        super().__init__(spark)
        self.run = of_run.run
        self._of_run = of_run
        self._declared = of_run._declared  # noqa: SLF001 (its own class)

    @property
    def catalog(self) -> SessionCatalog:
        return self._of_run.catalog

    @property
    def lacks_grants(self) -> bool:
        return self._of_run.lacks_grants

    @property
    def _facts(self) -> SessionFacts:
        return self._of_run._facts  # noqa: SLF001 (its own class)

    def _open(self, context: StagingContext, kind: Kind) -> StagingCatalog:
        of_run = self._of_run.catalog_for(context)
        return self._open_iceberg(context) if kind is Kind.ICEBERG else of_run

    def _probe(self, services: IcebergServices, context: StagingContext) -> None:
        """The run has done that."""


def _undeclared(catalog: str, implementation: str) -> AtomicityNotSupportedError:
    return AtomicityNotSupportedError(
        f"nothing is published atomically on the Iceberg catalog {catalog}: it is not known "
        f"whether {implementation} compares and swaps a table's metadata",
        left="nothing was started",
        remedy=f"use a catalog of type hive, jdbc or rest ({SETTINGS}{catalog}.type); or "
        + declaration_of(catalog),
    )
