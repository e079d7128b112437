"""The records of versions: each is one frozen value, in one property of an entry."""

import json
import logging
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace

from ..context import TableName
from ..errors import EntryModifiedError, StorageError
from ..metastore.client import EntryChange, Expectation, TableEntry
from ..publish import messages
from ..publish.locks import HeldCheck
from ..publish.marker import (
    PREFIX,
    VERSION_ID,
    checked_commit_id,
    is_record_of,
    name_of_record,
    record_prefix,
    version_named,
)
from .base import COMMIT_BASE, FileBase
from .directories import LOCAL
from .table import FileTable

logger = logging.getLogger(__name__)

NOT_REACHED = "%s: %s can't be looked at, so what lies there stays: %s"
RECORD = PREFIX + "record"
"""The property; a compare-and-swap compares all of it."""

PARTS = 3
"""Of the end of a root that is the same wherever its schema lies: folder, staging id and table."""
MOST_BASES = 20
"""Some databases of metastores hold 4,000 characters of a property."""


@dataclass(frozen=True, slots=True)
class RecordedBase:
    """What one commit call of a version was, or will be, conditional on (``str`` of a base).

    By the storage's clock: ``seen_ms`` is when it was read, and ``landed_ms`` when the publication
    that it names had landed; None where it names none.
    """

    what: str
    seen_ms: int
    landed_ms: int | None = None

    @property
    def commit(self) -> str | None:
        """The publication that it names."""
        return self.what[len(COMMIT_BASE) :] if self.what.startswith(COMMIT_BASE) else None


@dataclass(frozen=True, slots=True)
class Record:
    """One version of one target.

    ``root`` is the directory that holds its target's versions, and ``bases`` are those of its
    commit calls, the newest last. ``took_over`` is the directory of a managed table that it
    replaced. By the storage's clock, ``deleting_ms`` is when a clean-up took it, and
    ``target_gone_ms`` when ``ctas_vacuum`` first saw that its target is gone, or another's.
    ``entry`` is where all this was read.
    """

    target: str
    version: str
    root: str
    bases: tuple[RecordedBase, ...] = ()
    took_over: str | None = None
    deleting_ms: int | None = None
    target_gone_ms: int | None = None
    entry: TableEntry | None = field(default=None, compare=False, repr=False)

    @property
    def directory(self) -> str:
        """Where the version's files lie."""
        return f"{self.root}/{self.version}"

    @property
    def base(self) -> str | None:
        """What its last commit call expects; None if its run died before it wrote a record."""
        return self.bases[-1].what if self.bases else None

    @property
    def is_deleting(self) -> bool:
        """True if a clean-up has taken it."""
        return self.deleting_ms is not None

    @property
    def text(self) -> str | None:
        """The record as it was read, which a compare-and-swap expects."""
        return self.entry.parameters.get(RECORD) if self.entry is not None else None

    def over(self, base: RecordedBase) -> "Record":
        """With one more base, the oldest ones cut."""
        return replace(self, bases=(*self.bases, base)[-MOST_BASES:])

    @classmethod
    def of(cls, entry: TableEntry | None) -> "Record | None":
        """The record in an entry; None without one, or if it does not match the entry's name.

        A text that this release can't read is another release's: its version stays, because the
        entry has its name.
        """
        if entry is None:
            return None
        try:
            read = json.loads(entry.parameters[RECORD])
            bases = tuple(RecordedBase(*one) for one in read["bases"])
            for named in (one.commit for one in bases if one.commit is not None):
                checked_commit_id(named)
            root = _root_now(read["root"], read["version"], entry)
            found = cls(**{**read, "root": root, "bases": bases}, entry=entry)
            is_own = is_record_of(entry.name, table_named(found.target))
        except (KeyError, TypeError, ValueError):
            return None
        return found if is_own and found.version == version_named(entry.name) else None

    def to_parameters(self) -> dict[str, str]:
        """The record as a property of its entry."""
        kept = {k: v for k, v in asdict(replace(self, entry=None)).items() if v is not None}
        bases = [(one.what, one.seen_ms, one.landed_ms) for one in self.bases]
        return {RECORD: json.dumps({**kept, "bases": bases}, separators=(",", ":"))}


