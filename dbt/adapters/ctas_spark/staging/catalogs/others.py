"""The catalogs of formats that commit by themselves, each opened by the first model on it."""

import threading
from collections.abc import Callable

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.delta import DeltaCatalog
from dbt.adapters.ctas_spark.staging.catalogs.iceberg import IcebergCatalog
from dbt.adapters.ctas_spark.staging.catalogs.iceberg_kinds import kind_of
from dbt.adapters.ctas_spark.staging.catalogs.kinds import SETTINGS, Kind, kind_for
from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.catalogs.session_catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables
from dbt.adapters.ctas_spark.staging.engines.session import SessionEngine
from dbt.adapters.ctas_spark.staging.errors import StorageError
from dbt.adapters.ctas_spark.staging.iceberg.services import IcebergServices
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergTables
from dbt.adapters.ctas_spark.staging.lease import Lease
from dbt.adapters.ctas_spark.staging.storage import Storage


class OtherCatalogs:
    """Opened once for an invocation; Iceberg's have a lease each, Delta's is the session's."""

    def __init__(
        self,
        spark: SparkSession,
        session_catalog: SessionCatalog,
        storage: Storage,
        on_missed_beat: Callable[[StorageError], None],
    ) -> None:
        self._spark = spark
        self._delta = DeltaCatalog(session_catalog, DeltaTables(spark))
        self._storage = storage
        self._on_missed_beat = on_missed_beat
        self._guard = threading.Lock()
        self._opened: dict[str, tuple[StagingCatalog, Lease]] = {}

    def serving(self, context: StagingContext) -> StagingCatalog | None:
        """The catalog for the context; None for a table of files in the session catalog.

        Raises:
            StagingError: no catalog serves it, or it reaches nothing.
        """
        kind = kind_for(self._spark, context)
        if kind is Kind.FILES:
            return None
        if kind is Kind.DELTA:
            return self._delta
        name = context.target.catalog
        with self._guard:
            if name not in self._opened:
                self._opened[name] = self._open_iceberg(name)
            return self._opened[name][0]

    def close(self) -> None:
        """Give the leases back."""
        with self._guard:
            for _, lease in self._opened.values():
                lease.close()
            self._opened.clear()

    def _open_iceberg(self, name: str) -> tuple[StagingCatalog, Lease]:
        kind = kind_of(name, _settings_below(self._spark, f"{SETTINGS}{name}."))
        lease = Lease(self._storage, self._on_missed_beat, f"iceberg {name}")
        services = IcebergServices(
            IcebergTables(self._spark, name), self._storage, SessionEngine(self._spark), lease
        )
        return IcebergCatalog(services, kind), lease


def _settings_below(spark: SparkSession, prefix: str) -> dict[str, str]:
    """The session's settings whose names begin with ``prefix``, without it."""
    found = spark.sql("SET").collect()
    return {row.key.removeprefix(prefix): row.value for row in found if row.key.startswith(prefix)}
