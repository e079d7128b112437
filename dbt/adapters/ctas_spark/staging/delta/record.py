"""The record of a version that is staged on a Delta table: there before its first file is.

It is an entry without a directory in the staging schema, beside the staged table's own entry, which
Spark makes when the job has ended.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.delta.transaction import stage_name
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError
from dbt.adapters.ctas_spark.staging.files.record import (
    RecordState,
    name_of,
    prefix_of,
    version_of,
)
from dbt.adapters.ctas_spark.staging.files.table import Services
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, Expectation, TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport
from dbt.adapters.ctas_spark.staging.storage.client import Removal, empty, still_there
from dbt.adapters.ctas_spark.staging.version_id import VERSION_ID

RECORD = PREFIX + "delta_record"
"""The property; a compare-and-swap compares all of it."""

LOG = "_delta_log"
NO_TABLE = ""
"""The ``id`` in the record of an attempt that can't be published, because it had none."""
FIELDS = frozenset({"target", "version", "state", "root", "id", "number"})


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

    @property
    def is_deleting(self) -> bool:
        """True if a clean-up has taken it."""
        return self.state is RecordState.DELETING

    @classmethod
    def of(cls, entry: TableEntry | None) -> "DeltaRecord | None":
        """The record in an entry; None if it has none, or one that does not match its own name."""
        read = _read(entry.parameters) if entry is not None else None
        if entry is None or read is None:
            return None
        named = entry.name == record_name(entry.name.database, read["target"], read["version"])
        if not named or not VERSION_ID.fullmatch(read["version"]):
            return None
        return cls(**{**read, "state": RecordState(read["state"])}, entry=entry)

    def to_parameters(self) -> dict[str, str]:
        """The record as a property of its entry."""
        told = {name: getattr(self, name) for name in sorted(FIELDS)}
        return {RECORD: json.dumps({**told, "state": self.state.value}, separators=(",", ":"))}


def record_name(staging_schema: str, target: TableName | str, version: str) -> TableName:
    """The record's own name."""
    return TableName(staging_schema, f"{prefix_of(target)}stage__{version}")


def staged_name(staging_schema: str, target: TableName | str, version: str) -> TableName:
    """The staged table's entry, which readers of the staged data select from."""
    return name_of(staging_schema, target, version)


def create(services: Services, staging_schema: str, record: DeltaRecord) -> DeltaRecord:
    """Create the entry; the record with it."""
    name = record_name(staging_schema, record.target, record.version)
    scratch = services.metastore.scratch_entry(name)
    parameters = record.to_parameters()
    services.metastore.create_table(EntryChange(name, scratch, None, parameters))
    return replace(record, entry=replace(scratch, parameters=parameters))


def read(services: Services, staging_schema: str, record: DeltaRecord) -> DeltaRecord | None:
    """The record as it is now; None if it is gone."""
    name = record_name(staging_schema, record.target, record.version)
    return DeltaRecord.of(services.metastore.get_table(name))


def move(
    services: Services, context: StagingContext, record: DeltaRecord, expected: DeltaRecord
) -> DeltaRecord:
    """Replace ``expected`` by ``record``: by compare-and-swap, else under the lock of all writers.

    Returns:
        the record with its entry as it is now; the next move starts from there.

    Raises:
        EntryModifiedError: it is another's by now, or gone.
    """
    with services.lock.held(context.target):
        now = read(services, context.staging_schema, expected)
        if now is None or now.entry is None or now != expected:
            raise EntryModifiedError(f"the record of {expected.version} is not what it was")
        told = {**now.entry.parameters, **record.to_parameters()}
        expectation = Expectation(RECORD, expected.to_parameters()[RECORD])
        services.metastore.alter_table(
            EntryChange(now.entry.name, now.entry, now.entry, told),
            expectation if services.conditional else None,
        )
    return replace(record, entry=replace(now.entry, parameters=told))


def records_of(services: Services, context: StagingContext) -> tuple[DeltaRecord, ...]:
    """The records of every version that is, or was, being staged on the target.

    A job that ends after a clean-up took its record, in a run that is then killed, leaves the
    staged table's entry alone: it stands for the record, of which nobody publishes anything.
    """
    names = services.metastore.tables(context.staging_schema, prefix_of(context.target))
    entries = [one for one in map(services.metastore.get_table, names) if one is not None]
    read = [one for one in map(DeltaRecord.of, entries) if one is not None]
    found = {one.version: one for one in read if one.target == str(context.target)}
    bare = (_of_staged_table(entry, context.target) for entry in entries)
    return (*found.values(), *(one for one in bare if one and one.version not in found))


def remove(
    services: Services,
    staging_schema: str,
    record: DeltaRecord,
    report: StepReport,
    *,
    is_published: bool,
) -> list[str]:
    """Delete exactly its directory, then its entries; what is left, in words. Never raises.

    The files of a published version are the target's: of its directory only its own log goes.
    """
    gone = f"{record.stage}/{LOG}" if is_published else record.stage
    files = (Step.DELETE_FILES, f"directory {gone}", lambda: empty(services.storage, gone))
    return still_there(report, files, *entries(services, staging_schema, record))


def entries(
    services: Services, staging_schema: str, record: DeltaRecord
) -> tuple[Removal, Removal]:
    """How the staged table's entry goes, and then the record."""
    return (
        _dropped(services, "entry", staged_name(staging_schema, record.target, record.version)),
        _dropped(services, "record", record_name(staging_schema, record.target, record.version)),
    )


def _dropped(services: Services, what: str, name: TableName) -> Removal:
    return Step.DELETE_RECORD, f"{what} {name}", lambda: services.metastore.drop_entry(name)


def _of_staged_table(entry: TableEntry, target: TableName) -> DeltaRecord | None:
    version = version_of(entry.name)
    root, _, stage = (entry.location or "").rstrip("/").rpartition("/")
    is_ours = entry.name == staged_name(entry.name.database, target, version)
    if not is_ours or stage != stage_name(version) or not VERSION_ID.fullmatch(version):
        return None
    return DeltaRecord(str(target), version, RecordState.STAGED, root, NO_TABLE, 0, entry)


def _read(parameters: Mapping[str, str]) -> dict[str, Any] | None:
    try:
        found = dict(json.loads(parameters[RECORD]))
    except (KeyError, TypeError, ValueError):
        return None
    return found if found.keys() == FIELDS else None
