"""Bring the metastore's partitions of a published version in line with its directories.

Readers are right before, during and after: until the last call Spark lists the directories itself.
Every step is made under a lock, looks at the marker again, and adds no partition but the version's
own. Source of the two parts: a swap that keeps ``spark.sql.partitionProvider`` lets Spark read the
partitions of the version before.
"""

import logging
from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError, StagingError
from dbt.adapters.ctas_spark.staging.files import bookkeeper
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.locks import CommitLock, HeldCheck
from dbt.adapters.ctas_spark.staging.files.publication import (
    PARTITION_PROVIDER,
    PARTITIONS,
    PartitionState,
)
from dbt.adapters.ctas_spark.staging.files.records import record_name
from dbt.adapters.ctas_spark.staging.files.restamp import restamped
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.metastore.client import Partition
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import Kind, Marker
from dbt.adapters.ctas_spark.staging.quoting import table as quoted
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 10
BY_METASTORE = "catalog"


class Bookkeeping:
    """The partitions of one target's published version.

    ``storage_time`` returns the storage's time in milliseconds.
    """

    def __init__(
        self,
        context: StagingContext,
        services: Services,
        lock: CommitLock,
        report: StepReport,
        storage_time: Callable[[], int],
    ) -> None:
        self._context = context
        self._target = context.target
        self._services = services
        self._metastore = services.metastore
        self._lock = lock
        self._report = report
        self._storage_time = storage_time

    def run(self, version: str) -> PartitionState:
        """Drop the partitions of other versions, and track ``version``'s own if that is pending.

        What can't be done now is said and left pending: the next begin does it then.
        """
        try:
            with self._lock.held(self._target) as check:
                return self._under_lock(version, check)
        except StagingError as error:
            logger.warning(
                "%s: its partitions are not tracked yet, the next run does it; reads are right, "
                "SHOW PARTITIONS is refused: %s",
                self._target,
                error.what,
            )
            return PartitionState.PENDING

    def _under_lock(self, version: str, check: HeldCheck) -> PartitionState:
        record = record_name(self._context.staging_schema, self._target, version)
        if not self._lock.can_run_out:
            return self._turns(version, check)
        if bookkeeper.may_wake_up(self._context, self._services, self._storage_time()):
            logger.warning(
                "%s: its partitions stay untracked, because a run whose lock ended may still "
                "change them; reads are right, SHOW PARTITIONS is refused",
                self._target,
            )
            return PartitionState.PENDING
        bookkeeper.note(self._services, record, self._storage_time())
        state = self._turns(version, check)
        bookkeeper.done(self._services, record)
        return state

    def _turns(self, version: str, check: HeldCheck) -> PartitionState:
        for _ in range(MOST_ATTEMPTS):
            state = self._turn(version, check)
            if state is not None:
                return state
        logger.warning("%s: others change its entry all the time; not tracked yet", self._target)
        return PartitionState.PENDING

    def _turn(self, version: str, check: HeldCheck) -> PartitionState | None:
        """What is reached, or None if the entry changed meanwhile."""
        before = self._shown(version)
        if before is None:
            return PartitionState.PENDING
        wanted = PartitionState(before.parameters.get(PARTITIONS, PartitionState.FILES.value))
        if wanted is PartitionState.TRACKED:
            return wanted
        with self._report.within(Step.DROP_PARTITIONS):
            own = self._drop_stale(version, check)
        if wanted is PartitionState.FILES:
            return wanted
        if self._shown(version) is None:
            return PartitionState.PENDING
        with self._report.within(Step.ADD_PARTITIONS):
            self._add_missing(version, own, check)
        with self._report.within(Step.TRACK_PARTITIONS):
            return self._track(before, version, check)

    def _shown(self, version: str) -> TableEntry | None:
        """The target's entry while it shows ``version``."""
        entry = self._metastore.get_table(self._target)
        marker = Marker.of(entry)
        return entry if marker is not None and marker.version == version else None

    def _drop_stale(self, version: str, check: HeldCheck) -> tuple[Partition, ...]:
        """Drop what belongs to another version; return what belongs to this one."""
        known = self._services.partitions.partitions(self._target)
        own = tuple(partition for partition in known if _lies_in(partition, version))
        check()
        self._services.partitions.drop_partitions(
            self._target, tuple(partition for partition in known if partition not in own)
        )
        return own

    def _add_missing(self, version: str, own: tuple[Partition, ...], check: HeldCheck) -> None:
        """The record knows the job's partitions; an INSERT since then may have made more."""
        record = record_name(self._context.staging_schema, self._target, version)
        self._services.engine.sql(f"MSCK REPAIR TABLE {quoted(record)}")
        there = {partition.values for partition in own}
        found = self._services.partitions.partitions(record)
        check()
        self._services.partitions.add_partitions(
            self._target, tuple(partition for partition in found if partition.values not in there)
        )

    def _track(self, before: TableEntry, version: str, check: HeldCheck) -> PartitionState | None:
        now = self._shown(version)
        if now is None:
            return PartitionState.PENDING
        if now != before:
            return None
        check()
        tracked = {PARTITION_PROVIDER: BY_METASTORE, PARTITIONS: PartitionState.TRACKED.value}
        change = restamped(now, Kind.REPAIR, self._storage_time(), tracked)
        expected = Base(now).expectation if self._services.conditional else None
        try:
            self._metastore.alter_table(change, expected)
        except EntryModifiedError:
            return None
        return PartitionState.TRACKED


def _lies_in(partition: Partition, version: str) -> bool:
    """Ids are compared, never URIs: those have many spellings."""
    return f"/{version}/" in partition.location
