"""The publications of a table of files, and which of their versions can be published again."""

import logging
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from ..clock import time_text
from ..context import DELTA, Atomicity
from ..errors import StorageError
from ..publish.marker import LineageEntry, PublicationKind, order_of, started_ms
from ..publish.rollback import Restoring
from ..retention.rules import Event, change_of
from ..steps import StepReport
from .base import FileBase
from .chain import Chain
from .data_files import counted_in, has_changed
from .record import NOT_REACHED, Record, records_of
from .schema import columns_of
from .table import FileTable
from .version import FileVersion

logger = logging.getLogger(__name__)

FEWER = (
    "%s: version %s has %d data files, and its job wrote %d: somebody has deleted or overwritten "
    "some since; it is published as it is"
)


def history(tables: Sequence[FileTable]) -> tuple[Event, ...]:
    """Every build and rollback that is known, then what may have been one, newest first.

    Args:
        tables: the target with each staging schema that it ever had.

    Raises:
        MetastoreError: it could not be read.
    """
    known = FileRestoring.of(tables)
    records = {one: record for one, (_, record) in known.records.items()}
    lineage = known.base.marker.lineage.entries if known.base.marker else ()
    built = [one for one in lineage if not one.is_fence]
    changed = {*_changed_in_place(tables[0], built, records)}
    inside = tuple(_of_lineage(built, records, changed))
    listed, chain = {one.version for one in inside}, known.chain
    rest = [one for one in records.values() if one.version not in listed and _is_table(one)]
    before = [_before_that(one, chain) for one in rest if not chain.proves_unpublished(one)]
    return (*inside, *sorted(before, key=lambda one: one.time, reverse=True))


def _changed_in_place(
    table: FileTable, built: Sequence[LineageEntry], records: Mapping[str, Record]
) -> Iterator[str]:
    """The versions whose rows are not, or not only, those that were counted."""
    for entry in built:
        record = records.get(entry.version)
        if record is None or not _is_table(record) or _is_of_delta(record):
            continue
        try:
            is_changed = has_changed(table.services.storage, record.directory, entry.figures)
        except StorageError as error:
            logger.warning(NOT_REACHED, table.name, record.directory, error.what)
            continue
        if is_changed:
            yield entry.version


def _of_lineage(
    built: Sequence[LineageEntry], records: Mapping[str, Record], changed: Container[str]
) -> Iterator[Event]:
    kept = [*(records.get(entry.version) for entry in built), None]
    for at, (entry, (record, before)) in enumerate(zip(built, pairwise(kept), strict=True)):
        gone = record is None or record.is_deleting
        yield Event(
            version=entry.version,
            commit=entry.commit,
            time=time_text(entry.time_ms),
            kind=entry.kind.value,
            state="live" if at == 0 else "deleted" if gone else "kept",
            rows=entry.figures.rows,
            bytes=entry.figures.bytes,
            schema_change=_schema_change(before, record),
            changed_in_place=entry.version in changed,
        )


def _before_that(record: Record, chain: Chain) -> Event:
    """A version of which only records tell, or nothing but itself: from before a drop, say."""
    commit = chain.last_commit(record.version)
    return Event(
        version=record.version,
        commit=commit or "",
        time=time_text(order_of(commit) if commit else started_ms(record.version)),
        kind=PublicationKind.BUILD.value,
        state="kept" if commit else "unproven",
    )


def _schema_change(before: Record | None, after: Record | None) -> str:
    if before is None or after is None or before.entry is None or after.entry is None:
        return ""
    return change_of(columns_of(before.entry), columns_of(after.entry))


def _is_of_delta(record: Record) -> bool:
    """True if Delta's log says which of its files are the table's."""
    return record.entry is not None and record.entry.provider == DELTA


def _is_table(record: Record) -> bool:
    """False without an entry, and for one that a clean-up made: it has no columns."""
    return record.entry is not None and not record.entry.is_view and not record.is_deleting


def _is_there(table: FileTable, record: Record) -> bool:
    """False where that can't be found out: others can be gone back to all the same."""
    try:
        return table.services.storage.exists(record.directory)
    except StorageError as error:
        logger.warning(NOT_REACHED, table.name, record.directory, error.what)
        return False


@dataclass(frozen=True)
class FileRestoring(Restoring):
    """A ``Restoring`` of tables of files: a version's record is its schema, too.

    ``records`` are those of all versions, each with the target and the staging schema that it is
    in, and ``chain`` is theirs.
    """

    records: Mapping[str, tuple[FileTable, Record]]
    base: FileBase
    chain: Chain

    @classmethod
    def of(cls, tables: Sequence[FileTable]) -> "FileRestoring":
        """What is known of the target's versions; raises like ``history``, and takes the same."""
        records = {one.version: (table, one) for table in tables for one in records_of(table)}
        base = tables[0].look()
        return cls(records, base, Chain.of(base, [one for _, one in records.values()], read_ms=0))

    @cached_property
    def kept(self) -> Mapping[str, Record]:
        """The versions that can be read."""
        return {
            version: record
            for version, (table, record) in self.records.items()
            if _is_table(record) and _is_there(table, record)
        }

    def look(self) -> FileBase:
        return self.base

    def earlier(self) -> tuple[str, ...]:
        """Published versions whose record and directory are there, newest first."""
        return tuple(one for one in self.chain.published(self.kept) if one != self.base.version)

    def unproven(self) -> tuple[str, ...]:
        lived = {*self.chain.published(self.kept), self.base.version}
        proves = self.chain.proves_unpublished
        return tuple(
            one for one, record in self.kept.items() if one not in lived and not proves(record)
        )

    def restored(self, version: str, level: Atomicity, report: StepReport) -> FileVersion:
        """The attempt; it takes the record that was found before by compare-and-swap."""
        table, record = self.records[version]
        self._say_if_thinned(table, record)
        return FileVersion(replace(table, report=report), level, record)

    def _say_if_thinned(self, table: FileTable, record: Record) -> None:
        """An INSERT OVERWRITE of its owner's may have done that, or a rule of the storage.

        Delta's own OPTIMIZE leaves fewer files with the same rows.
        """
        if record.entry is None or _is_of_delta(record):
            return
        found = counted_in(table.services.storage, record.directory).files or 0
        marker = self.base.marker
        wrote = marker.lineage.figures_of(record.version).files if marker else None
        if wrote is not None and found < wrote:
            logger.warning(FEWER, table.name, record.version, found, wrote)
