"""Delete the leases of runs that are over and of which nothing unpublished is left."""

import logging
import re
from collections.abc import Collection, Mapping

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.files.directories import LEASES, VersionRoot
from dbt.adapters.ctas_spark.staging.files.records import lease_of, version_of
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import TARGET, Marker
from dbt.adapters.ctas_spark.staging.retention import lease_file
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseState
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.retention.run_records import records_of_run
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)

LEASE_ID = re.compile(r"\d{8}t\d{6}x[0-9a-f]{8}")


class DeadLeases:
    """What one invocation knows of the runs before it.

    A lease leads from a version to its run, so it goes last: after every directory and record of
    the run, but for versions that were published, whose fate no longer hangs on their run. One
    leftover of each lease is remembered: until that is gone, nothing is listed again.
    """

    def __init__(self) -> None:
        self._leftovers: dict[str, str] = {}

    def delete(
        self,
        services: Services,
        root: VersionRoot,
        rules: RetentionRules,
        now_ms: int,
        report: StepReport,
    ) -> None:
        """Delete what may go of the leases beside ``root``.

        Args:
            now_ms: the storage's time, read by a beat of one's own lease.

        Raises:
            MetastoreError, StorageError: it could not be found out whether a lease may go.
        """
        over = [
            lease
            for lease in services.storage.children(root.leases)
            if LEASE_ID.fullmatch(lease)
            and lease != services.lease.id
            and _is_over(services, root, lease, rules, now_ms)
            and not self._has_still(services, lease)
        ]
        if not over:
            return
        records = {lease: records_of_run(services.metastore, lease) for lease in over}
        directories = _directories_of(services, root, over)
        for lease in over:
            if self._has_left(services, lease, records[lease], directories[lease]):
                continue
            with report.within(Step.DELETE_LEASE):
                services.storage.delete(f"{root.leases}/{lease}")
            logger.debug("the lease %s of a run that is over was deleted", lease)

    def _has_still(self, services: Services, lease: str) -> bool:
        known = self._leftovers.get(lease)
        return known is not None and services.storage.exists(known)

    def _has_left(
        self,
        services: Services,
        lease: str,
        records: Mapping[str, TableEntry],
        directories: Mapping[str, str],
    ) -> bool:
        published = {version for version in records if _is_published(services, records[version])}
        left = [directories[version] for version in directories.keys() - published]
        if left:
            self._leftovers[lease] = left[0]
        return bool(left) or not records.keys() <= published


def _is_over(
    services: Services, root: VersionRoot, lease: str, rules: RetentionRules, now_ms: int
) -> bool:
    """True if the run has ended for sure, or has been silent for as long as one waits for any."""
    state = lease_file.state_of(services.storage, root.leases, lease, now_ms)
    if state is not LeaseState.EXPIRED:
        return state is LeaseState.ENDED
    stored = services.storage.read(f"{root.leases}/{lease}")
    return stored is not None and now_ms - stored.modified_ms >= rules.unknown_after_ms


def _directories_of(
    services: Services, root: VersionRoot, leases: Collection[str]
) -> Mapping[str, Mapping[str, str]]:
    """The versions of runs, of whatever table, with their directories: one look for all runs."""
    found: dict[str, dict[str, str]] = {lease: {} for lease in leases}
    for table in services.storage.children(root.parent):
        if table == LEASES:
            continue
        beside = VersionRoot(root.parent, table)
        for version in services.storage.children(str(beside)):
            if lease_of(version) in found:
                found[lease_of(version)][version] = beside.version(version)
    return found


def _is_published(services: Services, record: TableEntry) -> bool:
    """True if the lineage of the record's target has its version."""
    database, _, table = record.parameters.get(TARGET, "").partition(".")
    marker = Marker.of(services.metastore.get_table(TableName(database, table)))
    return marker is not None and marker.lineage.has_version(version_of(record.name))
