"""What a publication says when it can't go on: what happened, what was left, and what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..clock import time_text
from ..context import StagingContext, TableName
from ..errors import (
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
    StorageError,
    TableAlreadyExistsError,
)
from .version import Base

AGAIN = "run the model again; it will build on what is there now"
NO_JOB = "it is unchanged; no job was started"
NOTHING_PUBLISHED = "nothing of this model was published"
UNTOUCHED = "no table was touched, and no job was started"
THEIRS_UNTOUCHED = "another writer created it meanwhile, and that table is untouched"
DROPPED_MEANWHILE = "another dropped it meanwhile; nothing was created"


def unchanged(base: Base, subject: str = "it") -> str:
    """What the target is when nothing was published; the subject of the sentence is the table."""
    if not base.exists:
        return f"{subject} still does not exist"
    if base.version is not None:
        return f"{subject} still holds version {base.version}"
    return f"{subject} is unchanged"


@contextmanager
def before_any_job(target: TableName) -> Iterator[None]:
    """Around what comes before a publication's job: what a call that failed has left.

    Whoever calls a metastore or a storage does not know for which table that is.
    """
    try:
        yield
    except (MetastoreError, StorageError) as error:
        error.table, error.left = error.table or target, error.left or NO_JOB
        error.remedy = error.remedy or "remove the cause, then run the model again"
        raise


def moment(time_ms: int) -> str:
    """A time in a sentence."""
    return f"{time_text(time_ms)} UTC"


def in_the_way(context: StagingContext, obstacle: str, left: str) -> StagingError:
    """Something else is in the table's place."""
    remedy = "drop it, or give the model another alias"
    left = f"it is untouched; {left}"
    if not context.purpose.may_replace:
        what = f"{obstacle} is in the place of the table to create"
        remedy = f"{remedy}, or set staging_purpose: create_or_replace"
        return TableAlreadyExistsError(what, table=context.target, left=left, remedy=remedy)
    named = f" of the format {context.layout.file_format}" if context.layout.format_given else ""
    what = (
        f"{obstacle} is in the place of the table, and no single commit can replace it with "
        f"a table{named}"
    )
    return unsupported(context.target, what, remedy, left)


def unsupported(
    target: TableName, what: str, remedy: str, left: str = NO_JOB
) -> AtomicityNotSupportedError:
    """No publication here is what the model asks for."""
    return AtomicityNotSupportedError(what, table=target, left=left, remedy=remedy)


def no_such_schema(target: TableName) -> NoSuchSchemaError:
    """The target's schema is missing."""
    what, remedy = f"schema {target.database} does not exist", f"create schema {target.database}"
    return NoSuchSchemaError(what, table=target, left="nothing was started", remedy=remedy)


def no_such_table(target: TableName, left: str) -> NoSuchTableError:
    """The table to replace is not there."""
    what = "the table to replace does not exist"
    remedy = "create it first, or set staging_purpose: create_or_replace"
    return NoSuchTableError(what, table=target, left=left, remedy=remedy)


def newer_marker(target: TableName, found: int, known: int) -> NotSupportedError:
    """This release can't read the table's marker."""
    what = (
        f"a newer release of dbt-ctas-spark has published the table (its marker has the format "
        f"{found}, and this release knows {known})"
    )
    remedy = "install the release of dbt-ctas-spark that published it, or a newer one"
    return NotSupportedError(what, table=target, left=NO_JOB, remedy=remedy)


def already_exists(target: TableName, left: str) -> TableAlreadyExistsError:
    """The table to create is there."""
    what = "the table to create exists already"
    remedy = (
        "if another run has just created it, run again; else drop it, or set staging_purpose: "
        "create_or_replace or create_if_not_exists"
    )
    return TableAlreadyExistsError(what, table=target, left=left, remedy=remedy)


