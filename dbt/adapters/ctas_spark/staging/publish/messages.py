"""What it means for a purpose that the target is, or is no longer, there."""

from datetime import datetime, timezone

from dbt.adapters.ctas_spark.staging.context import StagingPurpose, TableName
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    CommitRefusedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    JobCanceledError,
    MetastoreError,
    NoSuchSchemaError,
    NoSuchTableError,
    RefusedError,
    StagedVersionGoneError,
    StagingError,
    TableAlreadyExistsError,
)
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import Marker

KEEPS_OLD_COLUMNS = (
    "%s: the metastore refuses to change the columns' types "
    "(hive.metastore.disallow.incompatible.col.type.changes); as hive_columns: keep_old asks for, "
    "Spark reads the new columns, and other engines see the old ones"
)
RENAMES_FOR_COLUMNS = (
    "%s: the metastore refuses to change the columns' types "
    "(hive.metastore.disallow.incompatible.col.type.changes): it is published by rename, and "
    "readers find no table for a moment (atomicity: atomic)"
)
AGAIN = "run the model again; it will build on what is there now"


def refuses_to_begin(
    purpose: StagingPurpose, target: TableName, entry: TableEntry | None
) -> StagingError | None:
    """Why the purpose can't begin on what exists, or None if it can."""
    if entry is None and not purpose.may_create:
        return no_such_table(target, "no job was started")
    if entry is not None and purpose is StagingPurpose.CREATE:
        return already_exists(target, "no job was started")
    if entry is not None and entry.is_view and not purpose.may_replace:
        return TableAlreadyExistsError(
            "a view is in the place of the table to create, and the purpose does not replace it",
            table=target,
            left="the view is untouched; no job was started",
            remedy="drop the view, or set staging_purpose: create_or_replace",
        )
    return None


def refuses_to_commit(
    purpose: StagingPurpose, target: TableName, base: Base, now: TableEntry | None
) -> StagingError:
    """The error for a target that is no longer the base."""
    if now is None:
        return no_such_table(target, "nothing was created", "another dropped it meanwhile; ")
    if base.entry is None and purpose is StagingPurpose.CREATE:
        return already_exists(target, "another created it meanwhile, and theirs is untouched")
    return concurrent_write(target, _who(base, now))


def by_rival(failure: MetastoreError | None) -> bool:
    """True if a call did nothing because another's came first.

    Without a failure that is known from the target itself, which left our base.
    """
    rivals = (EntryModifiedError, EntryExistsError, EntryMissingError)
    return not isinstance(failure, RefusedError) or isinstance(failure, rivals)


def refused_entry(
    target: TableName, left: str, failure: MetastoreError | None
) -> CommitRefusedError:
    """The error for a new entry that the metastore does not take."""
    return CommitRefusedError(
        f"the metastore refused the new entry: {failure}",
        table=target,
        left=left,
        remedy="see what the metastore says of it; its own log says more",
    )


def refused_columns(target: TableName, base: Base, failure: MetastoreError) -> StagingError:
    """The error for columns that can't change in one call, where ``isolated`` is asked by name."""
    return AtomicityNotSupportedError(
        f"the metastore refuses to change the columns' types in one call: {failure}",
        table=target,
        left=unchanged(base),
        remedy="set hive.metastore.disallow.incompatible.col.type.changes=false on the metastore; "
        "or hive_columns: keep_old (Spark reads the new columns, other engines see the old ones); "
        "or atomicity: auto (published by rename: readers find no table for a moment)",
    )


def no_such_schema(target: TableName) -> NoSuchSchemaError:
    """The error for a target whose schema is missing."""
    return NoSuchSchemaError(
        f"schema {target.database} does not exist",
        table=target,
        left="nothing was started",
        remedy=f"create schema {target.database}",
    )


def record_gone(target: TableName, record: TableName, left: str) -> StagedVersionGoneError:
    """The error for a staged version whose record somebody removed."""
    return StagedVersionGoneError(
        f"the staged version's record {record} is gone",
        table=target,
        left=left,
        remedy=AGAIN,
    )


def files_gone(target: TableName, directory: str, left: str) -> StagedVersionGoneError:
    """The error for a staged version whose directory somebody removed."""
    return StagedVersionGoneError(
        f"the staged version's directory {directory} is gone",
        table=target,
        left=left,
        remedy=AGAIN,
    )


def swept(target: TableName, left: str) -> ConcurrentWriteError:
    """The error for a version whose record was taken by a clean-up."""
    return ConcurrentWriteError(
        "a clean-up took this model's version: its run was taken for dead",
        table=target,
        left=left,
        remedy=AGAIN,
    )


def canceled(target: TableName, left: str) -> JobCanceledError:
    """The error for a commit that a cancel came before."""
    return JobCanceledError("the run was cancelled before the commit", table=target, left=left)


def never_alone(target: TableName, attempts: int) -> ConcurrentWriteError:
    """The error for an overwrite that always finds another commit on top."""
    return ConcurrentWriteError(
        f"others committed before each of {attempts} attempts to overwrite",
        table=target,
        left="theirs is untouched, and nothing of this model was published",
        remedy=AGAIN,
    )


def unknown(
    target: TableName,
    version: str,
    cause: MetastoreError | None,
    shown_by: str = "the table's property ctas_spark_version",
) -> StagingError:
    """The error for a commit call whose fate can't be told.

    A call that succeeded, and of which nothing shows, was reverted by a writer that follows no
    protocol: both versions stay.
    """
    left = f"it shows its old version or {version}; nothing was deleted"
    if cause is None:
        return ConcurrentWriteError(
            f"version {version} was committed and then reverted by another writer's stale entry",
            table=target,
            left=left,
            remedy=AGAIN,
        )
    return CommitStateUnknownError(
        f"the commit call failed and its fate can't be told: {cause}",
        table=target,
        left=left,
        remedy=f"look at {shown_by}, then run the model again",
    )


def unchanged(base: Base) -> str:
    """What the target is when nothing was published."""
    if base.entry is None:
        return "it does not exist, as before"
    if base.version is not None:
        return f"it still holds version {base.version}"
    return "it is unchanged"


def concurrent_write(target: TableName, who: str) -> ConcurrentWriteError:
    """The error for a target that another changed; ``who`` says which version, and when."""
    return ConcurrentWriteError(
        f"another writer changed the table since this model began: {who}",
        table=target,
        left="theirs is untouched, and nothing of this model was published",
        remedy=AGAIN,
    )


def _who(base: Base, now: TableEntry) -> str:
    marker = Marker.of(now)
    if marker is None or (base.marker is not None and marker.commit == base.marker.commit):
        return f"its entry was altered by a writer without our marker (base was {base})"
    committed = next(e for e in marker.lineage.entries if e.commit == marker.commit)
    return f"version {marker.version} was committed at {moment(committed.time_ms)}"


def moment(time_ms: int) -> str:
    """A time as messages name it."""
    return f"{datetime.fromtimestamp(time_ms / 1000, tz=timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def no_such_table(target: TableName, left: str, why: str = "") -> NoSuchTableError:
    """The error for a table to replace that is not there."""
    return NoSuchTableError(
        "the table to replace does not exist",
        table=target,
        left=why + left,
        remedy="create it first, or set staging_purpose: create_or_replace",
    )


def already_exists(target: TableName, left: str) -> TableAlreadyExistsError:
    """The error for a table to create that is there."""
    return TableAlreadyExistsError(
        "the table to create exists already",
        table=target,
        left=left,
        remedy="drop it, or set staging_purpose: create_or_replace or create_if_not_exists",
    )
