"""Delete the versions of a target that nobody needs, and nothing else.

In this order: the record is read, the target is fenced, the record is moved to ``deleting`` by
compare-and-swap, references are looked up, the files go, then the record. A kill between any two
leaves what the next sweep takes up again.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryExistsError, EntryModifiedError
from dbt.adapters.ctas_spark.staging.files import records, set_aside
from dbt.adapters.ctas_spark.staging.files.fence import fence
from dbt.adapters.ctas_spark.staging.files.records import (
    LEASE,
    ROOT,
    STATE,
    RecordState,
    lease_of,
    publisher_of,
    record_name,
)
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.versions import Place, Version
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, Expectation
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.discard import emptied
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX, TARGET, VERSION, Marker
from dbt.adapters.ctas_spark.staging.retention import lease_file
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseState
from dbt.adapters.ctas_spark.staging.retention.rules import (
    Reason,
    RetentionRules,
    Seen,
    can_still_land,
    reason_to_stay,
)
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)

UNSEEN = PREFIX + "unseen_ms"
SUPERSEDED = PREFIX + "superseded"


@dataclass(slots=True)
class Sweep:
    """What became of each version; ``freed`` are directories.

    ``taken_over`` are those of managed tables that versions replaced.
    """

    freed: list[str] = field(default_factory=list)
    taken_over: list[str] = field(default_factory=list)
    kept: dict[str, Reason] = field(default_factory=dict)


class Sweeper:
    """One clean-up of one target after another; ``storage_time`` in milliseconds."""

    def __init__(
        self,
        services: Services,
        staging_schema: str,
        rules: RetentionRules,
        storage_time: Callable[[], int],
        *,
        dry_run: bool = False,
    ) -> None:
        self._services = services
        self._metastore = services.metastore
        self._staging_schema = staging_schema
        self._rules = rules
        self._storage_time = storage_time
        self._dry_run = dry_run

    def sweep(self, target: TableName, versions: Iterable[Version]) -> Sweep:
        """Delete what may go of ``target``.

        Args:
            versions: all of its versions, as they are now.

        Raises:
            MetastoreError, StorageError: it could not be found out whether something may go.
        """
        done = Sweep()
        rank = 0
        for version in versions:
            reason = self._swept(target, version, rank)
            if version.place is Place.SUPERSEDED and not _is_deleting(version):
                rank += 1
            if reason is None:
                done.freed.append(version.directory)
            else:
                done.kept[version.id] = reason
        return done

    def _swept(self, target: TableName, version: Version, rank: int) -> Reason | None:
        """None if the version is gone now, else why it stays."""
        seen = self._seen(version, rank)
        if not _is_deleting(version):
            reason = reason_to_stay(seen, self._rules, fences=self._services.tells_writers_apart)
            if reason is not None or self._dry_run:
                return reason
            if version.place is Place.FORGOTTEN and self._is_referenced(target, version.id):
                return Reason.REFERENCED
            taken = self._taken(target, version)
            if taken is not None:
                return taken
        if self._is_referenced(target, version.id):
            return Reason.REFERENCED
        return None if self._dry_run else self._deleted(target, seen)

    def _seen(self, version: Version, rank: int) -> Seen:
        now = self._storage_time()
        leases = version.root.leases
        publisher = publisher_of(version.id, version.record)
        lease = lease_file.state_of(self._services.storage, leases, publisher, now)
        unseen = self._unseen(version, lease, now)
        foreign = version.record is None and self._is_foreign(version)
        return Seen(version, rank, lease, now, unseen, foreign)

    def _is_foreign(self, version: Version) -> bool:
        """True if a run on another catalog made it, which has its records elsewhere."""
        leases = version.root.leases
        catalog = lease_file.catalog_of(self._services.storage, leases, lease_of(version.id))
        return catalog is not None and catalog != self._services.lease.catalog

    def _unseen(self, version: Version, lease: LeaseState, now: int) -> int:
        """How long ago a clean-up first found the version superseded, or without an owner."""
        if version.place is Place.SUPERSEDED and version.attempt is None:
            return self._superseded_for(version, now)
        if version.place is Place.LIVE or lease is LeaseState.LIVING:
            return 0
        what = f"{version.attempt}:" if version.attempt else ""
        return self._noted(version.record, UNSEEN, what, now)

    def _superseded_for(self, version: Version, now: int) -> int:
        """The lineage has the time before the successor's call, which may have taken for ever."""
        if version.superseded is None or self._rules.grace_ms == 0:
            return 0
        if version.record is None or self._dry_run or _is_deleting(version):
            return now - version.superseded.time_ms
        return self._noted(version.record, SUPERSEDED, f"{version.superseded.commit}:", now)

    def _noted(self, record: TableEntry | None, key: str, what: str, now: int) -> int:
        """How long ago ``what`` was first noted on the record; it is noted now, if it was not."""
        if record is None:
            return 0
        noted = record.parameters.get(key, "").removeprefix(what)
        if noted.isdecimal():
            return now - int(noted)
        if not self._dry_run:
            parameters = {**record.parameters, key: f"{what}{now}"}
            state = record.parameters[STATE]
            expected = Expectation(STATE, state) if self._services.conditional else None
            self._metastore.alter_table(
                EntryChange(record.name, record, record, parameters), expected
            )
        return 0

    def _taken(self, target: TableName, version: Version) -> Reason | None:
        """Make sure that its writer can't commit it any more, then make it ours to delete."""
        with self._services.lock.held(target):
            entry = self._metastore.get_table(target)
            if can_still_land(version, entry) and entry is not None:
                conditional = self._services.conditional
                now = self._storage_time()
                with StepReport(target).within(Step.FENCE):
                    stands = fence(self._metastore, entry, now, conditional=conditional)
                if not stands:
                    return Reason.UNFENCED
                marker = Marker.of(self._metastore.get_table(target))
                if marker is not None and version.has_landed(marker.lineage):
                    return Reason.OWNED
            try:
                with StepReport(target).within(Step.TAKE_RECORD):
                    self._take_record(target, version)
            except (EntryModifiedError, EntryExistsError):
                return Reason.OWNED
        return None

    def _take_record(self, target: TableName, version: Version) -> None:
        record = version.record
        if record is None:
            self._metastore.create_table(self._tombstone(target, version))
            return
        records.move(
            self._metastore,
            record,
            RecordState.DELETING.value,
            was=record.parameters[STATE],
            conditional=self._services.conditional,
        )

    def _tombstone(self, target: TableName, version: Version) -> EntryChange:
        """A record that makes a sleeping CTAS of the version fail."""
        name = record_name(self._staging_schema, target, version.id)
        scratch = self._metastore.scratch_entry(name)
        parameters = {
            STATE: RecordState.DELETING.value,
            TARGET: str(target),
            VERSION: version.id,
            LEASE: lease_of(version.id),
            ROOT: str(version.root),
        }
        return EntryChange(name, scratch, None, parameters)

    def _is_referenced(self, target: TableName, version: str) -> bool:
        """Looked up just before the deletion: the target, its partitions, and tables of that id.

        What a rename has set aside may be put back; one that came between shows in the last read.
        """
        before = self._metastore.get_table(target)
        aside = set_aside.of_target(self._metastore, target, self._staging_schema)
        entry = self._metastore.get_table(target) if aside or before is None else before
        if any(self._shows(one, version) for one in (before, *aside, entry) if one is not None):
            return True
        databases = {target.database, *(() if Marker.of(entry) else self._metastore.databases())}
        own = {self._staging_schema}
        found = (
            name
            for database in sorted(databases - own)
            for name in self._metastore.tables_with(database, VERSION, version)
        )
        return any(self._metastore.get_table(name) is not None for name in found)

    def _shows(self, entry: TableEntry, version: str) -> bool:
        """Ids are compared, never URIs: those have many spellings."""
        if entry.location is not None and version in entry.location.split("/"):
            return True
        if not entry.partition_keys:
            return False
        kept = self._services.partitions.partitions(entry.name)
        return any(f"/{version}/" in f"{partition.location}/" for partition in kept)

    def _deleted(self, target: TableName, seen: Seen) -> Reason | None:
        """A tombstone stays until no CTAS of that run can come any more."""
        version = seen.version
        with StepReport(target).within(Step.DELETE_FILES):
            is_empty = emptied(self._services.storage, version.directory)
        if not is_empty:
            return Reason.FULL
        name = record_name(self._staging_schema, target, version.id)
        over = seen.lease.is_over or seen.unseen_ms >= self._rules.unknown_after_ms
        if over or not records.is_tombstone(version.record):
            with StepReport(target).within(Step.DELETE_RECORD):
                self._metastore.drop_entry(name)
        logger.info("version %s of %s was deleted: %s", version.id, target, version.directory)
        return None


def _is_deleting(version: Version) -> bool:
    record = version.record
    return record is not None and record.parameters.get(STATE) == RecordState.DELETING.value
