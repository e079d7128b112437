"""Delete the leases of runs that are over and have nothing staged in a catalog any more."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.files.records import lease_of, version_of
from dbt.adapters.ctas_spark.staging.files.versions import VERSION_ID
from dbt.adapters.ctas_spark.staging.retention import lease_file
from dbt.adapters.ctas_spark.staging.retention.dead_leases import LEASE_ID
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseState
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport
from dbt.adapters.ctas_spark.staging.storage.client import TextStore


@dataclass(frozen=True, slots=True)
class OtherRuns:
    """What is known of the runs whose leases lie beside our own, in ``directory``."""

    storage: TextStore
    directory: str
    own: Lease
    rules: RetentionRules
    version_id: re.Pattern[str] = VERSION_ID
    lease_id: re.Pattern[str] = LEASE_ID

    def state_of(self, lease: str) -> LeaseState:
        """What is known of one; StorageError if that could not be found out."""
        now = self.own.beat(self.directory)
        return lease_file.state_of(self.storage, self.directory, lease, now)

    def is_over(self, lease: str) -> bool:
        """True if it has ended for sure, or has been silent for as long as one waits for any."""
        state = self.state_of(lease)
        if state is not LeaseState.EXPIRED:
            return state.is_over
        stored = self.storage.read(f"{self.directory}/{lease}")
        if stored is None:
            return True
        return self.own.beat(self.directory) - stored.modified_ms >= self.rules.unknown_after_ms

    def delete_dead(self, staged: Iterable[TableName], report: StepReport) -> None:
        """A lease leads from a staged table to its run, so it goes after all of those.

        Another catalog's stays: what it staged can't be seen from here.

        Raises:
            StorageError: it could not be found out whether a lease may go.
        """
        versions = filter(self.version_id.fullmatch, map(version_of, staged))
        needed = {self.own.id, *map(lease_of, versions)}
        for lease in self.storage.children(self.directory):
            if not self.lease_id.fullmatch(lease) or lease in needed:
                continue
            catalog = lease_file.catalog_of(self.storage, self.directory, lease)
            if catalog == self.own.catalog and self.is_over(lease):
                with report.within(Step.DELETE_LEASE):
                    self.storage.delete(f"{self.directory}/{lease}")
