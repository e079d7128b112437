"""The record of a version that is staged on a Delta table; it is there before the first file.

It is an entry without a directory in the staging schema, next to the staged table's entry, which
Spark makes when the job has ended.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from enum import Enum

from ..context import TableName
from ..errors import EntryModifiedError
from ..files.record import table_named
from ..metastore.client import EntryChange, Expectation, TableEntry
from ..publish.marker import (
    PREFIX,
    VERSION_ID,
    is_record_of,
    name_of_record,
    record_prefix,
    version_named,
)
from ..steps import Step, StepReport
from ..storage.client import empty, still_there
from .base import DeltaTable
from .transaction import stage_name

RECORD = PREFIX + "delta_record"
"""The property; a compare-and-swap compares all of it."""

LOG = "_delta_log"
NO_TABLE = ""
"""The ``id`` in the record of an attempt that can't be published, because it had none."""


class RecordState(str, Enum):
    """A clean-up that has begun keeps the version's writer from publishing it."""

    STAGED = "staged"
    DELETING = "deleting"


@dataclass(frozen=True, slots=True)
class DeltaRecord:
    """Where a version is staged, and on what.

    ``root`` is the target's directory, ``id`` and ``number`` the table and the version of its log
    that the commit call is, or will be, conditional on. ``entry`` is where all this was read.
    """

    target: str
    version: str
    state: RecordState
    root: str
    id: str
    number: int
    entry: TableEntry | None = field(default=None, compare=False, repr=False)

    @property
    def stage(self) -> str:
        """Where the version's files lie; nobody else writes there."""
        return f"{self.root}/{stage_name(self.version)}"

    @classmethod
    def of(cls, entry: TableEntry | None) -> "DeltaRecord | None":
        """The record in an entry; None if it has none, or one that does not match its own name."""
        if entry is None:
            return None
        try:
            kept = json.loads(entry.parameters[RECORD])
            found = cls(**{**kept, "state": RecordState(kept["state"])}, entry=entry)
            target = table_named(found.target)
        except (KeyError, TypeError, ValueError):
            return None
        is_own = entry.name == record_name(entry.name.database, target, found.version)
        return found if is_own and VERSION_ID.fullmatch(found.version) else None

    def to_parameters(self) -> dict[str, str]:
        """The record as a property of its entry."""
        kept = asdict(replace(self, entry=None))
        del kept["entry"]
        return {RECORD: json.dumps({**kept, "state": self.state.value}, separators=(",", ":"))}


def record_name(staging_schema: str, target: TableName, version: str) -> TableName:
    """The record's own name."""
    return TableName(staging_schema, f"{record_prefix(target)}stage__{version}")


def create(table: DeltaTable, record: DeltaRecord) -> None:
    """Create the entry; the record with it."""
    metastore, (_, own) = table.services.metastore, entries(table, record)
    scratch = metastore.scratch_entry(own)
    metastore.create_table(EntryChange(scratch.name, scratch, None, record.to_parameters()))


def read(table: DeltaTable, record: DeltaRecord) -> DeltaRecord | None:
    """The record as it is now; None if it is gone."""
    _, own = entries(table, record)
    return DeltaRecord.of(table.services.metastore.get_table(own))


def move(table: DeltaTable, record: DeltaRecord, expected: DeltaRecord) -> None:
    """Replace ``expected`` by ``record``: by compare-and-swap, else under the lock of all writers.

    Raises EntryModifiedError if it is another's by now, or gone.
    """
    now = read(table, expected)
    if now is None or now.entry is None or now != expected:
        raise EntryModifiedError(f"the record of {expected.version} has changed since it was read")
    changed = EntryChange.of(now.entry, {**now.entry.parameters, **record.to_parameters()})
    was = Expectation(RECORD, now.entry.parameters[RECORD])
    table.services.entries.change(table.name, changed, was)


def records_of(table: DeltaTable) -> tuple[DeltaRecord, ...]:
    """The records of every version that is, or was, being staged on the target.

    A job that ends after a clean-up took its record, in a run that is then killed, leaves the
    staged table's entry alone. That stands for the record, and nobody publishes anything of it.
    """
    metastore, target = table.services.metastore, table.name
    names = metastore.tables(table.context.staging_schema, record_prefix(target))
    entries = [entry for entry in map(metastore.get_table, names) if entry is not None]
    read = [record for record in map(DeltaRecord.of, entries) if record is not None]
    found = {record.version: record for record in read if record.target == str(target)}
    bare = (_of_staged_table(entry, target) for entry in entries)
    return (*found.values(), *(one for one in bare if one and one.version not in found))


def targets_in(entries: Iterable[TableEntry]) -> tuple[TableName, ...]:
    """The tables on which versions were staged whose records are among these entries."""
    found = (DeltaRecord.of(entry) for entry in entries)
    return tuple(dict.fromkeys(table_named(one.target) for one in found if one is not None))


def remove(
    table: DeltaTable, record: DeltaRecord, report: StepReport, *, is_published: bool
) -> list[str]:
    """Delete exactly its directory, then its entries; what is left, in words. Never raises.

    The files of a published version are the target's: of its directory only its own log goes.
    """
    storage, metastore = table.services.storage, table.services.metastore
    gone = f"{record.stage}/{LOG}" if is_published else record.stage
    staged, own = entries(table, record)
    return still_there(
        report,
        (Step.DELETE_FILES, f"directory {gone}", lambda: empty(storage, gone)),
        (Step.DELETE_RECORD, f"entry {staged}", lambda: metastore.drop_entry(staged)),
        (Step.DELETE_RECORD, f"record {own}", lambda: metastore.drop_entry(own)),
    )


def entries(table: DeltaTable, record: DeltaRecord) -> tuple[TableName, TableName]:
    """The staged table's entry, then the record: the order in which they go."""
    named = table.context.staging_schema, table.name, record.version
    return name_of_record(*named), record_name(*named)


def _of_staged_table(entry: TableEntry, target: TableName) -> DeltaRecord | None:
    version = version_named(entry.name)
    root, _, stage = (entry.location or "").rstrip("/").rpartition("/")
    if stage != stage_name(version) or not is_record_of(entry.name, target):
        return None
    return DeltaRecord(str(target), version, RecordState.STAGED, root, NO_TABLE, 0, entry)
