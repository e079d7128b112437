"""Every version of a table of files that there still is, and what each of them is to the target."""

from dataclasses import replace

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


def records_of(table: FileTable) -> tuple[Record, ...]:
    """The target's records: of its name, and of this staging id.

    An entry of a version's name and location without a record is Delta's, whose run died before it
    wrote one; its base is not known.
    """
    names = table.metastore.tables(table.context.staging_schema, prefix_of(table.name))
    entries = map(table.metastore.get_table, names)
    found = (_record(entry, table) for entry in entries if entry)
    return tuple(record for record in found if record is not None)


def versions_of(table: FileTable, found: tuple[Record, ...]) -> tuple[KnownVersion, ...]:
    """What each version is to the target, which is read now; superseded ones newest first.

    The records are read before the target: a record that expects an older commit than the
    target's had it when it was written, and commits never return.
    """
    base = table.look()
    known = [_known(one, base, table.services.roots) for one in found]
    return tuple(sorted(known, key=lambda one: _order(one, base)))


def find(table: FileTable) -> tuple[Record, ...]:
    """The target's versions: their records, and one without an entry for any other directory."""
    records = records_of(table)
    found = {one.version: one for one in records}
    roots = {*table.services.roots.known(table.context), *(one.root for one in records)}
    for root in sorted(roots):
        for name in filter(VERSION_ID.fullmatch, table.services.storage.children(root)):
            found.setdefault(name, unwritten(table.name, name, root))
    return tuple(found.values())


def unwritten(target: TableName, version: str, root: str) -> Record:
    """What can be told of a version whose run died before it wrote a record."""
    return Record(str(target), version, RecordState.STAGED, UNKNOWN_BASE, root)


def shows(entry: TableEntry | None, version: str) -> bool:
    """True if the entry leads into the version. Ids are compared: URIs have many spellings."""
    location = entry.location if entry is not None else None
    return location is not None and version in location.split("/")


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
    return replace(unwritten(target, version, root), entry=entry)


def _known(record: Record, base: FileBase, roots: VersionRoots) -> KnownVersion:
    number = base.marker.number_of(record.version) if base.marker else None
    place = _place(record, base, number)
    is_foreign = place is not Place.LIVE and not roots.may_delete(record.root)
    return KnownVersion(
        id=record.version,
        place=place,
        directory=record.directory,
        number=number or record.number,
        is_deleting=record.state is RecordState.DELETING,
        stays=Reason.FOREIGN if is_foreign else None,
        may_have_lived=not _would_show(record, base),
    )


def _place(record: Record, base: FileBase, number: int | None) -> Place:
    if shows(base.entry, record.version):
        return Place.LIVE
    was_published = number is not None or record.state in PUBLISHED or record.number > 0
    return Place.SUPERSEDED if was_published else Place.UNPUBLISHED


def _would_show(record: Record, base: FileBase) -> bool:
    """True if a publication of the version would stand in the lineage, right after its base.

    A list that was cut, or that began anew after a drop, says nothing.
    """
    if record.base == UNKNOWN_BASE:
        return True  # nobody publishes a version without a record
    commit = record.base.removeprefix(COMMIT_BASE)
    return base.marker is not None and commit in base.marker.lineage
