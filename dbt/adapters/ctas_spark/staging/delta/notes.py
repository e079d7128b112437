"""The record of a version that is staged on a Delta table: there before the first file is.

It is an entry without a directory in the staging schema, beside the staged table's own.
"""

from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.delta.actions import stage_name
from dbt.adapters.ctas_spark.staging.files.records import (
    LEASE,
    RECORD_BASE,
    STATE,
    RecordState,
    lease_of,
    record_name,
    record_prefix,
)
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX, TARGET, VERSION

DELTA_ROOT = PREFIX + "delta_root"
DELTA_ID = PREFIX + "delta_id"
DELTA_NUMBER = PREFIX + "delta_number"
LEASES = PREFIX + "leases"


@dataclass(frozen=True, slots=True)
class Note:
    """Where a version is staged, on what, and by whom.

    ``root`` is the target's directory, ``id`` and ``number`` the table and the version of its log
    that begin saw; ``leases`` is the directory of its run's lease.
    """

    target: TableName
    staging_schema: str
    version: str
    root: str
    id: str
    number: int
    leases: str
    entry: TableEntry | None = None

    @property
    def name(self) -> TableName:
        """The record's own name."""
        return TableName(self.staging_schema, f"{note_prefix(self.target)}{self.version}")

    @property
    def record(self) -> TableName:
        """The staged table's entry, which readers of the staged data select from."""
        return record_name(self.staging_schema, self.target, self.version)

    @property
    def stage(self) -> str:
        """Where the version's files lie; nobody else writes there."""
        return f"{self.root}/{stage_name(self.version)}"

    @property
    def lease(self) -> str:
        """The lease of its run."""
        return lease_of(self.version)

    @property
    def state(self) -> str:
        """What its entry says: ``staged``, ``committing``, ``deleting``."""
        return self.entry.parameters[STATE] if self.entry else ""

    @property
    def is_deleting(self) -> bool:
        """True if a clean-up has taken it."""
        return self.state == RecordState.DELETING.value

    @classmethod
    def of(cls, target: TableName, entry: TableEntry | None) -> "Note | None":
        """Read a record; None if it is gone, or another target's."""
        if entry is None or entry.parameters.get(TARGET) != str(target):
            return None
        found = entry.parameters
        return cls(
            target=target,
            staging_schema=entry.name.database,
            version=found[VERSION],
            root=found[DELTA_ROOT],
            id=found[DELTA_ID],
            number=int(found[DELTA_NUMBER]),
            leases=found[LEASES],
            entry=entry,
        )

    def write(self, services: Services) -> None:
        """Create the entry."""
        parameters = {
            STATE: RecordState.STAGED.value,
            TARGET: str(self.target),
            VERSION: self.version,
            RECORD_BASE: f"delta:{self.id}:{self.number}",
            LEASE: self.lease,
            DELTA_ROOT: self.root,
            DELTA_ID: self.id,
            DELTA_NUMBER: str(self.number),
            LEASES: self.leases,
        }
        scratch = services.metastore.scratch_entry(self.name)
        services.metastore.create_table(EntryChange(self.name, scratch, None, parameters))

    def read(self, services: Services) -> "Note | None":
        """The record as it is now."""
        return Note.of(self.target, services.metastore.get_table(self.name))


def note_prefix(target: TableName) -> str:
    """How the names of a target's records begin; another target's may begin so, too."""
    return f"{record_prefix(target)}stage__"


def notes_of(services: Services, staging_schema: str, target: TableName) -> tuple[Note, ...]:
    """The records of every version that is, or was, being staged on the target."""
    names = services.metastore.tables(staging_schema, note_prefix(target))
    found = (Note.of(target, services.metastore.get_table(name)) for name in names)
    return tuple(note for note in found if note is not None)
