"""Remove the forks of dead runs, and nothing that was published.

In this order: the fork is read, moved to ``deleting``, the target is fenced and read again, the
files go, then the entry. A kill between any two leaves what the next sweep takes up again.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.files.records import (
    STATE,
    RecordState,
    lease_of,
    record_prefix,
    version_of,
)
from dbt.adapters.ctas_spark.staging.files.sweeper import Sweep
from dbt.adapters.ctas_spark.staging.files.versions import VERSION_ID
from dbt.adapters.ctas_spark.staging.iceberg import removal
from dbt.adapters.ctas_spark.staging.iceberg.base import IcebergBase, look
from dbt.adapters.ctas_spark.staging.iceberg.calls import FilesGoneError
from dbt.adapters.ctas_spark.staging.iceberg.facts import TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.fence import fence
from dbt.adapters.ctas_spark.staging.iceberg.properties import (
    DATA_PATH,
    METADATA_PATH,
    ForkDirectories,
)
from dbt.adapters.ctas_spark.staging.iceberg.publications import (
    SnapshotMarker,
    attempts_of,
    has_commit,
)
from dbt.adapters.ctas_spark.staging.iceberg.services import IcebergServices
from dbt.adapters.ctas_spark.staging.publish.marker import TARGET
from dbt.adapters.ctas_spark.staging.retention import lease_file
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseState
from dbt.adapters.ctas_spark.staging.retention.rules import Reason, RetentionRules
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DeadFork:
    """A fork whose run does not live any more."""

    record: TableName
    facts: TableFacts
    lease: LeaseState

    @property
    def version(self) -> str:
        """Its version id."""
        return version_of(self.record)

    @property
    def attempts(self) -> tuple[SnapshotMarker, ...]:
        """The commits that were prepared on it."""
        return attempts_of(self.facts, self.version)

    @property
    def directories(self) -> ForkDirectories | None:
        """Its own directories, named by its version; None for one that was only registered."""
        data = self.facts.properties.get(DATA_PATH, "")
        metadata = self.facts.properties.get(METADATA_PATH, "")
        own = all(path.endswith(f"/{self.version}") for path in (data, metadata))
        return ForkDirectories(data, metadata) if own else None

    def is_in(self, table: TableFacts | None) -> bool:
        """True if one of its attempts has landed there."""
        return table is not None and any(has_commit(table, one.commit) for one in self.attempts)


class ForkSweeper:
    """One clean-up of one target's forks."""

    def __init__(
        self,
        context: StagingContext,
        services: IcebergServices,
        rules: RetentionRules,
        *,
        dry_run: bool = False,
    ) -> None:
        self._context = context
        self._services = services
        self._tables = services.tables
        self._rules = rules
        self._dry_run = dry_run
        self._report = StepReport(context.target)
        self._leases = services.leases(context.staging_schema)
        self._clock = services.clock(context.staging_schema)

    def sweep(self) -> Sweep:
        """Delete what may go.

        Raises:
            MetastoreError, StorageError: it could not be found out whether something may go.
        """
        done = Sweep()
        for record in self._records():
            lease = self._lease_of(record)
            if lease is LeaseState.LIVING:
                done.kept[version_of(record)] = Reason.RUNNING
                continue
            fork = self._read(record, lease)
            if fork is None:
                continue
            reason = self._swept(fork)
            if reason is None:
                done.freed.append(fork.directories.data if fork.directories else str(record))
            else:
                done.kept[fork.version] = reason
        return done

    def _records(self) -> Iterator[TableName]:
        prefix = record_prefix(self._context.target)
        for name in self._tables.tables(self._context.staging_schema):
            rest = name.table.removeprefix(prefix)
            if name.table.startswith(prefix) and VERSION_ID.fullmatch(rest):
                yield name

    def _lease_of(self, record: TableName) -> LeaseState:
        lease = lease_of(version_of(record))
        return lease_file.state_of(self._services.storage, self._leases, lease, self._clock())

    def _read(self, record: TableName, lease: LeaseState) -> DeadFork | None:
        """None if it is gone, or another target's; an entry whose files are gone goes, too."""
        try:
            found = self._tables.find(record)
        except FilesGoneError:
            if not self._dry_run:
                self._tables.drop_entry(record)
            return None
        target = str(self._context.target)
        if found is None or found.facts.properties.get(TARGET, target) != target:
            return None
        return DeadFork(record, found.facts, lease)

    def _swept(self, fork: DeadFork) -> Reason | None:
        """None if the fork is gone now, else why it stays."""
        target = look(self._tables, self._context.target)
        if fork.is_in(target.facts):
            return self._forgotten(fork)
        reason = self._reason_to_stay(fork, target)
        if reason is not None or self._dry_run:
            return reason
        taken = self._taken(fork)
        if taken is None:
            return Reason.OWNED
        with self._report.within(Step.FENCE):
            target = self._fenced(taken)
        return self._forgotten(taken) if taken.is_in(target.facts) else self._deleted(taken)

    def _reason_to_stay(self, fork: DeadFork, target: IcebergBase) -> Reason | None:
        """Only an attempt that was prepared may have landed, or may still."""
        same = target.facts is not None and target.facts.uuid == fork.facts.uuid
        if not fork.attempts or same:
            return None
        if self._is_elsewhere(fork):
            return Reason.REFERENCED
        # without its base in the target's place it is a creation, which no fence stops
        waits = self._clock() - fork.attempts[-1].time_ms < self._rules.unknown_after_ms
        return Reason.MAY_LAND if waits and fork.lease is not LeaseState.GIVEN_BACK else None

    def _is_elsewhere(self, fork: DeadFork) -> bool:
        """The target may have been renamed since: any table that we may list is looked at."""
        for name in self._tables.all_tables():
            if name.database == self._context.staging_schema:
                continue
            found = self._tables.find(name)
            if found is not None and fork.is_in(found.facts):
                return True
        return False

    def _taken(self, fork: DeadFork) -> DeadFork | None:
        """Make it ours: a writer that wakes up reads that before it publishes.

        None if it has prepared another attempt meanwhile, which the next sweep looks at.
        """
        if fork.directories is None:
            return fork
        if fork.facts.properties.get(STATE) != RecordState.DELETING.value:
            with self._report.within(Step.TAKE_RECORD):
                table = self._tables.find(fork.record)
                if table is None:
                    return None
                table.with_properties({STATE: RecordState.DELETING.value})
        now = self._tables.find(fork.record)
        if now is None:
            return None
        taken = DeadFork(fork.record, now.facts, fork.lease)
        return taken if taken.attempts == fork.attempts else None

    def _fenced(self, fork: DeadFork) -> IcebergBase:
        """The target, after nothing of the fork's can land on it any more."""
        target = look(self._tables, self._context.target)
        can_land = bool(fork.attempts) or not fork.lease.is_over
        if target.table is None or target.table.facts.uuid != fork.facts.uuid or not can_land:
            return target
        fence(target.table, self._context.target, self._clock())
        return look(self._tables, self._context.target)

    def _forgotten(self, fork: DeadFork) -> Reason | None:
        if self._dry_run:
            return None
        left = removal.forget(self._services, fork.record, self._report)
        return Reason.OWNED if left else None

    def _deleted(self, fork: DeadFork) -> Reason | None:
        if fork.directories is None:
            self._tables.drop_entry(fork.record)
            return None
        left = removal.discard(self._services, fork.record, fork.directories, self._report)
        if left:
            raise MetastoreError(f"could not remove {', '.join(left)}")
        logger.info("version %s of %s was deleted", fork.version, self._context.target)
        return None
