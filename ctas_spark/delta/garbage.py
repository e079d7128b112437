"""What was staged on a Delta table and never published, and how it goes.

What was published belongs to the table, and expires by Delta's own rules (VACUUM): of that only the
staged table's log and the entries go.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from ..errors import EntryExistsError, EntryModifiedError, StorageError
from ..publish.marker import PublicationKind, new_commit_id, started_ms
from ..retention.clean_up import Garbage
from ..retention.rules import KnownVersion, Place, Reason
from ..steps import StepReport
from ..storage.client import emptied
from . import record as records
from . import transaction
from .base import DeltaTable
from .facts import CommitMarker, Since, publishes
from .record import DeltaRecord, RecordState
from .tables import LoadedTable

LIVE_IF_NATIVE = {Reason.NATIVE: Reason.LIVE}


@dataclass
class DeltaGarbage(Garbage):
    """A ``Garbage`` of the attempts on one Delta table; their records are read once."""

    table: DeltaTable
    report: StepReport

    def forget_published(self) -> tuple[str, ...]:
        """Remove what published versions needed while they were staged, at any age; their ids."""
        published = [one for one, reason in self._known.values() if reason is Reason.NATIVE]
        for record in published:
            self._forget(record)
        return tuple(one.version for one in published)

    def versions(self) -> tuple[KnownVersion, ...]:
        """Every attempt; those that were published, or may have been, stay."""
        return tuple(
            KnownVersion(
                record.version,
                Place.UNPUBLISHED,
                record.stage,
                is_deleting=record.state is RecordState.DELETING,
                stays=reason,
            )
            for record, reason in self._known.values()
        )

    def age_ms(self, version: KnownVersion) -> int:
        """Since the youngest of its start, its record and its newest file."""
        record, storage = self._record(version), self.table.services.storage
        times = [started_ms(version.id)]
        if record.entry is not None:
            seconds = (record.entry.create_time, record.entry.last_ddl_time or 0)
            times.append(1000 * max(seconds))
        ages = [self.table.now_ms() - max(times)]
        files = storage.files(record.stage)
        if files:
            ages.append(storage.now_ms(record.stage) - max(one.modified_ms for one in files))
        return min(ages)

    def may_land(self, version: KnownVersion) -> bool:
        """True unless Delta is sure to refuse the attempt.

        A transaction over an older version of the log is refused only because of a commit that
        conflicts with it. Another's commit that only adds to the table's history (VACUUM) does not.
        """
        return self._where_it_may_land(self._record(version)) is not None

    def fence(self) -> None:
        """Commit the same metadata again, at the place of every attempt that may land."""
        for record in (one for one, reason in self._known.values() if reason is None):
            table = self._where_it_may_land(record)
            if table is None:
                continue
            target, now_ms = str(self.table.name), self.table.now_ms()
            commit = new_commit_id(now_ms, version="")
            marker = CommitMarker(commit, "", "", target, "", PublicationKind.FENCE, now_ms)
            with suppress(EntryModifiedError):  # another came first; the attempt stays for now
                transaction.fence(self.table.tables, table, marker)

    def take(self, version: KnownVersion) -> bool:
        """Its writer reads the record directly before its call, and gives up."""
        record = self._record(version)
        deleting = replace(record, state=RecordState.DELETING)
        try:
            if record.id == records.NO_TABLE:
                records.create(self.table, deleting)
            else:
                records.move(self.table, deleting, record)
        except (EntryModifiedError, EntryExistsError):
            return False
        return True

    def shown(self, versions: Sequence[KnownVersion]) -> dict[str, Reason]:
        """By the table's history, read afresh."""
        reasons = {one.id: self._reason(self._record(one)) for one in versions}
        shown = {one: reason for one, reason in reasons.items() if reason is not None}
        return {one: LIVE_IF_NATIVE.get(reason, reason) for one, reason in shown.items()}

    def give_back(self, version: KnownVersion) -> None:
        """It is published after all: its files are the table's."""
        self._forget(self._record(version))

    def delete_files(self, version: KnownVersion) -> bool:
        """Exactly the directory that it was staged in."""
        return emptied(self.table.services.storage, version.directory)

    def delete_record(self, version: KnownVersion) -> None:
        """The staged table's entry, then the record."""
        for name in records.entries(self.table, self._record(version)):
            self.table.services.metastore.drop_entry(name)

    @cached_property
    def _known(self) -> dict[str, tuple[DeltaRecord, Reason | None]]:
        return {one.version: (one, self._reason(one)) for one in records.records_of(self.table)}

    def _record(self, version: KnownVersion) -> DeltaRecord:
        return self._known[version.id][0]

    def _reason(self, record: DeltaRecord) -> Reason | None:
        """``NATIVE`` if the history has its publication, ``FORGOTTEN`` if it can't tell."""
        _, since = self._staged_on(record)
        if since is None:
            return Reason.FORGOTTEN
        return Reason.NATIVE if publishes(since, record.version) else None

    def _where_it_may_land(self, record: DeltaRecord) -> LoadedTable | None:
        table, since = self._staged_on(record)
        if table is None or table.facts.id != record.id:
            return None
        return None if any(commit.refuses_older_attempts for commit in since or ()) else table

    def _staged_on(self, record: DeltaRecord) -> tuple[LoadedTable | None, Since]:
        """The table that it was staged on, and what was committed since.

        No table if its directory is gone, or another log was begun there. Another's REPLACE TABLE
        gives the table a new identity and keeps its history.
        """
        found = self.table.tables.at(record.root)
        if found is None or found.facts.number < record.number:
            return None, ()
        return found, self.table.tables.commits_since(found, record.number)

    def _forget(self, record: DeltaRecord) -> None:
        left = records.remove(self.table, record, self.report, is_published=True)
        if left:
            raise StorageError(f"could not remove {', '.join(left)}")
