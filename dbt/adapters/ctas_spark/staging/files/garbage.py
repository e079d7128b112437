"""The clean-up of one table of files: the versions that it judges, and how one is removed."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace

from ..catalogs.protocol import NOTHING, Counted
from ..context import TableName
from ..engines.protocol import WriteFigures
from ..errors import EntryExistsError, EntryMissingError, EntryModifiedError
from ..metastore.client import EntryChange
from ..publish.marker import started_ms
from ..retention.clean_up import CleanUp
from ..retention.rules import ORPHAN_AGE_MS, KnownVersion, Place, Reason, RetentionRules, Sweep
from ..steps import Step
from ..storage.client import emptied
from . import record as records
from .base import ABSENT, FileBase
from .follow_up import complete, drop_stale_partitions, mended
from .publication import fenced
from .record import RECORD, Record, RecordState
from .seen import Seen
from .table import FileTable
from .took_over import TookOver, say_they_stay
from .versions import UNKNOWN_BASE, References, find, versions_of

MILLISECONDS = 1_000
REFUSED = (EntryModifiedError, EntryMissingError)


def clean_up(
    table: FileTable,
    rules: RetentionRules,
    *,
    dry_run: bool,
    counted: Counted = NOTHING,
    seen: Seen | None = None,
) -> Sweep:
    """Delete what may go; StagingError if it can't be found out.

    What was ``seen`` of the table just now is not read again, except before a deletion.
    """
    with table.report.within(Step.CLEAN_UP):
        if rules.moved is not None and not dry_run:
            table.services.roots.moved(table.context, rules.moved)
        taken_over = TookOver(table, rules, dry_run).free() if rules.thorough else []
        references = References(table, rules.thorough, dry_run)
        is_current = not rules.thorough  # what was taken over has just been noted on records
        garbage = FileGarbage(table, references, counted, seen if is_current else None)
        done = CleanUp(garbage, rules, table.report, dry_run).run()
        done.taken_over = taken_over
        if not dry_run:
            drop_stale_partitions(table, garbage.base, rules.grace_ms)
        return done


def recover(table: FileTable) -> tuple[str, ...]:
    """Fill columns, track partitions, finish deletions; what was done, as sentences."""
    with table.report.within(Step.RECOVER):
        before = table.look()
        done = mended(before, complete(table, before))
        garbage = FileGarbage(table, References(table, thorough=False))
        sweep = CleanUp(garbage, RetentionRules(), table.report).finish()
    return (*done, *(f"the deletion of {one} was finished" for one in sweep.freed))


@dataclass(slots=True)
class FileGarbage:
    """A ``Garbage`` of tables of files; ``base`` is the target as ``versions`` or a fence saw it.

    A tombstone outlives its version by the orphan age of everyone, also where a clean-up was told
    a lower one: the job that it stops may be one whose files nobody counts.
    """

    table: FileTable
    references: References
    counted: Counted = field(default_factory=dict)
    seen: Seen | None = None
    base: FileBase = field(init=False)
    _found: dict[str, Record] = field(default_factory=dict)

    @property
    def target(self) -> TableName:
        return self.table.name

    def versions(self) -> tuple[KnownVersion, ...]:
        """By record and by directory, without the tombstones that only wait."""
        found = [one for one in find(self.table, self.seen) if not self._only_waits(one)]
        self._found = {one.version: one for one in found}
        self.base = self._base()
        for version, figures in self.counted.items():
            self._remember(version, figures)
        return versions_of(self.table, self._found.values(), self.base)

    def superseded_for_ms(self, version: KnownVersion, *, note: bool) -> int:
        """By the time on its record, or on that of a version that was published after it.

        A version without a record gets one to hold it. What was noted of an orphan does not count
        if its creation was published after all.
        """
        record = self._found[version.id]
        now, noted = self._now(record), record.superseded_ms
        is_of_orphan = record.state is not RecordState.SUPERSEDED
        if noted is not None and not (is_of_orphan and version.place is Place.SUPERSEDED):
            return now - noted
        if (followed := self._followed_ms(version)) is not None:
            return now - followed
        if note:
            self._note_superseded(version, now)
        return 0

    def age_ms(self, version: KnownVersion) -> int:
        """By id, record and newest file; a directory's own time where there is neither."""
        record = self._found[version.id]
        times = [started_ms(record.version), self._written_ms(record)]
        if record.entry is not None:
            times.append((record.entry.last_ddl_time or record.entry.create_time) * MILLISECONDS)
        return self._now(record) - max(times)

    def may_land(self, version: KnownVersion) -> bool:
        """True if the target is what the record expects: commit ids never return.

        A creation's proof is its record in ``deleting``, and so is that of a version without one.
        """
        record = self._found[version.id]
        if record.base in (ABSENT, UNKNOWN_BASE):
            return False
        if not self.table.services.conditional and version.place is Place.UNPUBLISHED:
            return False  # no call is refused by its base: age alone decides
        return str(self.base) == record.base

    def fence(self) -> None:
        """One conditional call; another's commit meanwhile is a fence, too."""
        newest = max(self._found.values(), key=lambda one: one.version)
        with self.table.services.lock.held(self.target):
            base = self.table.look()
            change = fenced(base, self._now(newest))
            if change is not None:
                with suppress(*REFUSED):
                    self.table.alter(change, base)
        self.base = self.table.look()

    def take(self, version: KnownVersion) -> bool:
        """Move the record to ``deleting``; make one, on which a CTAS that still runs will fail."""
        record = self._found[version.id]
        taken = replace(record, state=RecordState.DELETING)
        if record.entry is None:
            return self._made(replace(taken, superseded_ms=self._now(record)))
        if RECORD not in record.entry.parameters:
            return self._adopted(taken)
        return self._moved(record, taken)

    def reason_shown(self, version: KnownVersion) -> Reason | None:
        """TAKEN if the deletion that another began is none any more: it may be live again."""
        is_known = self._found[version.id]
        if version.is_deleting and records.read(self.table, version.id) != is_known:
            return Reason.TAKEN
        return self.references.reason(version)

    def give_back(self, version: KnownVersion) -> None:
        """To ``published``; the grace begins anew when the version is superseded."""
        record, published = self._found[version.id], RecordState.PUBLISHED
        back = replace(record, state=published, superseded_ms=None, published_ms=None)
        self._moved(record, back.numbered(version.number))

    def delete_files(self, version: KnownVersion) -> bool:
        """Delete the directory, again and again while files come."""
        return emptied(self.table.services.storage, version.directory)

    def delete_record(self, version: KnownVersion) -> None:
        """Drop the entry; a tombstone stays until no CTAS of that age can come any more."""
        record = self._found[version.id]
        if not self._is_young_tombstone(record):
            if version.place is Place.SUPERSEDED:
                self._hand_on(record)
            name = records.name_in(self.table, version.id)
            if record.base == ABSENT:
                self.table.metastore.drop_entry(records.taken_back(name))
            self.table.metastore.drop_entry(name)

    def _base(self) -> FileBase:
        if self.seen is None:
            return self.table.look()
        return self.seen.base(self.table.metastore, self.target)

    def _remember(self, version: str, figures: WriteFigures) -> None:
        """Keep a published version's number and figures on its record; another's change wins."""
        record = self._found.get(version)
        if record is None or record.entry is None or record.state is RecordState.DELETING:
            return
        is_new = record.state is RecordState.STAGED
        state = RecordState.PUBLISHED if is_new else record.state
        told = replace(record, state=state, **asdict(figures))
        if number := self.base.marker.number_of(version) if self.base.marker else None:
            told = told.numbered(number)
            told = replace(told, published_ms=told.published_ms or self._now(record))
        self._moved(record, told)

    def _followed_ms(self, version: KnownVersion) -> int | None:
        """When the first later publication was noted; None if none was.

        Numbers are the present lineage's alone: those before a drop began at 1, too. A note's time
        is that of the storage on which its version lies.
        """
        marker, root = self.base.marker, self._found[version.id].root
        number = marker.number_of(version.id) if marker else None
        if marker is None or number is None:
            return None
        noted = [
            one.published_ms
            for one in self._found.values()
            if one.published_ms is not None
            and one.number > number
            and marker.published(one.version, one.number)
            and one.root == root
        ]
        return min(noted, default=None)

    def _note_superseded(self, version: KnownVersion, now: int) -> None:
        record = self._found[version.id]
        lived = version.place is Place.SUPERSEDED
        state = RecordState.SUPERSEDED if lived else record.state
        noted = replace(record, state=state, superseded_ms=now).numbered(version.number)
        with self.table.report.within(Step.NOTE_SUPERSEDED):
            if record.entry is None:
                self._made(noted)
            else:
                self._moved(record, noted)

    def _moved(self, record: Record, to: Record) -> bool:
        now = records.moved(self.table, to, record)
        if now is not None:
            self._found[record.version] = now
        return now is not None

    def _made(self, record: Record) -> bool:
        """A record in an entry without a directory; False if there is an entry by now."""
        name, metastore = records.name_in(self.table, record.version), self.table.metastore
        made = EntryChange(name, metastore.scratch_entry(name), None, record.to_parameters())
        return self._written(record, lambda: metastore.create_table(made))

    def _adopted(self, record: Record) -> bool:
        """Delta's entry, whose run wrote no record into it: the first that does so has it."""
        metastore = self.table.metastore
        entry = metastore.get_table(records.name_in(self.table, record.version))
        if entry is None or RECORD in entry.parameters:
            return False
        adopted = EntryChange.of(entry, {**entry.parameters, **record.to_parameters()})
        return self._written(record, lambda: metastore.alter_table(adopted, None))

    def _written(self, record: Record, write: Callable[[], None]) -> bool:
        try:
            write()
        except (EntryExistsError, *REFUSED):
            return False
        now = records.read(self.table, record.version)
        if now is not None:
            self._found[record.version] = now
        return now == record

    def _hand_on(self, record: Record) -> None:
        """Let the live version remember the files of a managed table that this one took over."""
        if record.took_over is None:
            return
        heir = records.read(self.table, self.table.look().version or "")
        if not self._inherits(heir, record.took_over):
            reason = "no version is left that remembers them"
            say_they_stay(self.target, record.took_over, reason)

    def _inherits(self, heir: Record | None, directory: str) -> bool:
        if heir is None or heir.took_over is not None:
            return False
        return self._moved(heir, replace(heir, took_over=directory))

    def _only_waits(self, record: Record) -> bool:
        if not self._is_young_tombstone(record):
            return False
        return not self.table.services.storage.exists(record.directory)

    def _is_young_tombstone(self, record: Record) -> bool:
        """A tombstone is a record that a clean-up made, so that a sleeping CTAS fails."""
        if record.entry is None or not record.entry.is_view or record.superseded_ms is None:
            return False
        is_young = self._now(record) - record.superseded_ms < ORPHAN_AGE_MS
        return is_young and record.state is RecordState.DELETING

    def _written_ms(self, record: Record) -> int:
        files = self.table.services.storage.files(record.directory)
        if files or record.entry is not None:
            return max((one.modified_ms for one in files), default=0)
        return self.table.services.storage.modified_ms(record.directory) or 0

    def _now(self, record: Record) -> int:
        return self.table.services.now_ms(record.root)
