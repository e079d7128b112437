"""What a purpose makes of a target: at begin, and when it is no longer what begin saw."""

import logging
from typing import Any

from dbt.adapters.ctas_spark.staging.context import (
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableName,
)
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    CommitRefusedError,
    ConcurrentWriteError,
    MetastoreError,
    StagingError,
    TableAlreadyExistsError,
)
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts
from dbt.adapters.ctas_spark.staging.publish.version import Change, NativeBase

logger = logging.getLogger(__name__)

NO_JOB = "no job was started"


def refuses_to_begin(context: StagingContext, base: NativeBase) -> StagingError | None:
    """Why the purpose can't begin on what exists, or None if it can."""
    if base.obstacle:
        return _in_the_way(context, base.obstacle, NO_JOB)
    if not base.exists and not context.purpose.may_create:
        return conflicts.no_such_table(context.target, NO_JOB)
    if base.exists and context.purpose is StagingPurpose.CREATE:
        return conflicts.already_exists(context.target, NO_JOB)
    return None


def keeps_theirs(context: StagingContext, change: Change) -> bool:
    """True if what another created meanwhile is kept, and that is a success."""
    return change is Change.CREATED and context.purpose is StagingPurpose.CREATE_IF_NOT_EXISTS


def check_change(context: StagingContext, change: Change, now: NativeBase, who: str) -> None:
    """Return if the purpose and ``on_conflict`` let the version be published over ``now``.

    Raises:
        ConcurrentWriteError, TableAlreadyExistsError, NoSuchTableError: they do not.
    """
    if now.obstacle:
        raise _in_the_way(context, now.obstacle, "nothing of this model was published")
    if change is Change.FENCED:
        logger.info("%s was fenced meanwhile; its version is the same", context.target)
    elif change is Change.DROPPED:
        _check_dropped(context)
    elif change is Change.CREATED and context.purpose is StagingPurpose.CREATE:
        raise conflicts.already_exists(
            context.target, "another created it meanwhile, and theirs is untouched"
        )
    elif context.on_conflict is OnConflict.OVERWRITE and context.purpose.may_replace:
        logger.warning(
            "%s: on_conflict is overwrite; what another wrote since begin is replaced (%s)",
            context.target,
            who,
        )
    else:
        raise conflicts.concurrent_write(context.target, who)


def cannot_replay(context: StagingContext, who: str, failure: Any) -> ConcurrentWriteError:
    """The error for an overwrite of what does not fit the staged version."""
    return ConcurrentWriteError(
        f"another writer changed the table since this model began: {who}; "
        f"on_conflict: overwrite can't put the staged version over that: {failure}",
        table=context.target,
        left="theirs is untouched, and nothing of this model was published",
        remedy=conflicts.AGAIN,
    )


def refused(target: TableName, left: str, failure: MetastoreError | None) -> CommitRefusedError:
    """The error for a publication that failed, whether while it wrote or when it committed."""
    return CommitRefusedError(
        f"the publication failed, and committed nothing: {failure}",
        table=target,
        left=left,
        remedy="see what it says; a run after that stages and publishes anew",
    )


def _check_dropped(context: StagingContext) -> None:
    if context.purpose is not StagingPurpose.CREATE_OR_REPLACE:
        raise conflicts.no_such_table(
            context.target, "nothing was created", "another dropped it meanwhile; "
        )
    logger.warning("%s was dropped by another meanwhile; it is created anew", context.target)


def _in_the_way(context: StagingContext, obstacle: str, left: str) -> StagingError:
    if context.purpose in (StagingPurpose.CREATE, StagingPurpose.CREATE_IF_NOT_EXISTS):
        return TableAlreadyExistsError(
            f"{obstacle} is in the place of the table to create",
            table=context.target,
            left=f"it is untouched; {left}",
            remedy="drop it, or give the model another alias",
        )
    return AtomicityNotSupportedError(
        f"{obstacle} is in the place of the table, and no single commit replaces it by a table "
        f"of the format {context.layout.file_format}",
        table=context.target,
        left=f"it is untouched; {left}",
        remedy="drop it, or give the model another alias",
    )
