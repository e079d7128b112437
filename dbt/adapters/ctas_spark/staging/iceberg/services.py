"""What staging works with in an Iceberg catalog; put together once."""

from collections.abc import Callable
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.directories import FOLDER, LEASES
from dbt.adapters.ctas_spark.staging.engines.protocol import Engine
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergTables
from dbt.adapters.ctas_spark.staging.lease import Lease, StorageClock
from dbt.adapters.ctas_spark.staging.storage import Storage


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
        location = self.tables.namespace_location(namespace)
        if location is None:
            raise StagingError(
                f"the namespace {namespace} of the catalog {self.tables.name} names no location, "
                "where runs would say that they are alive",
                left="nothing was started",
                remedy=f"ALTER NAMESPACE {self.tables.name}.{namespace} SET LOCATION '...', or "
                "another staging_schema",
            )
        return f"{location.rstrip('/')}/{FOLDER}/{LEASES}"

    def clock(self, namespace: str) -> Callable[[], int]:
        """The storage's time in milliseconds; each look is a heartbeat."""
        return StorageClock(self.lease, self.leases(namespace))