def _root_now(root: str, version: str, entry: TableEntry) -> str:
    """The root that was recorded, or the one that the entry's own location has gone to since.

    Hive's ``metatool -updateLocation`` follows a renamed warehouse there, and in no property.
    """
    here, _, name = (entry.location or "").rstrip("/").rpartition("/")
    if name != version or here.split("/")[-PARTS:] != root.split("/")[-PARTS:]:
        return root
    return root if LOCAL.sub("/", here) == LOCAL.sub("/", root) else here


def table_named(target: str) -> TableName:
    """The target, as a record names it."""
    return TableName(*target.split(".", 1))


def taken_back(record: TableName) -> TableName:
    """The name that a creation is moved to before it is dropped, if a clean-up was faster."""
    return TableName(record.database, f"{record.table}__back")


def name_in(table: FileTable, version: str) -> TableName:
    """The name of the record of one of the table's versions."""
    return name_of_record(table.context.staging_schema, table.name, version)


def read(table: FileTable, version: str) -> Record | None:
    """The record as it is now."""
    return Record.of(table.metastore.get_table(name_in(table, version)))


def move(
    table: FileTable, record: Record, expected: Record, held: HeldCheck | None = None
) -> Record:
    """Replace ``expected`` by ``record`` in its entry, by compare-and-swap from the text read.

    Args:
        expected: as it was read, with its entry.
        held: the lock of the target's writers is held already.

    Returns:
        the record with its entry as it is now; the next move starts from there.

    Raises:
        EntryModifiedError: it is another's by now, or gone.
    """
    now, text = expected.entry, expected.text
    if now is None or text is None:
        raise EntryModifiedError(f"the record of {expected.version} has changed since it was read")
    changed = EntryChange.of(now, {**now.parameters, **record.to_parameters()})
    table.services.entries.change(table.name, changed, Expectation(RECORD, text), held)
    return replace(record, entry=replace(now, parameters=changed.parameters))


def moved(table: FileTable, record: Record, expected: Record) -> Record | None:
    """Move a record where nobody holds the lock of all writers; None if another changed it."""
    with suppress(EntryModifiedError):
        return move(table, record, expected)
    return None


def records_of(table: FileTable) -> tuple[Record, ...]:
    """The target's records, read now."""
    names = table.metastore.tables(table.context.staging_schema, record_prefix(table.name))
    return records_among(table, table.metastore.entries(names))


def records_among(table: FileTable, entries: Iterable[TableEntry]) -> tuple[Record, ...]:
    """The target's records: of its name, and of this staging id."""
    found = (_record(entry, table.name) for entry in entries)
    owns = table.services.roots.owns
    return tuple(one for one in found if one is not None and owns(one.root, table.name))


def unrecorded(
    table: FileTable,
    known: Iterable[Record],
    listed: Collection[str],
    is_young: Callable[[str], bool],
) -> tuple[Record, ...]:
    """What lies in the target's roots, and is not young, as records without an entry.

    A root of an earlier configuration may be gone with its storage, which stops nothing.

    Args:
        known: the records that are there, which lead to roots, too.
        listed: the versions that have an entry.
        is_young: asked of each version's id: there may be thousands.
    """
    own = set(table.services.roots.known(table.context))
    found = list[Record]()
    for root in sorted({*own, *(one.root for one in known)}):
        try:
            inside = table.services.storage.children(root, listed)
        except StorageError as error:
            if root in own:
                raise
            logger.warning(NOT_REACHED, table.name, root, error.what)
            continue
        versions = (one for one in filter(VERSION_ID.fullmatch, inside) if not is_young(one))
        found += [Record(str(table.name), version, root) for version in versions]
    return tuple(found)


