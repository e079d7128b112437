"""The publications of a table of files, and which of their versions can be published again."""

import logging
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ..context import DELTA, Atomicity
from ..metastore.client import PROVIDER
from ..retention.rules import Event, Place, change_of, time_text
from ..steps import StepReport
from ..storage.client import data_files
from .base import FileBase
from .record import Record, RecordState
from .schema import columns_of
from .table import FileTable
from .version import FileVersion
from .versions import find, records_of, versions_of

logger = logging.getLogger(__name__)

FEWER = (
    "%s: version %s has %d data files, and its job wrote %d: somebody has deleted or overwritten "
    "some since; it is published as it is"
)


def history(table: FileTable) -> tuple[Event, ...]:
    """Every build and rollback that the lineage still knows.

    Raises:
        MetastoreError: it could not be read.
    """
    records = {one.version: one for one in records_of(table)}
    base = table.look()
    entries = base.marker.lineage.entries if base.marker else ()
    built = [entry for entry in entries if not entry.kind.keeps_the_version]
    kept = [*(records.get(entry.version) for entry in built), None]
    return tuple(
        Event(
            version=entry.version,
            commit=entry.commit,
            time=time_text(entry.time_ms),
            kind=entry.kind.value,
            state=_state(entry.version, record, base.version if entry is built[0] else None),
            rows=record.rows if record else None,
            bytes=record.bytes if record else None,
            schema_change=_schema_change(before, record),
        )
        for entry, (record, before) in zip(built, pairwise(kept), strict=True)
    )


def _state(version: str, record: Record | None, live: str | None) -> str:
    if version == live:
        return "live"
    gone = record is None or record.state is RecordState.DELETING
    return "deleted" if gone else "kept"


def _schema_change(before: Record | None, after: Record | None) -> str:
    if before is None or after is None or before.entry is None or after.entry is None:
        return ""
    return change_of(columns_of(before.entry), columns_of(after.entry))


@dataclass(frozen=True, slots=True)
class FileRestoring:
    """A ``Restoring`` of tables of files: a version's record is its schema, too."""

    table: FileTable
    _kept: dict[str, Record] = field(default_factory=dict)

    def look(self) -> FileBase:
        return self.table.look()

    def earlier(self) -> tuple[str, ...]:
        """Superseded versions whose record and directory are there, newest first."""
        found = find(self.table)
        records = {one.version: one for one in found}
        for known in versions_of(self.table, found, self.table.look()):
            is_kept = known.place is Place.SUPERSEDED and not known.is_deleting
            if is_kept and self._has_table(records[known.id]):
                self._kept[known.id] = records[known.id]
        return tuple(self._kept)

    def restored(self, version: str, level: Atomicity, report: StepReport) -> FileVersion:
        """The attempt; it takes the record that was found before by compare-and-swap."""
        self._say_if_thinned(self._kept[version])
        return FileVersion(replace(self.table, report=report), level, self._kept[version])

    def _say_if_thinned(self, record: Record) -> None:
        """An INSERT OVERWRITE of its owner's may have done that, or a rule of the storage.

        Delta's own OPTIMIZE leaves fewer files with the same rows.
        """
        if record.entry is None or record.entry.parameters.get(PROVIDER, "").lower() == DELTA:
            return
        lies_there = self.table.services.storage.files(record.directory)
        found = len(data_files(lies_there, record.directory))
        if record.files is not None and found < record.files:
            logger.warning(FEWER, self.table.name, record.version, found, record.files)

    def _has_table(self, record: Record) -> bool:
        """False without a record, and for one that a clean-up made: it has no columns."""
        is_table = record.entry is not None and not record.entry.is_view
        return is_table and self.table.services.storage.exists(record.directory)
