"""The versions of a table of files that there still are: by their records, and by directory."""

from collections.abc import Iterable
from dataclasses import replace

from ..context import TableName
from ..metastore.client import TableEntry
from ..publish.marker import VERSION_ID
from . import record as records
from .record import Record
from .table import FileTable


def records_of(table: FileTable) -> tuple[Record, ...]:
    """The target's records, read now."""
    prefix = records.prefix_of(table.name)
    names = table.metastore.tables(table.context.staging_schema, prefix)
    return records_among(table, table.metastore.entries(names))


def records_among(table: FileTable, entries: Iterable[TableEntry]) -> tuple[Record, ...]:
    """The target's records: of its name, and of this staging id.

    An entry of a version's name and location without a record is Delta's, whose run died before it
    wrote one; its base is not known.
    """
    found = (_record(entry, table.name) for entry in entries)
    owns = table.services.roots.owns
    return tuple(one for one in found if one is not None and owns(one.root, table.name))


def unrecorded(table: FileTable, known: Iterable[Record]) -> tuple[Record, ...]:
    """What lies in the target's roots, as records without an entry; those of ``known``, too."""
    roots = {*table.services.roots.known(table.context), *(one.root for one in known)}
    children = table.services.storage.children
    return tuple(
        _unwritten(table.name, name, root)
        for root in sorted(roots)
        for name in filter(VERSION_ID.fullmatch, children(root))
    )


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
    return Record(str(target), version, root)
