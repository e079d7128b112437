"""The versions of one table of files that a clean-up judges, and how one is removed."""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
)
from dbt.adapters.ctas_spark.staging.files.base import ABSENT
from dbt.adapters.ctas_spark.staging.files.publication import fenced
from dbt.adapters.ctas_spark.staging.files.record import RECORD, Record, RecordState
from dbt.adapters.ctas_spark.staging.files.references import References
from dbt.adapters.ctas_spark.staging.files.table import FileTable
from dbt.adapters.ctas_spark.staging.files.versions import UNKNOWN_BASE, Found, find, versions_of
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.retention.rules import (
    ORPHAN_AGE_MS,
    KnownVersion,
    Place,
    Reason,
)
from dbt.adapters.ctas_spark.staging.steps import Step
from dbt.adapters.ctas_spark.staging.storage.client import emptied
from dbt.adapters.ctas_spark.staging.version_id import started_ms

logger = logging.getLogger(__name__)

MILLISECONDS = 1_000
REFUSED = (EntryModifiedError, EntryMissingError)


@dataclass(slots=True)
class FileGarbage:
    """A ``Garbage`` of tables of files.

    A tombstone outlives its version by the orphan age of everyone, also where a clean-up was told
    a lower one: the job that it stops may be one whose files nobody counts.
    """

    table: FileTable
    references: References
    _found: dict[str, Found] = field(default_factory=dict)

    @property
    def target(self) -> TableName:
        return self.table.name

    def versions(self) -> tuple[KnownVersion, ...]:
        """By record and by directory; a tombstone that only waits is not told of."""
        found = [one for one in find(self.table) if not self._only_waits(one)]
        self._found = {one.id: one for one in found}
        return versions_of(self.table, tuple(found))

    def superseded_for_ms(self, version: KnownVersion, *, note: bool) -> int:
        """By the time on the record; where there is none, a record is made to hold it."""
        found = self._found[version.id]
        now = self._now(found)
        noted = found.record.superseded_ms if found.record else None
        if noted is not None:
            return now - noted
        if note:
            self._note_superseded(version, now)
        return 0

    def age_ms(self, version: KnownVersion) -> int:
        """By id, record and newest file; a directory's own time where there is neither."""
        found = self._found[version.id]
        times = [started_ms(found.id), self._written_ms(found)]
        entry = found.record.entry if found.record else None
        if entry is not None:
            times.append((entry.last_ddl_time or entry.create_time) * MILLISECONDS)
        return self._now(found) - max(times)

    def may_land(self, version: KnownVersion) -> bool:
        """True if the target is what the record expects: commit ids never return.

        A creation's proof is its record in ``deleting``, and so is that of a version without one.
        """
        record = self._found[version.id].record
        if record is None or record.base in (ABSENT, UNKNOWN_BASE):
            return False
        if not self.table.services.conditional and version.place is Place.UNPUBLISHED:
            return False  # no call is refused by its base: age alone decides
        return str(self.table.look()) == record.base

    def fence(self) -> None:
        """One conditional call; another's commit meanwhile is a fence, too."""
        newest = max(self._found.values(), key=lambda one: one.id)
        with self.table.services.lock.held(self.target):
            base = self.table.look()
            change = fenced(base, self._now(newest))
            if change is not None:
                with suppress(*REFUSED):
                    self.table.alter(change, base)

    def take(self, version: KnownVersion) -> bool:
        """Move the record to ``deleting``; make one, on which a CTAS that still runs will fail."""
        found = self._found[version.id]
        if found.record is None:
            return self._made(found, RecordState.DELETING, self._now(found))
        if found.record.entry is not None and RECORD not in found.record.entry.parameters:
            return self._adopted(found, found.record)
        return self._moved(found, replace(found.record, state=RecordState.DELETING))

    def reason_shown(self, version: KnownVersion) -> Reason | None:
        return self.references.reason(version.id)

    def give_back(self, version: KnownVersion) -> None:
        """To ``published``; the grace begins anew when the version is superseded."""
        found = self._found[version.id]
        if found.record is not None:
            published = replace(
                found.record, state=RecordState.PUBLISHED, superseded_ms=None, number=version.number
            )
            self._moved(found, published)

    def delete_files(self, version: KnownVersion) -> bool:
        """Delete the directory, again and again while files come."""
        return emptied(self.table.services.storage, self._found[version.id].directory)

    def delete_record(self, version: KnownVersion) -> None:
        """Drop the entry; a tombstone stays until no CTAS of that age can come any more."""
        found = self._found[version.id]
        if not self._is_young_tombstone(found):
            if version.place is Place.SUPERSEDED:
                self._hand_on(found)
            self.table.metastore.drop_entry(self.table.record_name(found.id))

    def _note_superseded(self, version: KnownVersion, now: int) -> None:
        found = self._found[version.id]
        with self.table.report.within(Step.NOTE_SUPERSEDED):
            if found.record is None:
                self._made(found, RecordState.SUPERSEDED, now, version.number)
                return
            lived = version.place is Place.SUPERSEDED
            state = RecordState.SUPERSEDED if lived else found.record.state
            noted = replace(found.record, state=state, number=version.number, superseded_ms=now)
            self._moved(found, noted)

    def _moved(self, found: Found, record: Record) -> bool:
        if found.record is None:
            return False
        try:
            now = self.table.move(record, found.record)
        except EntryModifiedError:
            return False
        self._found[found.id] = replace(found, record=now)
        return True

    def _made(self, found: Found, state: RecordState, now: int, number: int = 0) -> bool:
        """A record in an entry without a directory; False if there is an entry by now."""
        record = Record(
            str(self.target),
            found.id,
            state,
            UNKNOWN_BASE,
            found.root,
            number=number,
            superseded_ms=now,
        )
        return self._written(found, record, self._create)

    def _create(self, record: Record) -> None:
        name = self.table.record_name(record.version)
        scratch = self.table.metastore.scratch_entry(name)
        self.table.metastore.create_table(EntryChange(name, scratch, None, record.to_parameters()))

    def _adopted(self, found: Found, record: Record) -> bool:
        """Delta's entry, whose run wrote no record into it: the first that does so has it."""

        def adopt(taken: Record) -> None:
            entry = self.table.metastore.get_table(self.table.record_name(found.id))
            if entry is None or RECORD in entry.parameters:
                raise EntryModifiedError(f"the entry of {found.id} has a record by now")
            parameters = {**entry.parameters, **taken.to_parameters()}
            self.table.metastore.alter_table(EntryChange.of(entry, parameters), None)

        return self._written(found, replace(record, state=RecordState.DELETING), adopt)

    def _written(self, found: Found, record: Record, write: Callable[[Record], None]) -> bool:
        try:
            write(record)
        except (EntryExistsError, *REFUSED):
            return False
        entry = self.table.metastore.get_table(self.table.record_name(found.id))
        now = Record.of(entry)
        self._found[found.id] = replace(found, record=now)
        return now == record

    def _hand_on(self, found: Found) -> None:
        """The files of a managed table that it took over are remembered by the live version."""
        directory = found.record.took_over if found.record else None
        if directory is None:
            return
        live = self.table.look().version
        if not self._inherits(self._found.get(live or ""), directory):
            logger.warning(
                "%s: files of the table before it stay in %s; delete them by hand when nobody "
                "needs them",
                self.target,
                directory,
            )

    def _inherits(self, heir: Found | None, directory: str) -> bool:
        record = heir.record if heir is not None else None
        if heir is None or record is None or record.took_over is not None:
            return False
        return self._moved(heir, replace(record, took_over=directory))

    def _only_waits(self, found: Found) -> bool:
        if not self._is_young_tombstone(found):
            return False
        return not self.table.services.storage.exists(found.directory)

    def _is_young_tombstone(self, found: Found) -> bool:
        record = found.record
        if record is None or record.superseded_ms is None or not found.is_tombstone:
            return False
        return self._now(found) - record.superseded_ms < ORPHAN_AGE_MS

    def _written_ms(self, found: Found) -> int:
        files = self.table.services.storage.files(found.directory)
        if files or found.record is not None:
            return max((one.modified_ms for one in files), default=0)
        return self.table.services.storage.modified_ms(found.directory) or 0

    def _now(self, found: Found) -> int:
        return self.table.services.now_ms(found.root)
