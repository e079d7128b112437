"""The record of a version: one frozen value, in one property of its entry in the staging schema."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from typing import Any

from ..context import TableName
from ..errors import EntryMissingError, EntryModifiedError
from ..metastore.client import EntryChange, Expectation, MetastoreClient, TableEntry
from ..publish import messages
from ..publish.marker import PREFIX, VERSION_ID
from .base import FileBase
from .table import FileTable

RECORD = PREFIX + "record"
"""The property; a compare-and-swap compares all of it."""

MOST_OF_THE_TABLE_NAME = 120


class RecordState(str, Enum):
    """What is remembered of a version; what is true of it is derived from the target each time."""

    STAGED = "staged"
    PUBLISHED = "published"
    SUPERSEDED = "superseded"
    DELETING = "deleting"


@dataclass(frozen=True, slots=True)
class Record:
    """One version of one target.

    ``base`` is what its last commit call was, or will be, conditional on (``str`` of a base);
    ``root`` the directory that holds its target's versions; ``number`` that of its publication.
    By the storage's clock, ``published_ms`` is when a clean-up first noted that publication, after
    which what was there before is superseded, and ``superseded_ms`` when one first noted that this
    version is superseded, where no other record shows it.
    ``took_over`` is the directory of a managed table that it replaced, and ``took_over_ms`` when
    ``ctas_vacuum`` first saw that. ``rows``, ``files`` and
    ``bytes`` are what its job counted. ``entry`` is where all this was read.
    """

    target: str
    version: str
    state: RecordState
    base: str
    root: str
    number: int = 0
    published_ms: int | None = None
    superseded_ms: int | None = None
    took_over: str | None = None
    took_over_ms: int | None = None
    rows: int | None = None
    files: int | None = None
    bytes: int | None = None
    entry: TableEntry | None = field(default=None, compare=False, repr=False)

    @property
    def directory(self) -> str:
        """Where the version's files lie."""
        return f"{self.root}/{self.version}"

    def numbered(self, number: int) -> "Record":
        """With the number of its last publication; what was noted of another does not count."""
        if number == self.number:
            return self
        return replace(self, number=number, published_ms=None)

    @classmethod
    def of(cls, entry: TableEntry | None) -> "Record | None":
        """The record in an entry; None without one, or if it does not match the entry's name."""
        read = _read(entry.parameters) if entry is not None else None
        if entry is None or read is None:
            return None
        named = entry.name == name_of(entry.name.database, read["target"], read["version"])
        if not named or not VERSION_ID.fullmatch(read["version"]):
            return None
        try:
            return cls(**{**read, "state": RecordState(read["state"])}, entry=entry)
        except (TypeError, ValueError):
            return None  # a newer release's; its version stays, because the entry has its name

    def to_parameters(self) -> dict[str, str]:
        """The record as a property of its entry."""
        told = {k: v for k, v in asdict(replace(self, entry=None)).items() if v is not None}
        return {RECORD: json.dumps({**told, "state": self.state.value}, separators=(",", ":"))}


def name_of(staging_schema: str, target: TableName | str, version: str) -> TableName:
    """The record's own name: the target's, cut to what a metastore holds, and the version id."""
    return TableName(staging_schema, f"{prefix_of(target)}{version}")


def prefix_of(target: TableName | str) -> str:
    """How the names of a target's records begin; another target's may begin so, too.

    In small letters, as metastores list them.
    """
    table = str(target).rpartition(".")[2].lower()
    return f"{table[:MOST_OF_THE_TABLE_NAME]}__"


def taken_back(record: TableName) -> TableName:
    """The name that a creation is moved to before it is dropped, if a clean-up was faster."""
    return TableName(record.database, f"{record.table}__back")


def version_of(record: TableName) -> str:
    """The version id in a record's name."""
    return record.table.rpartition("__")[2]


