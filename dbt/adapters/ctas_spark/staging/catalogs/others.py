"""The catalogs beside the session's tables of files, each opened by the first model on it."""

import threading
from collections.abc import Callable, Mapping
from functools import cached_property, partial

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.declared import probed
from dbt.adapters.ctas_spark.staging.catalogs.iceberg_kinds import (
    HADOOP_NAMES,
    implementation_of,
    kind_of,
)
from dbt.adapters.ctas_spark.staging.catalogs.kinds import (
    SETTINGS,
    Kind,
    SessionFacts,
    choose,
    declaration_of,
)
from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.catalogs.session_settings import settings_below
from dbt.adapters.ctas_spark.staging.catalogs.statement_kinds import HADOOP, Listed
from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG, Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.delta.catalog import DeltaCatalog
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables
from dbt.adapters.ctas_spark.staging.engines.session import SessionEngine
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, StorageError
from dbt.adapters.ctas_spark.staging.files.catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.iceberg.catalog import IcebergCatalog
from dbt.adapters.ctas_spark.staging.iceberg.services import IcebergServices
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergTables
from dbt.adapters.ctas_spark.staging.publish.namespaces import leases_of
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.statement.catalog import StatementCatalog
from dbt.adapters.ctas_spark.staging.statement.services import StatementServices
from dbt.adapters.ctas_spark.staging.statement.tables import CatalogTables
from dbt.adapters.ctas_spark.staging.storage.client import Storage

Key = tuple[str, str | None]
"""A catalog's name, and a format where its catalog is of one format only."""


class OtherCatalogs:
    """Opened once for an invocation; each has a lease of its own, but Delta's is the session's.

    ``declared`` is what the user says of catalogs that nobody here knows; ``leases`` are those of
    the catalogs that were opened.
    """

    def __init__(
        self,
        spark: SparkSession,
        session_catalog: SessionCatalog,
        storage: Storage,
        on_missed_beat: Callable[[StorageError], None],
        declared: Mapping[str, Atomicity],
    ) -> None:
        self._spark = spark
        self._delta = DeltaCatalog(session_catalog, DeltaTables(spark))
        self._storage = storage
        self._on_missed_beat = on_missed_beat
        self._declared = declared
        self._guard = threading.Lock()
        self._opened: dict[Key, StagingCatalog] = {}
        self.leases: list[Lease] = []

    def serving(self, context: StagingContext) -> StagingCatalog | None:
        """The catalog for the context; None for a table of files in the session catalog.

        Raises:
            StagingError: no catalog serves it, or it reaches nothing.
        """
        name = context.target.catalog
        implementation = self._spark.conf.get(f"{SETTINGS}{name}", None)
        kind = choose(context, implementation, self._facts, self._declared.get(name))
        if kind is Kind.FILES:
            return None
        if kind is Kind.DELTA:
            return self._delta
        with self._guard:
            if kind is Kind.ICEBERG:
                return self._once((name, None), lambda: self._iceberg(context))
            layout = context.layout
            key = (name, layout.file_format if layout.format_given else None)
            return self._once(key, lambda: self._by_statement(context, None))

    def close(self) -> None:
        """Give the leases back."""
        with self._guard:
            for lease in self.leases:
                lease.close()
            self.leases.clear()
            self._opened.clear()

    @cached_property
    def _facts(self) -> SessionFacts:
        return SessionFacts.of(self._spark)

    def _once(self, key: Key, opened: Callable[[], StagingCatalog]) -> StagingCatalog:
        if key not in self._opened:
            self._opened[key] = opened()
        return self._opened[key]

    def _lease(self, catalog: str) -> Lease:
        lease = Lease(self._storage, self._on_missed_beat, catalog)
        self.leases.append(lease)
        return lease

    def _iceberg(self, context: StagingContext) -> StagingCatalog:
        name = context.target.catalog
        options = settings_below(self._spark, f"{SETTINGS}{name}.")
        kind = kind_of(name, options)
        if kind is None:
            return self._iceberg_by_statement(context, implementation_of(options))
        services = IcebergServices(
            IcebergTables(self._spark, name),
            self._storage,
            SessionEngine(self._spark),
            self._lease(f"iceberg {name}"),
        )
        return IcebergCatalog(services, kind)

    def _iceberg_by_statement(self, context: StagingContext, implemented: str) -> StagingCatalog:
        """A catalog of Iceberg's that is not known to compare and swap a table's metadata."""
        name = context.target.catalog
        listed = HADOOP if implemented in HADOOP_NAMES else None
        if name != SESSION_CATALOG and (listed is not None or name in self._declared):
            return self._by_statement(context, listed)
        use = f"use a catalog of type hive, jdbc, rest ({SETTINGS}{name}.type)"
        raise AtomicityNotSupportedError(
            f"nothing is published atomically on the Iceberg catalog {name}: it is not known "
            f"whether {implemented} compares and swaps a table's metadata",
            left="nothing was started",
            remedy=use if name == SESSION_CATALOG else f"{use}; or {declaration_of(name)}",
        )

    def _by_statement(self, context: StagingContext, listed: Listed | None) -> StagingCatalog:
        name = context.target.catalog
        tables = CatalogTables(self._spark, name)
        services = StatementServices(
            tables,
            self._storage,
            SessionEngine(self._spark),
            self._lease(f"by statement {name}"),
            partial(leases_of, tables),
            staging=tables,
        )
        # who is not on the list is here because of a declaration
        level = self._declared.get(name, Atomicity.ATOMIC)
        return StatementCatalog(services, probed(services, context.layout, level, listed))
