"""What staging works with in an Iceberg catalog; put together once."""

from collections.abc import Callable
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.engines.protocol import Engine
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergTables
from dbt.adapters.ctas_spark.staging.publish.namespaces import leases_of
from dbt.adapters.ctas_spark.staging.retention.lease import Lease, StorageClock
from dbt.adapters.ctas_spark.staging.storage.client import Storage


@dataclass(frozen=True, slots=True)
class IcebergServices:
    """The lease is this catalog's own: its files lie beside the staging namespace's tables."""

    tables: IcebergTables
    storage: Storage
    engine: Engine
    lease: Lease

    def leases(self, namespace: str) -> str:
        """The directory of the leases of all runs that stage in ``namespace``.

        Raises:
            StagingError: the namespace has no directory.
        """
        return leases_of(self.tables, namespace)

    def clock(self, namespace: str) -> Callable[[], int]:
        """The storage's time in milliseconds; each look is a heartbeat."""
        return StorageClock(self.lease, self.leases(namespace))
