"""What staging works with in a catalog that publishes by statement; put together once."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.engines.protocol import Statements
from dbt.adapters.ctas_spark.staging.files.versions import VERSION_ID
from dbt.adapters.ctas_spark.staging.retention.dead_leases import LEASE_ID
from dbt.adapters.ctas_spark.staging.retention.lease import Lease, StorageClock
from dbt.adapters.ctas_spark.staging.retention.native_leases import OtherRuns
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.statement.client import TableClient
from dbt.adapters.ctas_spark.staging.statement.tables import CatalogTables
from dbt.adapters.ctas_spark.staging.storage.client import TextStore


@dataclass(frozen=True, slots=True)
class StatementServices:
    """The lease is this catalog's own.

    ``leases_in`` names the directory of the leases of all runs that stage in a namespace, or raises
    StagingError. ``staging`` are the same tables through the JVM, where that stages commits in
    single calls; None without a JVM. ``version_id`` and ``lease_id`` are how runs of this
    connection name theirs: what another's staged beside them is not theirs to judge.
    """

    tables: TableClient
    storage: TextStore
    engine: Statements
    lease: Lease
    leases_in: Callable[[str], str]
    staging: CatalogTables | None = None
    version_id: re.Pattern[str] = VERSION_ID
    lease_id: re.Pattern[str] = LEASE_ID

    def leases(self, namespace: str) -> str:
        """The directory of the leases of all runs that stage in ``namespace``.

        Raises:
            StagingError: the namespace has none.
        """
        return self.leases_in(namespace)

    def clock(self, namespace: str) -> Callable[[], int]:
        """The storage's time in milliseconds; each look is a heartbeat."""
        return StorageClock(self.lease, self.leases(namespace))

    def other_runs(self, namespace: str, rules: RetentionRules) -> OtherRuns:
        """The runs that stage, or staged, in ``namespace``."""
        return OtherRuns(
            self.storage,
            self.leases(namespace),
            self.lease,
            rules,
            self.version_id,
            self.lease_id,
        )

    def in_single_calls(self) -> CatalogTables:
        """The tables through the JVM, which only a catalog that was opened with it has."""
        if self.staging is None:
            raise RuntimeError(f"the catalog {self.tables.name} was opened without a JVM")
        return self.staging
