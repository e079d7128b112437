"""A version of a table of files: a directory of its own, and the call that publishes it."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from typing import Any

from ..context import DELTA, Atomicity, TableLayout, TableName
from ..engines.calls import refresh
from ..engines.protocol import UNKNOWN, Job, WriteFigures
from ..errors import (
    EntryModifiedError,
    MetastoreError,
    NoSuchVersionError,
    StagingError,
    StorageError,
)
from ..metastore.client import STAGED_STATICALLY
from ..publish import ddl, messages
from ..publish import version as outcome
from ..publish.locks import HeldCheck
from ..publish.marker import PublicationKind, new_version_id
from ..publish.version import Change, Outcome, Reach
from ..steps import Step, StepReport
from ..storage.client import Removal, empty, still_there
from . import reach
from .base import COLUMN_STATISTICS, PARTITION_PROVIDER, FileBase, change_between, who_changed
from .data_files import (
    counted_in,
    what_is_wrong,
    written,
)
from .follow_up import complete, fill_columns, track_partitions
from .held_rows import HeldRows, held_rows
from .publication import MetastoreCall, marker_over, set_by_users, wait_out
from .reach import PartitionPlan, PartitionState, plan_partitions
from .record import Record, StagedRecord
from .showing import Showing
from .statistics import correct
from .stream import StreamRun, check_sources
from .table import FileTable

logger = logging.getLogger(__name__)

UNCHANGED = (Change.NONE, Change.MAINTAINED)
ROWS_CHANGED = (
    "its data files have changed since the model began: somebody changed its rows, for example by "
    "an INSERT"
)
MAY_BE_RESTORED = (
    "%s: whether a rollback has taken this version is not known, so it stays until a clean-up: %s"
)
WRITTEN_IN_THE_SECOND = "it was changed in the second in which it was read"


class FileVersion:
    """A ``Version`` of a table of files; with ``restored``, an earlier one is published again.

    ``count`` knows what was written into a directory better than the engine does.
    """

    has_log = False

    def __init__(
        self,
        table: FileTable,
        level: Atomicity,
        restored: Record | None = None,
        count: Callable[[str], WriteFigures] | None = None,
    ) -> None:
        self.id = restored.version if restored else new_version_id(table.services.clock.wall_ms())
        self._table = table if restored is None else _as_restored(table, restored)
        self._context, self._services = self._table.context, table.services
        self._level = level
        self._restored = restored
        self._count = count
        self._root = restored.root if restored else ""
        self._partitions = PartitionPlan(PartitionState.FILES)
        self._staged = StagedRecord(
            table, self.id, FileBase(None), restored, publishes_again=restored is not None
        )
        self._written: WriteFigures | None = None
        self._old_rows: HeldRows | None = None
        self._call: MetastoreCall | None = None
        self._has_waited = False
        self._stream: StreamRun | None = None

    @property
    def record(self) -> TableName:
        return self._staged.name

    @property
    def directory(self) -> str:
        """Where the version's files lie; known from ``stage_on`` on."""
        return f"{self._root}/{self.id}"

    @property
    def places(self) -> str:
        """Its directory, once something can lie there; a version that was there stays."""
        return f"directory {self.directory}" if self._root and not self._restored else ""

    @property
    def keeps_own_columns(self) -> bool:
        """True for a whole Delta table: its columns are in its log."""
        return not self._context.layout.has_properties_in_entry

    @property
    def partition_metadata(self) -> str | None:
        keys = self._context.layout.partition_keys
        return self._partitions.state.value if keys else None

    def look(self) -> FileBase:
        return self._table.look()

    def change(self, begun: FileBase, now: FileBase) -> Change:
        """By the entry, and where the version holds rows of the base, by its files."""
        found = change_between(begun, now)
        if self._old_rows is None or found not in UNCHANGED:
            return found
        return found if self._old_rows.are_still_those_of(begun.table) else Change.WRITTEN

    def changed_by(self, begun: FileBase, now: FileBase) -> str:
        is_same = change_between(begun, now) in UNCHANGED
        return ROWS_CHANGED if is_same else who_changed(begun, now)

    def finish_interrupted(self, found: FileBase) -> FileBase:
        return complete(self._table, found)

    def reach(self, over: FileBase) -> Reach:
        """What one call over the base keeps; once it is staged, by what is staged."""
        find_lock = self._services.find_partition_lock
        self._partitions = plan_partitions(self._context, self._level, over, find_lock)
        staged = self._staged.entry() if self._written is not None else None
        if staged is not None and PARTITION_PROVIDER not in staged.parameters:
            asked = self._context if self._restored is None else None
            self._partitions = reach.as_staged(self._partitions, asked)
        return reach.over(self._table, over, self._partitions, staged)

    def stage_on(self, base: FileBase, level: Atomicity) -> None:
        """Find the directory; an earlier version's record is taken, before a clean-up takes it."""
        self._staged.base = base
        self._level = level
        self._services.roots.staging.follow(base.entry)
        if self._restored is None:
            self._root = self._services.roots.root_of(self._context)
            self._staged.seen_ms = self._services.now_ms(self._root)
        else:
            self._take_again(self._restored, base)

    def read_afresh(self) -> None:
        refresh(self._services.engine, self._context.target)

    def hold_old_rows(self) -> None:
        """List the base's files; Spark lists them later, so that no row is missed.

        Raises:
            StorageError, MetastoreError: they could not be listed.
        """
        self._old_rows = held_rows(self._table, self._staged.base)
        self.read_afresh()

    def read_new_rows(self, stream: Any, job: Job, *, resumes: bool) -> Any:
        """By a run next to the version, which an abort removes, too."""
        check_sources(stream, self._context.target)
        directory = f"{self._root}/{new_version_id(self._services.clock.wall_ms())}"
        self._stream = StreamRun(self._services.storage, directory, self._context.target)
        if resumes:
            base = self._staged.base.table
            self._stream.go_on_from(base.location if base else None)
        return self._stream.new_rows(stream, job)

    def statement(self, query: str) -> str:
        """The CTAS that stages the version; at level ``none`` it stages no rows."""
        layout, in_entry = self._context.layout, self._context.layout.has_properties_in_entry
        says_mode = any(one.upper() in STAGED_STATICALLY for one in layout.options)
        if in_entry and layout.partition_by and not says_mode:
            layout = replace(layout, options={**layout.options, **STAGED_STATICALLY})
        return ddl.create_table_as(
            self.record,
            self.directory,
            layout,
            self._staged.to_parameters(self._root) if in_entry else {},
            ddl.without_rows(query) if self._level is Atomicity.NONE else query,
        )

    def fill_statement(self, query: str) -> str:
        """The INSERT that fills a published empty version in place (level ``none`` only).

        A session that has read the table before would write into the version that it remembers.
        Hive has to know columns by then: Spark ends an INSERT with statistics, in an alter.
        """
        self._fill_columns()
        self._services.engine.refresh(self._context.target)
        return ddl.insert_into(self._context.target, query)

    def check_staged(self, counted: WriteFigures) -> WriteFigures:
        """The first time: mark and guard the directory; the last time: one listing of it.

        Old rows are listed again meanwhile, unless a lock has still to be waited for.
        """
        storage, directory = self._services.storage, self.directory
        if self._written is not None:
            if self._old_rows is not None and self._services.conditional:
                self._old_rows.list_again()
            self._refuse(what_is_wrong(storage, directory, self._written))
            return counted
        listed = counted
        if self._restored is None:
            self._adopt()
            listed = counted = self._count(directory) if self._count else counted
            if counted == UNKNOWN and not self.keeps_own_columns:
                by_metastore = self._services.by_metastore
                listed = by_metastore.of(
                    self._staged.read(), lambda: counted_in(storage, directory)
                )
        self._written = written(storage, directory, listed)
        # files are missed by the last listing
        if not self._written.files and not storage.exists(directory):
            self._refuse(f"its directory {directory} is not there")
        return counted

    def held(self) -> AbstractContextManager[HeldCheck]:
        return self._services.lock.held(self._context.target)

    def rebase(self, over: FileBase) -> None:
        self._staged.rebase(over, self._services.now_ms(self._root))

    def mark(self, over: FileBase, level: Atomicity) -> str:
        """A fresh marker, once the second that a base without one is expected at is over."""
        staged, target = self._staged.entry(), self._context.target
        self._has_waited = wait_out(over, staged)
        kind = PublicationKind.BUILD if self._restored is None else PublicationKind.ROLLBACK
        now, written = self._services.now_ms(self._root), self._holds(over, level)
        marker = marker_over(over, target, self.id, level, kind, now_ms=now, written=written)
        self._call = MetastoreCall(self._table, staged, over, marker, self._partitions.state)
        return marker.commit

    def publish(self, over: FileBase) -> None:
        if self._call is None or self._call.base is not over:  # identity: marked for this base
            raise RuntimeError(f"mark() was not called for {self._context.target}")
        if self._has_waited:
            with outcome.before_the_call():
                if self.change(over, self.look()) not in UNCHANGED:
                    raise EntryModifiedError(WRITTEN_IN_THE_SECOND)
        self._call.make()

    def decide(
        self, over: FileBase, after: FileBase, commit: str, failure: MetastoreError | None
    ) -> Outcome:
        """By the marker on the target and its lineage."""
        marker = after.marker
        ours = marker is not None and (marker.commit == commit or commit in marker.lineage)
        shows_version = after.entry is not None and after.entry.directory_name == self.id
        is_unchecked = self._call is not None and self._call.is_unchecked
        if (shows_version and not ours) or (ours and is_unchecked):
            return Outcome.UNKNOWN
        left = self._services.conditional and reach.has_left(over, after)
        return outcome.decide(failure, shows_ours=ours, can_not_land=left)

    def settle(self, report: StepReport) -> list[str]:
        """Hive's columns and the partitions, as far as the call left them for later; refresh."""
        target, left = self._context.target, []
        try:
            self._fill_columns()
            if self._partitions.state is PartitionState.PENDING:
                state = track_partitions(self._table)
                self._partitions = replace(self._partitions, state=state)
            base = self._call.base.table if self._call else None
            if base is not None and COLUMN_STATISTICS in base.parameters:
                # other engines' statistics of columns describe the old version
                self._services.metastore.drop_column_statistics(base.name)
            if self._level is Atomicity.NONE:
                # Spark may have counted the rows of its INSERT, and found no partitions
                correct(self._services.entries, self._services.storage, target, {})
        except StagingError as error:
            logger.warning("%s: %s; the next run does it", target, error.what)
            left.append(error.what)
        refresh(self._services.engine, target)
        if self._old_rows is not None:
            self._old_rows.warn_of_late_rows()
        return left + still_there(report, *self._of_stream)

    def discard(self, report: StepReport) -> list[str]:
        directory, record = self.directory, self.record
        storage, metastore = self._services.storage, self._services.metastore
        files = Step.DELETE_FILES, f"directory {directory}", lambda: empty(storage, directory)
        entry = Step.DELETE_RECORD, f"record {record}", lambda: metastore.drop_entry(record)
        try:
            is_withdrawn = self._staged.is_withdrawn(self._services.now_ms(self._root))
        except MetastoreError as error:
            logger.warning(MAY_BE_RESTORED, record, error.what)
            return [*still_there(report, *self._of_stream), files[1], entry[1]]
        if not is_withdrawn:
            return still_there(report, *self._of_stream)
        left = still_there(report, *self._of_stream, files)
        if self._staged.base.table is None:
            with suppress(StorageError):  # it was made for this version, and may be another's now
                storage.remove_empty(self._root)
        return left or still_there(report, entry)  # a clean-up finds files by their record

    @property
    def _of_stream(self) -> list[Removal]:
        return [self._stream.removal] if self._stream else []

    def _take_again(self, record: Record, base: FileBase) -> None:
        """Take the record of an earlier version, which no other table may show."""
        with self.held():
            self.rebase(base)
        if place := Showing(self._table).elsewhere(record):
            what = f"version {record.version} can't be published again: {place} already shows it"
            remedy = "drop that table first, or build the model again"
            left = messages.unchanged(base)
            raise NoSuchVersionError(what, table=self._context.target, left=left, remedy=remedy)

    def _adopt(self) -> None:
        """Write what the CTAS does not: Delta's properties, a stream's checkpoint; permissions."""
        if not self._context.layout.has_properties_in_entry:
            self._staged.write(self._root)
        if self._stream is not None:
            self._stream.hand_over(self.directory)
        base = self._staged.base.table
        source = base.location if base is not None and base.location is not None else self._root
        try:
            self._services.storage.copy_permissions(source, self.directory)
        except StagingError as error:
            logger.warning(
                "%s: it keeps the permissions that Spark gave it: %s", self.record, error.what
            )

    def _holds(self, over: FileBase, level: Atomicity) -> WriteFigures:
        """What is published; a version that is published again has the rows of the first time.

        At level ``none`` it is filled after its publication.
        """
        written = self._written or UNKNOWN
        if level is Atomicity.NONE:
            return UNKNOWN
        if self._restored is None or over.marker is None:
            return written
        before = over.marker.lineage.figures_of(self.id)
        return replace(written, rows=before.rows) if before.bytes == written.bytes else written

    def _refuse(self, wrong: str) -> None:
        if wrong:
            unchanged = messages.unchanged(self._staged.base)
            raise messages.files_gone(self._context.target, wrong, unchanged)

    def _fill_columns(self) -> None:
        """The second call of a publication whose first one left Hive's columns away."""
        if self._call is not None and self._call.columns == ():
            fill_columns(self._table)


def _as_restored(table: FileTable, record: Record) -> FileTable:
    """The layout is the version's own, whatever the model says by now.

    A Delta version counts as files here: all that is published again is its entry.
    """
    layout = TableLayout()
    if record.entry is not None:
        provider = record.entry.provider
        layout = TableLayout(
            file_format=layout.file_format if provider in ("", DELTA) else provider,
            partition_by=record.entry.partition_columns,
            properties=set_by_users(record.entry.parameters),
        )
    return replace(table, context=replace(table.context, layout=layout))
