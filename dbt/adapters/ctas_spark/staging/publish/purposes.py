"""What a model asks of a target, by its purpose and level, against what is there and can be."""

import logging
from collections.abc import Iterator

from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    OnConflict,
    PartitionMetadata,
    StagingContext,
    StagingPurpose,
)
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, StagingError
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.publish.version import Base, Change, Reach

logger = logging.getLogger(__name__)

NO_JOB = "no job was started"


def problems_of_any(context: StagingContext, name: str) -> Iterator[str]:
    """Every problem, with what to do about it; ``name`` is the format's, for people."""
    if context.atomicity is Atomicity.NONE:
        yield (
            f"atomicity: none fills a published table in place, and a commit of {name} is all or "
            "nothing anyway; remove it"
        )
    if context.layout.options:
        yield f"options: {name} has table properties only; use tblproperties"
    if context.partition_metadata is not PartitionMetadata.AUTO:
        yield f"partition_metadata: {name} itself knows the partitions; remove it"


def kept(context: StagingContext, asked: Atomicity, reach: Reach, left: str) -> Atomicity:
    """The level that is kept over one base.

    Args:
        asked: the level that the catalog reaches at most and that the model wants.
        left: the state of the target, for the error.

    Raises:
        AtomicityNotSupportedError: the model names a level that this publication can't keep.
    """
    if reach.level.strength >= asked.strength:
        return asked
    if context.atomicity is not Atomicity.AUTO:
        raise AtomicityNotSupportedError(
            f"atomicity {context.atomicity.value} can't be kept by this publication: "
            f"{reach.missing}",
            table=context.target,
            left=left,
            remedy=reach.remedy,
        )
    return reach.level


def warn_of_less(context: StagingContext, base: Base, level: Atomicity) -> None:
    """Say that the target was published at a stronger level before."""
    if base.level is not None and level.strength < Atomicity(base.level).strength:
        logger.warning(
            "%s was last published at atomicity %s, and is now at %s",
            context.target,
            base.level,
            level.value,
        )


def refusal_to_begin(context: StagingContext, base: Base) -> StagingError | None:
    """Why the purpose can't begin on what exists, or None if it can."""
    if _is_in_the_way(context, base):
        return messages.in_the_way(context, base.obstacle, NO_JOB)
    if not base.exists and not context.purpose.may_create:
        return messages.no_such_table(context.target, NO_JOB)
    if base.exists and context.purpose is StagingPurpose.CREATE:
        return messages.already_exists(context.target, NO_JOB)
    return None


def keeps_what_exists(context: StagingContext, base: Base) -> bool:
    """True if the purpose leaves the table that begin found, and the model succeeds."""
    return base.exists and not context.purpose.may_replace


def keeps_theirs(context: StagingContext, change: Change, now: Base) -> bool:
    """True if the table that another created meanwhile is kept, and the model succeeds."""
    is_kept = context.purpose is StagingPurpose.CREATE_IF_NOT_EXISTS
    return is_kept and change is Change.CREATED and not now.obstacle


def check_change(context: StagingContext, change: Change, now: Base, who: str) -> None:
    """Return if the purpose and ``on_conflict`` let the version be published over ``now``.

    Raises:
        ConcurrentWriteError, TableAlreadyExistsError, NoSuchTableError: they do not.
    """
    if _is_in_the_way(context, now):
        raise messages.in_the_way(context, now.obstacle, messages.NOTHING_PUBLISHED)
    if change is Change.MAINTAINED:
        logger.info("%s was maintained meanwhile; its rows are the same", context.target)
    elif change is Change.DROPPED:
        _check_dropped(context)
    elif change is Change.CREATED and context.purpose is StagingPurpose.CREATE:
        raise messages.already_exists(context.target, messages.THEIRS_UNTOUCHED)
    elif context.on_conflict is OnConflict.OVERWRITE and context.purpose.may_replace:
        logger.warning(
            "%s: on_conflict is overwrite; what another wrote since begin is replaced (%s)",
            context.target,
            who,
        )
    else:
        raise messages.concurrent_write(context.target, who)


def _check_dropped(context: StagingContext) -> None:
    if context.purpose is not StagingPurpose.CREATE_OR_REPLACE:
        raise messages.no_such_table(context.target, messages.DROPPED_MEANWHILE)
    logger.warning("%s was dropped by another meanwhile; it is created anew", context.target)


def _is_in_the_way(context: StagingContext, base: Base) -> bool:
    return bool(base.obstacle) and not (base.can_be_replaced and context.purpose.may_replace)