def concurrent_write(target: TableName, who: str) -> ConcurrentWriteError:
    """Another writer changed the target; ``who`` says which version that was, and when."""
    what = f"another writer changed the table since this model began: {who}"
    left = f"the other writer's version is untouched, and {NOTHING_PUBLISHED}"
    return ConcurrentWriteError(what, table=target, left=left, remedy=AGAIN)


def swept(target: TableName, left: str) -> ConcurrentWriteError:
    """A clean-up took the version."""
    what = "a clean-up deleted this model's version, because it was old enough to be a leftover"
    remedy = "run the model again, and run ctas_vacuum with a larger older_than"
    return ConcurrentWriteError(what, table=target, left=left, remedy=remedy)


def too_old(target: TableName, left: str) -> ConcurrentWriteError:
    """A creation took so long that a clean-up may have taken its version."""
    what = "the model began so long ago that a clean-up may delete its version before the commit"
    remedy = "run the model again; a table that exists can be rebuilt however long it takes"
    return ConcurrentWriteError(what, table=target, left=left, remedy=remedy)


def record_gone(target: TableName, record: TableName, left: str) -> StagingError:
    """Somebody removed the staged version's record."""
    what = f"the staged version's record {record} is gone"
    return StagedVersionGoneError(what, table=target, left=left, remedy=AGAIN)


def files_gone(target: TableName, what: str, left: str) -> StagingError:
    """The staged version is not whole any more."""
    what = f"the staged version is incomplete: {what}"
    return StagedVersionIncompleteError(what, table=target, left=left, remedy=AGAIN)


def base_not_listed(target: TableName, failure: StorageError) -> StorageError:
    """The files of a base whose rows are carried on can't be listed: no INSERT would be noticed."""
    what = f"the files that the table has now could not be listed: {failure.what}"
    remedy = "check that the user who runs dbt may read the table's directory"
    return StorageError(what, table=target, left=NO_JOB, remedy=remedy)


def reads_what_is_emptied(target: TableName) -> AtomicityNotSupportedError:
    """At level ``none`` the query of a table would find that empty."""
    what = "at atomicity none, the table is emptied before the query runs, and the query reads it"
    return unsupported(target, what, "choose another atomicity")


def old_read(target: TableName) -> ConcurrentWriteError:
    """A DataFrame that was made before another writer changed the table that it reads."""
    what = (
        "the DataFrame reads the table as it was before another writer changed it: what the other "
        "writer wrote would be lost"
    )
    remedy = (
        "make the DataFrame again (spark.table(...)), then save it; or read the old version by its "
        "path, if it is meant to come back"
    )
    return ConcurrentWriteError(what, table=target, left=NO_JOB, remedy=remedy)


def canceled(target: TableName, left: str) -> JobCanceledError:
    """A cancel came before the commit call."""
    what = "the run was cancelled before the commit"
    return JobCanceledError(what, table=target, left=left, remedy="run the model again")


def refused(target: TableName, left: str, failure: MetastoreError | None) -> StagingError:
    """The catalog refused the publication, and not because of a rival."""
    what = f"the publication was refused, and nothing was committed: {failure}"
    remedy = "see the catalog's answer above and its log, then run the model again"
    return CommitRefusedError(what, table=target, left=left, remedy=remedy)


def unknown(target: TableName, version: str, cause: StagingError | None) -> StagingError:
    """Nobody can tell what became of a commit call.

    If the call succeeded, and nothing shows it, a writer that follows no protocol has reverted it:
    both versions stay.
    """
    left = f"it shows its old version or {version}; nothing was deleted"
    if cause is None:
        what = f"version {version} was committed and then reverted by another writer's stale entry"
        return ConcurrentWriteError(what, table=target, left=left, remedy=AGAIN)
    what = f"the commit call failed, and the table does not show whether it took effect: {cause}"
    remedy = "look at the table's history (ctas_history), then run the model again"
    return CommitStateUnknownError(what, table=target, left=left, remedy=remedy)
