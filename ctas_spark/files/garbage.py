"""The clean-up of one table of files: the versions that it judges, and how one is removed."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from ..clock import ORPHAN_AGE_MS, SECOND_MS
from ..context import TableName
from ..errors import EntryExistsError, EntryMissingError, EntryModifiedError, StorageError
from ..metastore.client import EntryChange
from ..publish.catalog import Deletion
from ..publish.marker import started_ms
from ..retention.clean_up import CleanUp
from ..retention.rules import KnownVersion, Place, Reason, RetentionRules, Sweep
from ..steps import Step
from ..storage.client import emptied
from . import record as records
from .base import ABSENT, FileBase, lies_in
from .chain import Chain
from .follow_up import complete, drop_stale_partitions, finished
from .publication import fenced
from .record import Record, records_among, unrecorded
from .record_scan import RecordScan, RecordScans
from .showing import Showing
from .table import FileTable
from .took_over import TookOver, say_they_stay

logger = logging.getLogger(__name__)

NO_TARGET = Chain((), ())
FIRST = (Place.LIVE, Place.SUPERSEDED, Place.UNPUBLISHED)
BySchema = Sequence[tuple[FileTable, RecordScan]]
"""The target with each staging schema that it ever had, the present one first; what is there."""


def clean_up(by_schema: BySchema, rules: RetentionRules, *, dry_run: bool) -> Sweep:
    """Delete what may go; StagingError if it can't be found out.

    What was read just now is not read again, except before a deletion.
    """
    with by_schema[0][0].report.within(Step.CLEAN_UP):
        return _begun(by_schema, rules, dry_run=dry_run)()


def begin_clean_up(by_schema: BySchema, rules: RetentionRules, *, dry_run: bool) -> Deletion:
    """Take what may go; the returned call deletes it. Both raise like ``clean_up``."""
    report = by_schema[0][0].report
    with report.within(Step.CLEAN_UP):
        rest = _begun(by_schema, rules, dry_run=dry_run)

    def delete() -> Sweep:
        with report.within(Step.CLEAN_UP):
            return rest()

    return delete


def _begun(by_schema: BySchema, rules: RetentionRules, *, dry_run: bool) -> Deletion:
    """What was searched before is no proof that nobody shows what is taken here."""
    table = by_schema[0][0]
    for one, _ in by_schema:
        if rules.moved is not None and not dry_run:
            one.services.roots.moved(one.context, rules.moved)
    garbage = FileGarbage(by_schema, rules, dry_run)
    begun = CleanUp(garbage, rules, table.report, dry_run)
    begun.take()
    table.services.search.forget()
    if begun.taken or garbage.has_taken_over:
        return partial(_ended, garbage, begun)
    done = _ended(garbage, begun)  # nothing of it waits in memory for other tables
    return lambda: done


def _ended(garbage: "FileGarbage", begun: CleanUp) -> Sweep:
    """What was taken over goes first, so that no record has to hand that on."""
    taken_over = garbage.free_taken_over() if garbage.rules.thorough else []
    done = begun.delete()
    done.taken_over = taken_over
    if garbage.base is not None and not garbage.dry_run:
        drop_stale_partitions(garbage.table, garbage.base, garbage.rules.grace_ms)
    return done


def recover(tables: Sequence[FileTable]) -> tuple[str, ...]:
    """Fill columns, track partitions, finish deletions; what was done, as sentences."""
    table = tables[0]
    with table.report.within(Step.RECOVER):
        before = table.look()
        done = finished(before, complete(table, before))
        rules = RetentionRules(grace_ms=0)  # every record is read
        garbage = FileGarbage([(one, scan(one, rules)) for one in tables], rules)
        sweep = CleanUp(garbage, rules, table.report).finish()
        sweep.require_all()
    return (*done, *(f"the deletion of {one} was finished" for one in sweep.freed))


def scan(table: FileTable, rules: RetentionRules) -> RecordScan:
    """One table, read now."""
    services, schema = table.services, table.context.staging_schema
    return RecordScans(table.metastore, services.clock, schema, {table.name: rules}).of(table.name)


@dataclass(slots=True)
class FileGarbage:
    """A ``Garbage`` of tables of files; ``base`` is the target, if there was anything to judge.

    A tombstone outlives its version by the orphan age of everyone, also where a clean-up was told
    a lower one: the job that it stops may be one whose files nobody counts.
    """

    by_schema: BySchema
    rules: RetentionRules
    dry_run: bool = False
    base: FileBase | None = None
    _found: dict[str, Record] = field(default_factory=dict)
    _tables: dict[str, FileTable] = field(default_factory=dict)
    _chain: Chain = NO_TARGET

    @property
    def table(self) -> FileTable:
        """The target, with the staging schema that it has now."""
        return self.by_schema[0][0]

    def versions(self) -> tuple[KnownVersion, ...]:
        """By record and by directory, without the tombstones that only wait."""
        for table, scanned in self.by_schema:
            for one in _found(table, scanned):
                if not self._only_waits(table, one):
                    self._found[one.version], self._tables[one.version] = one, table
        if not self._found:
            return ()
        bases = [scanned.base for _, scanned in self.by_schema if scanned.base is not None]
        self._judge_by(bases[0] if len(bases) == 1 else self.table.look())  # after all records
        if not self.dry_run:
            for record in [*self._found.values()]:
                self._note_whether_it_is_gone(record)
        known = {one: self._known(record) for one, record in self._found.items()}
        order = dict.fromkeys((*self._chain.published(known), *sorted(known)))
        return tuple(sorted((known[one] for one in order), key=lambda one: FIRST.index(one.place)))

    def _only_waits(self, table: FileTable, record: Record) -> bool:
        """True of a tombstone without a directory."""
        try:
            is_young = self._is_young_tombstone(record)
            return is_young and not table.services.storage.exists(record.directory)
        except StorageError:
            return False

    def left_for_ms(self, version: KnownVersion) -> int | None:
        """By the chain; of a gone target, by the note of the vacuum that first saw that."""
        record = self._found[version.id]
        left_ms = record.target_gone_ms if self._is_gone else self._chain.left_ms(record)
        return None if left_ms is None else max(0, self._now(record) - left_ms)

    def age_ms(self, version: KnownVersion) -> int:
        """By id, record and newest file; a directory's own time where there is neither."""
        record = self._found[version.id]
        times = [started_ms(record.version), self._written_ms(record)]
        if record.entry is not None:
            times.append((record.entry.last_ddl_time or record.entry.create_time) * SECOND_MS)
        return self._now(record) - max(times)

    def may_land(self, version: KnownVersion) -> bool:
        """True if the target is what the record expects: commit ids never return.

        A creation's proof is its record in ``deleting``, and so is that of a version without one.
        """
        record = self._found[version.id]
        if record.base in (ABSENT, None):
            return False
        if not self.table.services.conditional and version.place is Place.UNPUBLISHED:
            return False  # no call is refused by its base: age alone decides
        return str(self.base) == record.base

    def may_have_lived(self, version: KnownVersion) -> bool:
        """By the chain as it is after a fence, which its writer's call may have come before."""
        return not self._chain.proves_unpublished(self._found[version.id])

    def fence(self) -> None:
        """One conditional call; another's commit meanwhile is a fence, too."""
        now_ms = self.table.services.now_ms(self._newest.root)
        base = self.table.look()
        change = fenced(base, now_ms)
        if change is not None:
            with suppress(EntryModifiedError):
                self.table.services.entries.change(self.table.name, change, base.expectation)
        self._judge_by(self.table.look())

    def take(self, version: KnownVersion) -> bool:
        """Move the record to ``deleting``; make one, on which a CTAS that still runs will fail."""
        record = self._found[version.id]
        taken = replace(record, deleting_ms=self._now(record))
        if record.text is not None:
            return self._moved(record, taken)
        try:
            self._write(taken)
        except (EntryExistsError, EntryModifiedError, EntryMissingError):
            return False
        now = self._read(record)
        if now is not None:
            self._found[version.id] = now
        return now == taken

    def shown(self, versions: Sequence[KnownVersion]) -> dict[str, Reason]:
        """TAKEN if the deletion that another began is none any more: it may be live again."""
        begun = [self._found[one.id] for one in versions if one.is_deleting]
        reasons = {one.version: Reason.TAKEN for one in begun if self._read(one) != one}
        found = [self._found[one.id] for one in versions if one.id not in reasons]
        showing = Showing(self.table, self.rules.thorough, self.dry_run)
        return reasons | showing.of(found, self._chain)

    def give_back(self, version: KnownVersion) -> None:
        """It is a version like any other again."""
        record = self._found[version.id]
        self._moved(record, replace(record, deleting_ms=None, target_gone_ms=None))

    def delete_files(self, version: KnownVersion) -> bool:
        """Delete the directory, again and again while files come."""
        return emptied(self.table.services.storage, version.directory)

    def delete_record(self, version: KnownVersion) -> None:
        """Drop the entry; a tombstone stays until no CTAS of that age can come any more."""
        record = self._found[version.id]
        if self._is_young_tombstone(record):
            return
        if version.place is Place.SUPERSEDED:
            self._hand_on(record)
        name = self._name(record)
        if record.base == ABSENT:
            self.table.metastore.drop_entry(records.taken_back(name))
        self.table.metastore.drop_entry(name)

    @property
    def has_taken_over(self) -> bool:
        """True if a version remembers the files of a managed table that it replaced."""
        return any(one.took_over for one in self._found.values())

    def free_taken_over(self) -> list[str]:
        """Delete the files of managed tables that versions took over; the directories."""
        took_over = TookOver(self.table, self.rules, self._forget_taken_over, self.dry_run)
        return took_over.free(list(self._found.values()))

    def _forget_taken_over(self, record: Record) -> None:
        self._moved(record, replace(record, took_over=None))

    @property
    def _is_gone(self) -> bool:
        """True if the target shows no version of ours."""
        return self.base is None or self.base.marker is None

    def _judge_by(self, base: FileBase) -> None:
        self.base = base
        self._chain = Chain.of(base, self._found.values(), self._now(self._newest))

    @property
    def _newest(self) -> Record:
        """It lies where the target lies, most likely."""
        return max(self._found.values(), key=lambda one: one.version)

    def _known(self, record: Record) -> KnownVersion:
        place = self._place(record)
        stays = None if place is Place.LIVE else self._at_its_root(record)
        if stays is None and self._is_gone and not self.rules.thorough and not record.is_deleting:
            stays = Reason.GONE
        return KnownVersion(record.version, place, record.directory, record.is_deleting, stays)

    def _at_its_root(self, record: Record) -> Reason | None:
        """Why nothing is deleted there."""
        roots = self._tables[record.version].services.roots
        try:
            return None if roots.may_delete(record.root) else Reason.FOREIGN
        except StorageError as error:
            logger.warning(records.NOT_REACHED, self.table.name, record.root, error.what)
            return Reason.UNREACHABLE

    def _place(self, record: Record) -> Place:
        shown = self.base.entry.location if self.base and self.base.entry else None
        if lies_in(shown, record.version):
            return Place.LIVE
        lived = self._chain.last_commit(record.version) is not None
        return Place.SUPERSEDED if lived else Place.UNPUBLISHED

    def _name(self, record: Record) -> TableName:
        return records.name_in(self._tables[record.version], record.version)

    def _read(self, record: Record) -> Record | None:
        return records.read(self._tables[record.version], record.version)

    def _note_whether_it_is_gone(self, record: Record) -> None:
        """When a vacuum saw that first: nothing else tells since when nobody reads it.

        By a clock that is read after the target, which may have been dropped during the reads.
        """
        if record.text is None or record.is_deleting:
            return
        is_noted = record.target_gone_ms is not None
        if not self._is_gone and is_noted:
            self._moved(record, replace(record, target_gone_ms=None))
        elif self._is_gone and not is_noted and self.rules.thorough:
            with suppress(StorageError):  # the version stays, and says why
                now_ms = self.table.services.now_ms(record.root)
                self._moved(record, replace(record, target_gone_ms=now_ms))

    def _moved(self, record: Record, to: Record) -> bool:
        now = records.moved(self.table, to, record)
        if now is not None:
            self._found[record.version] = now
        return now is not None

    def _write(self, record: Record) -> None:
        """Into an entry without a directory; or into Delta's, whose run wrote no record into it."""
        if record.entry is None:
            name, metastore = self._name(record), self.table.metastore
            made = EntryChange(name, metastore.scratch_entry(name), None, record.to_parameters())
            metastore.create_table(made)
        else:
            parameters = {**record.entry.parameters, **record.to_parameters()}
            adopted = EntryChange.of(record.entry, parameters)
            self.table.services.entries.change(self.table.name, adopted, None)

    def _hand_on(self, record: Record) -> None:
        """Let the live version remember the files of a managed table that this one took over."""
        if record.took_over is None:
            return
        live = self.table.look().version or ""
        heir = next(filter(None, (records.read(one, live) for one, _ in self.by_schema)), None)
        is_free = heir is not None and heir.took_over is None
        if not (heir and is_free and self._moved(heir, replace(heir, took_over=record.took_over))):
            reason = "no version is left to keep track of them"
            say_they_stay(self.table.name, record.took_over, reason)

    def _is_young_tombstone(self, record: Record) -> bool:
        """A tombstone is a record that a clean-up made, so that a sleeping CTAS fails."""
        if record.entry is None or not record.entry.is_view or record.deleting_ms is None:
            return False
        return self._now(record) - record.deleting_ms < ORPHAN_AGE_MS

    def _written_ms(self, record: Record) -> int:
        files = self.table.services.storage.files(record.directory)
        if files or record.entry is not None:
            return max((one.modified_ms for one in files), default=0)
        return self.table.services.storage.modified_ms(record.directory) or 0

    def _now(self, record: Record) -> int:
        """The storage's time just before the records were read."""
        services, began_ms = self.table.services, min(one.began_ms for _, one in self.by_schema)
        return services.now_ms(record.root) - (services.clock.running_ms() - began_ms)


def _found(table: FileTable, scanned: RecordScan) -> list[Record]:
    """By their records, and by a directory without one; without what is too young to go."""
    recorded = records_among(table, scanned.records)
    if scanned.is_of_first_build:
        return []
    found = unrecorded(table, recorded, scanned.listed, scanned.is_young)
    return [*recorded, *{one.version: one for one in found}.values()]
