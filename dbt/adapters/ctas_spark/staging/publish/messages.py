"""What a publication says when it can't go on: what happened, what was left, and what to do."""

from dbt.adapters.ctas_spark.staging.context import StagingContext, StagingPurpose, TableName
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    CommitRefusedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    JobCanceledError,
    MetastoreError,
    NoSuchSchemaError,
    NoSuchTableError,
    NotSupportedError,
    StagedVersionGoneError,
    StagedVersionIncompleteError,
    StagingError,
    TableAlreadyExistsError,
)
from dbt.adapters.ctas_spark.staging.publish.version import Base
from dbt.adapters.ctas_spark.staging.retention.rules import time_text

AGAIN = "run the model again; it will build on what is there now"
NO_JOB = "it is unchanged; no job was started"
NOTHING_PUBLISHED = "nothing of this model was published"
THEIRS_UNTOUCHED = "another created it meanwhile, and theirs is untouched"
DROPPED_MEANWHILE = "another dropped it meanwhile; nothing was created"


def unchanged(base: Base) -> str:
    """What the target is when nothing was published."""
    if not base.exists:
        return "it does not exist, as before"
    if base.version is not None:
        return f"it still holds version {base.version}"
    return "it is unchanged"


def moment(time_ms: int) -> str:
    """A time as messages name it."""
    return f"{time_text(time_ms)} UTC"


def in_the_way(context: StagingContext, obstacle: str, left: str) -> StagingError:
    """The error for something else in the table's place."""
    if context.purpose in (StagingPurpose.CREATE, StagingPurpose.CREATE_IF_NOT_EXISTS):
        return TableAlreadyExistsError(
            f"{obstacle} is in the place of the table to create",
            table=context.target,
            left=f"it is untouched; {left}",
            remedy="drop it, or give the model another alias, or set staging_purpose: "
            "create_or_replace",
        )
    return AtomicityNotSupportedError(
        f"{obstacle} is in the place of the table, and no single commit replaces it by a table "
        f"of the format {context.layout.file_format}",
        table=context.target,
        left=f"it is untouched; {left}",
        remedy="drop it, or give the model another alias",
    )


def no_such_schema(target: TableName) -> NoSuchSchemaError:
    """The error for a target whose schema is missing."""
    return NoSuchSchemaError(
        f"schema {target.database} does not exist",
        table=target,
        left="nothing was started",
        remedy=f"create schema {target.database}",
    )


def no_such_table(target: TableName, left: str) -> NoSuchTableError:
    """The error for a table to replace that is not there."""
    return NoSuchTableError(
        "the table to replace does not exist",
        table=target,
        left=left,
        remedy="create it first, or set staging_purpose: create_or_replace",
    )


def newer_marker(target: TableName, found: int, known: int) -> NotSupportedError:
    """The error for a table whose marker this release can't read."""
    return NotSupportedError(
        f"a newer release of dbt-ctas-spark has published the table (its marker has the format "
        f"{found}, and this release knows {known})",
        table=target,
        left="it is unchanged; no job was started",
        remedy="install the release of dbt-ctas-spark that published it, or a newer one",
    )


def already_exists(target: TableName, left: str) -> TableAlreadyExistsError:
    """The error for a table to create that is there."""
    return TableAlreadyExistsError(
        "the table to create exists already",
        table=target,
        left=left,
        remedy="drop it, or set staging_purpose: create_or_replace or create_if_not_exists",
    )


def concurrent_write(target: TableName, who: str) -> ConcurrentWriteError:
    """The error for a target that another changed; ``who`` says which version, and when."""
    return ConcurrentWriteError(
        f"another writer changed the table since this model began: {who}",
        table=target,
        left=f"theirs is untouched, and {NOTHING_PUBLISHED}",
        remedy=AGAIN,
    )


def swept(target: TableName, left: str) -> ConcurrentWriteError:
    """The error for a version that a clean-up took."""
    return ConcurrentWriteError(
        "a clean-up took this model's version: it was older than the orphan age",
        table=target,
        left=left,
        remedy="run the model again, and ctas_vacuum with a larger older_than",
    )


def too_old(target: TableName, left: str) -> ConcurrentWriteError:
    """The error for a creation that took so long that a clean-up may have taken its version."""
    return ConcurrentWriteError(
        "the model began so long ago that a clean-up may take its version before it is published",
        table=target,
        left=left,
        remedy="run the model again; a table that exists can be rebuilt however long it takes",
    )


def record_gone(target: TableName, record: TableName, left: str) -> StagingError:
    """The error for a staged version whose record somebody removed."""
    return StagedVersionGoneError(
        f"the staged version's record {record} is gone",
        table=target,
        left=left,
        remedy=AGAIN,
    )


def files_gone(target: TableName, what: str, left: str) -> StagingError:
    """The error for a staged version that is not whole any more."""
    return StagedVersionIncompleteError(
        f"the staged version is not whole: {what}",
        table=target,
        left=left,
        remedy=AGAIN,
    )


def canceled(target: TableName, left: str) -> JobCanceledError:
    """The error for a commit that a cancel came before."""
    return JobCanceledError("the run was cancelled before the commit", table=target, left=left)


def refused(target: TableName, left: str, failure: MetastoreError | None) -> StagingError:
    """The error for a publication that the catalog refused, for no rival's sake."""
    return CommitRefusedError(
        f"the publication was refused, and committed nothing: {failure}",
        table=target,
        left=left,
        remedy="see what the catalog says of it; a run after that stages and publishes anew",
    )


def unknown(target: TableName, version: str, cause: MetastoreError | None) -> StagingError:
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
        remedy="look at the table's history (ctas_history), then run the model again",
    )
