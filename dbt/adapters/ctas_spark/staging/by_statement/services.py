"""What staging works with in a catalog that publishes by statement; put together once."""

from collections.abc import Callable
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.by_statement.tables import CatalogTables
from dbt.adapters.ctas_spark.staging.engines.protocol import Engine
from dbt.adapters.ctas_spark.staging.lease import Lease, StorageClock
from dbt.adapters.ctas_spark.staging.native.leases import OtherRuns
from dbt.adapters.ctas_spark.staging.native.namespaces import leases_of
from dbt.adapters.ctas_spark.staging.retention import RetentionRules
from dbt.adapters.ctas_spark.staging.storage import Storage


@dataclass(frozen=True, slots=True)
class StatementServices:
    """The lease is this catalog's own: its files lie beside the staging namespace's tables."""

    tables: CatalogTables
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

    def other_runs(self, namespace: str, rules: RetentionRules) -> OtherRuns:
        """The runs that stage, or staged, in ``namespace``."""
        return OtherRuns(self.storage, self.leases(namespace), self.lease, rules)
