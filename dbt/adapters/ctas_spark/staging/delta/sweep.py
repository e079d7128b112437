"""Remove what dead runs staged on a Delta table, and nothing that was published.

In this order: the record is read, the target is fenced, the record is taken by compare-and-swap,
the history is read again, the directory goes, then the entries. A kill between any two leaves what
the next sweep takes up again.
"""

import logging

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.delta import removal, transaction
from dbt.adapters.ctas_spark.staging.delta.base import last_marker
from dbt.adapters.ctas_spark.staging.delta.facts import CommitFacts
from dbt.adapters.ctas_spark.staging.delta.marker import CommitMarker
from dbt.adapters.ctas_spark.staging.delta.notes import Note, notes_of
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, LoadedTable
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError, StorageError
from dbt.adapters.ctas_spark.staging.files import records
from dbt.adapters.ctas_spark.staging.files.publication import new_commit_id
from dbt.adapters.ctas_spark.staging.files.records import RecordState
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.sweeper import Sweep
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from dbt.adapters.ctas_spark.staging.retention import lease_file
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseState
from dbt.adapters.ctas_spark.staging.retention.rules import Reason, RetentionRules
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)

MOST_FENCES = 20


class DeadAttempts:
    """One clean-up of what was staged on one target."""

    def __init__(
        self,
        context: StagingContext,
        services: Services,
        tables: DeltaTables,
        rules: RetentionRules,
        *,
        dry_run: bool = False,
    ) -> None:
        self._context = context
        self._services = services
        self._tables = tables
        self._rules = rules
        self._dry_run = dry_run
        self._report = StepReport(context.target)

    def sweep(self) -> Sweep:
        """Delete what may go.

        Raises:
            MetastoreError, StorageError: it could not be found out whether something may go.
        """
        done = Sweep()
        for note in notes_of(self._services, self._context.staging_schema, self._context.target):
            there = self._services.storage.exists(note.stage)
            reason = self._swept(note)
            if reason is not None:
                done.kept[note.version] = reason
            elif there:
                done.freed.append(note.stage)
        return done

    def _swept(self, note: Note) -> Reason | None:
        """None if what was staged is gone now, or published; else why it stays."""
        lease = self._lease_of(note)
        if lease is LeaseState.LIVING:
            return Reason.RUNNING
        table = self._table(note)
        if table is not None:
            since = self._tables.commits_since(table, note.number)
            if since is None:
                return Reason.FORGOTTEN
            if _is_published(note, since):
                return self._forgotten(note)
        if self._dry_run:
            return None
        if not note.is_deleting and not self._taken(note, table):
            return Reason.OWNED
        return self._deleted(note, lease)

    def _lease_of(self, note: Note) -> LeaseState:
        now = self._services.lease.beat(note.leases)
        return lease_file.state_of(self._services.storage, note.leases, note.lease, now)

    def _table(self, note: Note) -> LoadedTable | None:
        """The table that it was staged on; None if its directory is gone, or its log begun anew.

        Another's REPLACE TABLE gives the table a new identity and keeps its history.
        """
        found = self._tables.at(note.root)
        return found if found is not None and found.facts.number >= note.number else None

    def _taken(self, note: Note, table: LoadedTable | None) -> bool:
        """Make sure that its writer can't commit it any more, then make it ours to delete."""
        with self._services.lock.held(note.target):
            if table is not None:
                with self._report.within(Step.FENCE):
                    self._fence(note)
            try:
                with self._report.within(Step.TAKE_RECORD):
                    self._take_record(note)
            except EntryModifiedError:
                return False
        return True

    def _fence(self, note: Note) -> None:
        """A build or fence since its base has changed the metadata, and stands for one."""
        for _ in range(MOST_FENCES):
            table = self._table(note)
            if table is None or table.facts.id != note.id:
                return
            since = self._tables.commits_since(table, note.number) or ()
            if any(map(_changes_metadata, since)):
                return
            try:
                transaction.fence(self._tables, table, self._fence_marker(note, table))
            except EntryModifiedError:
                continue
            return

    def _fence_marker(self, note: Note, table: LoadedTable) -> CommitMarker:
        before = last_marker(self._tables, table)
        return CommitMarker(
            commit=new_commit_id(),
            version=before.version if before else "",
            base=before.commit if before else "",
            target=str(note.target),
            level=before.level if before else "",
            kind=Kind.FENCE,
            time_ms=self._services.lease.beat(note.leases),
        )

    def _take_record(self, note: Note) -> None:
        if note.entry is None:
            raise EntryModifiedError(f"the record {note.name} is gone")
        records.move(
            self._services.metastore,
            note.entry,
            RecordState.DELETING.value,
            was=note.state,
            conditional=self._services.conditional,
        )

    def _deleted(self, note: Note, lease: LeaseState) -> Reason | None:
        table = self._table(note)
        since = self._tables.commits_since(table, note.number) if table else ()
        if since is None or _is_published(note, since):
            return Reason.FORGOTTEN if since is None else self._forgotten(note)
        keep = not lease.is_over and not self._is_silent_for_long(note)
        _all_gone(removal.discard(self._services, note, self._report, keep=keep))
        logger.info("version %s of %s was deleted: %s", note.version, note.target, note.stage)
        return None

    def _forgotten(self, note: Note) -> Reason | None:
        if self._dry_run:
            return Reason.LIVE
        _all_gone(removal.forget(self._services, note, self._report))
        return Reason.NATIVE

    def _is_silent_for_long(self, note: Note) -> bool:
        """Nobody is waited for longer than ``unknown_after``."""
        stored = self._services.storage.read(f"{note.leases}/{note.lease}")
        now = self._services.lease.beat(note.leases)
        return stored is None or now - stored.modified_ms >= self._rules.unknown_after_ms


def _changes_metadata(commit: CommitFacts) -> bool:
    return commit.marker is not None and commit.marker.kind in (Kind.BUILD, Kind.FENCE)


def _is_published(note: Note, since: tuple[CommitFacts, ...]) -> bool:
    markers = (commit.marker for commit in since)
    return any(marker is not None and _builds(marker, note) for marker in markers)


def _builds(marker: CommitMarker, note: Note) -> bool:
    return marker.version == note.version and not marker.kind.keeps_the_version


def _all_gone(left: list[str]) -> None:
    if left:
        raise StorageError(f"could not remove {', '.join(left)}")