def move(
    metastore: MetastoreClient, record: Record, expected: Record, *, conditional: bool
) -> Record:
    """Replace ``expected`` by ``record`` in its entry, by compare-and-swap.

    Args:
        expected: as it was read, with its entry.
        conditional: the metastore compares; else the lock of all writers is held.

    Returns:
        the record with its entry as it is now; the next move starts from there.

    Raises:
        EntryModifiedError: it is another's by now, or gone.
    """
    now = expected.entry
    if now is not None and not conditional:
        now = metastore.get_table(now.name)
    if now is None or Record.of(now) != expected:
        raise EntryModifiedError(f"the record of {expected.version} is not what it was")
    parameters = {**now.parameters, **record.to_parameters()}
    expectation = Expectation(RECORD, expected.to_parameters()[RECORD]) if conditional else None
    try:
        metastore.alter_table(EntryChange.of(now, parameters), expectation)
    except EntryMissingError as error:
        raise EntryModifiedError(f"the record of {expected.version} is gone") from error
    return replace(record, entry=replace(now, parameters=parameters))


def name_in(table: FileTable, version: str) -> TableName:
    """The name of the record of one of the table's versions."""
    return name_of(table.context.staging_schema, table.name, version)


def read(table: FileTable, version: str) -> Record | None:
    """The record as it is now."""
    return Record.of(table.metastore.get_table(name_in(table, version)))


def moved(table: FileTable, record: Record, expected: Record) -> Record | None:
    """Move a record where nobody holds the lock of all writers; None if another changed it."""
    conditional = table.services.conditional
    with table.services.lock.held(table.name), suppress(EntryModifiedError):
        return move(table.metastore, record, expected, conditional=conditional)
    return None


@dataclass(slots=True)
class StagedRecord:
    """The record of one attempt, read when the commit begins; then only our own moves change it.

    ``publishes_again``: the version was published before.
    """

    table: FileTable
    version: str
    base: FileBase
    found: Record | None = None
    publishes_again: bool = False

    @property
    def name(self) -> TableName:
        """Its entry, which readers of the staged data select from."""
        return name_in(self.table, self.version)

    def to_parameters(self, root: str) -> dict[str, str]:
        """What the CTAS of the version says of it."""
        record = Record(
            target=str(self.table.name),
            version=self.version,
            state=RecordState.STAGED,
            base=str(self.base),
            root=root,
            took_over=self.base.managed_directory,
        )
        return record.to_parameters()

    def write(self, root: str) -> None:
        """Write it after a CTAS that could not say it: Delta's properties are in its log."""
        entry = self._staged_entry()
        marked = {**entry.parameters, **self.to_parameters(root)}
        self.table.metastore.alter_table(EntryChange.of(entry, marked), None)

    def entry(self) -> TableEntry:
        """The staged entry, as it is published.

        Raises:
            StagedVersionGoneError: somebody removed it.
            ConcurrentWriteError: a clean-up took the version.
        """
        return self._record().entry or self._staged_entry()

    def rebase(self, over: FileBase) -> None:
        """Say by compare-and-swap what the commit call expects; nothing if it says so already.

        Raises:
            ConcurrentWriteError: a clean-up took the version.
        """
        record = self._record()
        if record.base == str(over) and not self.publishes_again:
            return
        changed = replace(
            record,
            base=str(over),
            took_over=over.managed_directory or record.took_over,
            state=RecordState.PUBLISHED if self.publishes_again else record.state,
            published_ms=None,
            superseded_ms=None,
        )
        metastore, conditional = self.table.metastore, self.table.services.conditional
        try:
            self.found = move(metastore, changed, record, conditional=conditional)
        except EntryModifiedError as error:
            raise messages.swept(self.table.name, messages.unchanged(self.base)) from error

    def _record(self) -> Record:
        if self.found is None:
            self.found = Record.of(self._staged_entry())
        if self.found is None or self.found.state is RecordState.DELETING:
            raise messages.swept(self.table.name, messages.unchanged(self.base))
        return self.found

    def _staged_entry(self) -> TableEntry:
        entry = self.table.metastore.get_table(self.name)
        if entry is None:
            left = messages.unchanged(self.base)
            raise messages.record_gone(self.table.name, self.name, left)
        return entry


def _read(parameters: Mapping[str, str]) -> dict[str, Any] | None:
    try:
        found = json.loads(parameters[RECORD])
        return dict(found) if {"target", "version", "state"} <= found.keys() else None
    except (KeyError, ValueError, AttributeError):
        return None