def _record(entry: TableEntry, target: TableName) -> Record | None:
    """An entry of a version's name and location without a record is Delta's.

    Its run died before it wrote one, and its base is not known.
    """
    if RECORD in entry.parameters:
        record = Record.of(entry)
        return record if record is not None and record.target == str(target) else None
    version = version_named(entry.name)
    root, _, directory = (entry.location or "").rstrip("/").rpartition("/")
    if directory != version or not is_record_of(entry.name, target):
        return None
    return Record(str(target), version, root, entry=entry)


@dataclass(slots=True)
class StagedRecord:
    """The record of one attempt, read when the commit begins; then only our own moves change it.

    ``base`` is begin's, read at ``seen_ms`` by the storage's clock. ``publishes_again``: the
    version was published before.
    """

    table: FileTable
    version: str
    base: FileBase
    found: Record | None = None
    publishes_again: bool = False
    seen_ms: int = 0

    @property
    def name(self) -> TableName:
        """Its entry, which readers of the staged data select from."""
        return name_in(self.table, self.version)

    def to_parameters(self, root: str) -> dict[str, str]:
        """What the CTAS of the version says of it."""
        record = Record(
            target=str(self.table.name),
            version=self.version,
            root=root,
            bases=(recorded(self.base, self.seen_ms),),
            took_over=self.base.managed_directory,
        )
        return record.to_parameters()

    def write(self, root: str) -> None:
        """Write it after a CTAS that could not say it: Delta's properties are in its log."""
        entry = self.read()
        marked = {**entry.parameters, **self.to_parameters(root)}
        change = EntryChange.of(entry, marked)
        self.table.services.entries.change(self.table.name, change, None)

    def entry(self) -> TableEntry:
        """The staged entry, as it is published.

        Raises:
            StagedVersionGoneError: somebody removed it.
            ConcurrentWriteError: a clean-up took the version.
        """
        return self._record().entry or self.read()

    def read(self) -> TableEntry:
        """The staged entry as it is now; StagedVersionGoneError if somebody removed it."""
        entry = self.table.metastore.get_table(self.name)
        if entry is None:
            left = messages.unchanged(self.base)
            raise messages.record_gone(self.table.name, self.name, left)
        return entry

    def rebase(self, over: FileBase, now_ms: int) -> None:
        """Say by compare-and-swap what the commit call expects; nothing if it says so already.

        A rollback says it even so: of it and a clean-up only one gets the record. The caller holds
        the lock of all writers.

        Raises:
            ConcurrentWriteError: a clean-up took the version.
        """
        record = self._record()
        if record.base == str(over) and not self.publishes_again:
            return
        kept = record.took_over if self.publishes_again else None
        changed = replace(
            record.over(recorded(over, now_ms)),
            took_over=over.managed_directory or kept,
            target_gone_ms=None,
        )
        try:
            self.found = move(self.table, changed, record, held=lambda: None)
        except EntryModifiedError as error:
            raise messages.swept(self.table.name, messages.unchanged(self.base)) from error

    def is_withdrawn(self, now_ms: int) -> bool:
        """Take the record for its deletion; False if a rollback by name has it.

        A rollback may publish the version while its writer runs, and of the two one gets the
        record. Without one there is nothing that a rollback could take.

        Raises:
            MetastoreError: it could not be found out.
        """
        record = read(self.table, self.version)
        if record is None or record.is_deleting:
            return True
        own = self.found.bases if self.found else record.bases[:1]
        if record.bases != own:
            return False
        return moved(self.table, replace(record, deleting_ms=now_ms), record) is not None

    def _record(self) -> Record:
        if self.found is None:
            self.found = Record.of(self.read())
        if self.found is None or self.found.is_deleting:
            raise messages.swept(self.table.name, messages.unchanged(self.base))
        return self.found


def recorded(base: FileBase, seen_ms: int) -> RecordedBase:
    """A base that was read at ``seen_ms``, as a record keeps it."""
    landed_ms = base.landed_ms(seen_ms) if base.marker is not None else None
    return RecordedBase(str(base), seen_ms, landed_ms)
