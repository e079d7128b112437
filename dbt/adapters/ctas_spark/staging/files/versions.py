"""Every version of a table of files that there still is, and what each of them is to the target."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.files.base import COMMIT_BASE, FileBase
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoots
from dbt.adapters.ctas_spark.staging.files.record import (
    RECORD,
    Record,
    RecordState,
    name_of,
    prefix_of,
    version_of,
)
from dbt.adapters.ctas_spark.staging.files.table import FileTable
from dbt.adapters.ctas_spark.staging.metastore.client import TableEntry
from dbt.adapters.ctas_spark.staging.retention.rules import KnownVersion, Place, Reason
from dbt.adapters.ctas_spark.staging.version_id import VERSION_ID

UNKNOWN_BASE = "unknown"
PUBLISHED = (RecordState.PUBLISHED, RecordState.SUPERSEDED)
FIRST = (Place.LIVE, Place.SUPERSEDED, Place.UNPUBLISHED)


@dataclass(frozen=True, slots=True)
class Found:
    """A version by its directory or its record; a record without one is a run's that died early."""

    id: str
    root: str
    record: Record | None

    @property
    def directory(self) -> str:
        """Where its files lie."""
        return f"{self.root}/{self.id}"

    @property
    def is_tombstone(self) -> bool:
        """True for a record that a clean-up made, so that a sleeping CTAS fails."""
        record = self.record
        made = record is not None and record.entry is not None and record.entry.is_view
        return made and record is not None and record.state is RecordState.DELETING


def records_of(table: FileTable) -> tuple[Record, ...]:
    """The target's records: of its name, and of this staging id.

    An entry of a version's name and location without a record is Delta's, whose run died before it
    wrote one; its base is not known.
    """
    names = table.metastore.tables(table.context.staging_schema, prefix_of(table.name))
    entries = map(table.metastore.get_table, names)
    found = (_record(entry, table) for entry in entries if entry)
    return tuple(record for record in found if record is not None)


def versions_of(table: FileTable, found: tuple[Found, ...]) -> tuple[KnownVersion, ...]:
    """What each version is to the target, which is read now; superseded ones newest first.

    The records are read before the target: a record that expects an older commit than the
    target's had it when it was written, and commits never return.
    """
    base = table.look()
    known = [_known(one, base, table.services.roots) for one in found]
    return tuple(sorted(known, key=lambda one: _order(one, base)))


def find(table: FileTable) -> tuple[Found, ...]:
    """The target's versions, by record and by directory."""
    records = {one.version: one for one in records_of(table)}
    found = {one.version: Found(one.version, one.root, one) for one in records.values()}
    for one in _by_directory(table, records.values()):
        found.setdefault(one.id, one)
    return tuple(found.values())


def shows(entry: TableEntry | None, version: str) -> bool:
    """True if the entry leads into the version. Ids are compared: URIs have many spellings."""
    location = entry.location if entry is not None else None
    return location is not None and version in location.split("/")


def _by_directory(table: FileTable, records: Iterable[Record]) -> Iterator[Found]:
    roots = {*table.services.roots.known(table.context), *(one.root for one in records)}
    for root in sorted(roots):
        for name in table.services.storage.children(root):
            if VERSION_ID.fullmatch(name):
                yield Found(name, root, None)


def _order(known: KnownVersion, base: FileBase) -> tuple[int, bool, int, str]:
    """By number; a dropped and new target counts anew, and what it shows no more comes last."""
    forgotten = base.marker is None or base.marker.number_of(known.id) is None
    return FIRST.index(known.place), forgotten, -known.number, known.id


def _record(entry: TableEntry, table: FileTable) -> Record | None:
    record = Record.of(entry) if RECORD in entry.parameters else _adopted(entry, table.name)
    if record is None or record.target != str(table.name):
        return None
    return record if table.services.roots.owns(record.root, table.name) else None


def _adopted(entry: TableEntry, target: TableName) -> Record | None:
    version, location = version_of(entry.name), (entry.location or "").rstrip("/")
    root, _, directory = location.rpartition("/")
    is_named = entry.name == name_of(entry.name.database, target, version)
    if not is_named or directory != version or not VERSION_ID.fullmatch(version):
        return None
    return Record(str(target), version, RecordState.STAGED, UNKNOWN_BASE, root, entry=entry)


def _known(found: Found, base: FileBase, roots: VersionRoots) -> KnownVersion:
    record, marker = found.record, base.marker
    number = marker.number_of(found.id) if marker else None
    place = _place(found, base, number)
    is_foreign = place is not Place.LIVE and not roots.may_delete(found.root)
    return KnownVersion(
        id=found.id,
        place=place,
        directory=found.directory,
        number=number or (record.number if record else 0),
        is_deleting=record is not None and record.state is RecordState.DELETING,
        stays=Reason.FOREIGN if is_foreign else None,
        may_have_lived=record is not None and not _would_show(record, base),
    )


def _place(found: Found, base: FileBase, number: int | None) -> Place:
    if shows(base.entry, found.id):
        return Place.LIVE
    record = found.record
    remembered = record is not None and (record.state in PUBLISHED or record.number > 0)
    return Place.SUPERSEDED if number is not None or remembered else Place.UNPUBLISHED


def _would_show(record: Record, base: FileBase) -> bool:
    """True if a publication of the version would stand in the lineage, right after its base.

    A list that was cut, or that began anew after a drop, says nothing.
    """
    if record.base == UNKNOWN_BASE:
        return True  # nobody publishes a version without a record
    commit = record.base.removeprefix(COMMIT_BASE)
    return base.marker is not None and commit in base.marker.lineage
