"""The versions of a table of files that there still are, and what still shows them.

The target and clones by their marker are read afresh for each version. Tables and partitions that
merely lie in a version (external tables, clones without the marker) are found by a listing of
everything, which is made once for an invocation of ``ctas_vacuum``.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from ..context import TableName
from ..errors import EntryMissingError, MetastoreError
from ..metastore.client import MetastoreClient, TableEntry
from ..publish.marker import VERSION, VERSION_ID
from ..retention.rules import KnownVersion, Place, Reason
from . import record as records
from .base import COMMIT_BASE, PARTITION_PROVIDER, FileBase, lies_in
from .follow_up import track_partitions
from .record import Record, RecordState
from .seen import Seen
from .table import FileTable, NamedPlace

UNKNOWN_BASE = "unknown"
PUBLISHED = (RecordState.PUBLISHED, RecordState.SUPERSEDED)
FIRST = (Place.LIVE, Place.SUPERSEDED, Place.UNPUBLISHED)


def records_of(table: FileTable, seen: Seen | None = None) -> tuple[Record, ...]:
    """The target's records: of its name, and of this staging id.

    An entry of a version's name and location without a record is Delta's, whose run died before it
    wrote one; its base is not known.
    """
    entries = seen.records_of(table.name) if seen is not None else _entries(table)
    found = (_record(entry, table.name) for entry in entries)
    owns = table.services.roots.owns
    return tuple(one for one in found if one is not None and owns(one.root, table.name))


def find(table: FileTable, seen: Seen | None = None) -> tuple[Record, ...]:
    """The target's versions: their records, and one without an entry for any other directory.

    Without those that were too young to be read.
    """
    known = records_of(table, seen)
    unread = seen.unread if seen is not None else ()
    found = {one.version: one for one in known}
    roots = {*table.services.roots.known(table.context), *(one.root for one in known)}
    for root in sorted(roots):
        for name in filter(VERSION_ID.fullmatch, table.services.storage.children(root)):
            if name not in found and name not in unread:
                found[name] = _unwritten(table.name, name, root)
    return tuple(found.values())


def versions_of(
    table: FileTable, found: Iterable[Record], base: FileBase
) -> tuple[KnownVersion, ...]:
    """What each version is to the target; superseded ones newest first.

    The records were read before the target: a record that expects an older commit than the
    target's had it when it was written, and commits never return.
    """
    known = [_known(one, base, table) for one in found]
    return tuple(sorted(known, key=lambda one: _order(one, base)))


def places(metastore: MetastoreClient) -> Iterator[NamedPlace]:
    """Every schema, table and partition that this user may list, with its location.

    Raises:
        MetastoreError: something could not be listed.
    """
    for database in metastore.databases():
        location = metastore.database_location(database) or ""
        yield NamedPlace(f"schema {database}", None, location)
        for name in metastore.tables(database):
            yield from _places_of(metastore, name)


@dataclass(frozen=True, slots=True)
class References:
    """What shows versions of one target; a thorough look compares all locations, too."""

    table: FileTable
    thorough: bool
    dry_run: bool = False

    def reason(self, known: KnownVersion) -> Reason | None:
        """Why the version may not go, by what the metastore says now.

        Raises:
            MetastoreError: the target could not be read.
        """
        base, version = self.table.look(), known.id
        if lies_in(base.entry.location if base.entry else None, version):
            return Reason.LIVE
        if self._has_partition(base, version):
            return Reason.REFERENCED
        try:
            found = self._has_clone(base, known) or self._is_location(version)
        except MetastoreError:
            return Reason.UNSEARCHED
        return Reason.REFERENCED if found else None

    def _has_partition(self, base: FileBase, version: str) -> bool:
        """Entries below an older version do not count while Spark lists directories.

        They are dropped under the lock: MSCK REPAIR TABLE would bring them back to life. Without a
        lock nobody ever tracks them.
        """
        if base.entry is None or not self._lists(base.entry, version):
            return False
        if base.version is None or PARTITION_PROVIDER in base.entry.parameters:
            return True
        if self.dry_run or self.table.services.find_partition_lock() is None:
            return False
        track_partitions(self.table)
        return self._lists(base.entry, version)

    def _lists(self, entry: TableEntry, version: str) -> bool:
        with suppress(EntryMissingError):
            kept = self.table.metastore.partitions(entry.name) if entry.partition_keys else ()
            return any(lies_in(one.location, version) for one in kept)
        return False

    def _has_clone(self, base: FileBase, known: KnownVersion) -> bool:
        """A target that is gone or foreign may have been renamed into any database.

        So may the one that showed a version of which the table's present lineage knows nothing.
        """
        metastore, own = self.table.metastore, self._own(known.id)
        was_shown = known.place is Place.SUPERSEDED or known.may_have_lived
        is_forgotten = base.marker is None or base.marker.number_of(known.id) is None
        is_away = base.version is None or (was_shown and is_forgotten)
        everywhere = metastore.databases() if is_away else ()
        for database in sorted({self.table.name.database, *everywhere}):
            for name in metastore.tables_with(database, VERSION, known.id):
                if name not in own and metastore.get_table(name) is not None:
                    return True
        return False

    def _own(self, version: str) -> tuple[TableName, TableName]:
        """The record, and what a run that was killed while it took a creation back has left."""
        record = records.name_in(self.table, version)
        return record, records.taken_back(record)

    def _is_location(self, version: str) -> bool:
        if not self.thorough:
            return False
        listed = self.table.services.listed
        if not listed:
            listed.extend(list(places(self.table.metastore)))  # all of it, or none
        own = (*self._own(version), self.table.name)
        return any(lies_in(one.location, version) and one.name not in own for one in listed)


def _places_of(metastore: MetastoreClient, name: TableName) -> Iterator[NamedPlace]:
    entry = metastore.get_table(name)
    if entry is None:
        return
    yield NamedPlace(str(name), name, entry.location or "")
    if entry.partition_keys:
        with suppress(EntryMissingError):
            for one in metastore.partitions(name):
                yield NamedPlace(f"a partition of {name}", name, one.location)


def _entries(table: FileTable) -> tuple[TableEntry, ...]:
    prefix = records.prefix_of(table.name)
    names = table.metastore.tables(table.context.staging_schema, prefix)
    return table.metastore.entries(names)


def _record(entry: TableEntry, target: TableName) -> Record | None:
    if records.RECORD not in entry.parameters:
        return _adopted(entry, target)
    record = Record.of(entry)
    return record if record is not None and record.target == str(target) else None


def _adopted(entry: TableEntry, target: TableName) -> Record | None:
    version, location = records.version_of(entry.name), (entry.location or "").rstrip("/")
    root, _, directory = location.rpartition("/")
    is_named = entry.name == records.name_of(entry.name.database, target, version)
    if not is_named or directory != version or not VERSION_ID.fullmatch(version):
        return None
    return replace(_unwritten(target, version, root), entry=entry)


def _unwritten(target: TableName, version: str, root: str) -> Record:
    """What can be told of a version whose run died before it wrote a record."""
    return Record(str(target), version, RecordState.STAGED, UNKNOWN_BASE, root)


def _known(record: Record, base: FileBase, table: FileTable) -> KnownVersion:
    number = base.marker.number_of(record.version) if base.marker else None
    place = _place(record, base, number)
    is_foreign = place is not Place.LIVE and not table.services.roots.may_delete(record.root)
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
    if base.entry is not None and lies_in(base.entry.location, record.version):
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


def _order(known: KnownVersion, base: FileBase) -> tuple[int, bool, int, str]:
    """By number; a dropped and new target counts anew, and what it shows no more comes last."""
    forgotten = base.marker is None or base.marker.number_of(known.id) is None
    return FIRST.index(known.place), forgotten, -known.number, known.id
