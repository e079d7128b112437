"""The record of a version: its entry in the staging schema, from staging to deletion."""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoot
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.metastore.client import (
    EntryChange,
    Expectation,
    MetastoreClient,
)
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX, TARGET, VERSION

STATE = PREFIX + "state"
RECORD_BASE = PREFIX + "base"
LEASE = PREFIX + "lease"
ROOT = PREFIX + "root"
BOOKKEEPING = PREFIX + "bookkeeping"
BOOKKEEPER = PREFIX + "bookkeeper"
ATTEMPT_OVER = PREFIX + "attempt_over"
ATTEMPT_BY = PREFIX + "attempt_by"
TOOK_OVER = PREFIX + "took_over"
THERE = "there:"
NOTHING = "nothing"
NOBODY = "nobody"
SOMEBODY = "somebody"

MOST_OF_THE_TABLE_NAME = 120
NO_MORE: Mapping[str, str] = MappingProxyType({})


class RecordState(str, Enum):
    """Where the version stands; live or superseded follows from the target's lineage."""

    STAGED = "staged"
    COMMITTING = "committing"
    DELETING = "deleting"


def record_name(staging_schema: str, target: TableName, version: str) -> TableName:
    """The record's own name: the target's, cut to what a metastore holds, and the version id."""
    return TableName(staging_schema, f"{record_prefix(target)}{version}")


def record_prefix(target: TableName) -> str:
    """How the names of a target's records begin; another target's may begin so, too."""
    return f"{target.table[:MOST_OF_THE_TABLE_NAME]}__"


def version_of(record: TableName) -> str:
    """The version id in a record's name."""
    return record.table.rpartition("__")[2]


def record_properties(
    *, target: TableName, version: str, base: Base, lease: str, root: str
) -> Mapping[str, str]:
    """What a record says from its birth, which is the end of its CTAS."""
    return {
        STATE: RecordState.STAGED.value,
        TARGET: str(target),
        VERSION: version,
        RECORD_BASE: str(base),
        LEASE: lease,
        ROOT: root,
        BOOKKEEPING: NOBODY,
        TOOK_OVER: memory_of(base),
    }


def memory_of(base: Base) -> str:
    """What a version's record keeps of the table that it is published over (``taken_over``)."""
    directory = base.managed_directory
    return f"{THERE}{directory}" if directory else NOTHING


def leases_of(record: TableEntry | None) -> str | None:
    """Where the leases of the record's storage lie; None if the record does not say it."""
    root = record.parameters.get(ROOT) if record else None
    return VersionRoot.at(root).leases if root else None


def lease_of(version: str) -> str:
    """The lease of the run that made a version."""
    return version.rpartition("_")[0]


def publisher_of(version: str, record: TableEntry | None) -> str:
    """The lease of the run that last moved the record to publish it; else of the one that made it.

    A rollback publishes what another run has made.
    """
    publisher = record.parameters.get(ATTEMPT_BY) if record else None
    return publisher or lease_of(version)


def mark_committing(  # noqa: PLR0913 (a compare-and-swap with all that it notes)
    services: Services,
    record: TableEntry,
    attempt: str,
    base: Base,
    *,
    was: str,
    took_over: str | None,
) -> str:
    """Move a record on to ``committing`` before an attempt that no fence can stop.

    So before every creation, and before every commit over another base than begin's.

    Args:
        was: the state that we left it in, which it must still have.
        took_over: what the record is to remember of the table there; None leaves its memory.

    Returns:
        its state now; the next move starts from there.

    Raises:
        EntryModifiedError: a sweeper took the record meanwhile; nothing may be published.
    """
    state = f"{RecordState.COMMITTING.value}:{attempt}"
    memory = {} if took_over is None else {TOOK_OVER: took_over}
    also = {ATTEMPT_OVER: str(base), ATTEMPT_BY: services.lease.id, **memory}
    conditional = services.conditional
    move(services.metastore, record, state, was=was, conditional=conditional, also=also)
    return state


def annotate(services: Services, name: TableName, parameters: Mapping[str, str]) -> bool:
    """Add to a record without changing its state; False if it is gone or being deleted.

    Raises:
        EntryModifiedError: its state changed in this moment.
    """
    record = services.metastore.get_table(name)
    state = record.parameters.get(STATE) if record else None
    if record is None or state is None or state == RecordState.DELETING.value:
        return False
    expected = Expectation(STATE, state) if services.conditional else None
    merged = {**record.parameters, **parameters}
    services.metastore.alter_table(EntryChange(name, record, record, merged), expected)
    return True


def is_tombstone(record: TableEntry | None) -> bool:
    """True for a record that a clean-up made before the CTAS could; it has no table's directory."""
    return record is None or record.is_view


def move(  # noqa: PLR0913 (a compare-and-swap with its conditions)
    metastore: MetastoreClient,
    record: TableEntry,
    state: str,
    *,
    was: str,
    conditional: bool,
    also: Mapping[str, str] = NO_MORE,
) -> None:
    """Change a record's state, if it still is ``was``; without compare-and-swap the lock is held.

    Raises:
        EntryModifiedError: it is another's by now, or gone.
    """
    now = metastore.get_table(record.name)
    if now is None or now.parameters.get(STATE) != was:
        raise EntryModifiedError(f"the record {record.name} is no longer {was}")
    expected = Expectation(STATE, was) if conditional else None
    parameters = {**now.parameters, **also, STATE: state}
    metastore.alter_table(EntryChange(record.name, now, now, parameters), expected)
