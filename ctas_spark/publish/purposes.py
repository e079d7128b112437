"""What a model asks of a target, by its purpose and level, against what is there and can be."""

import logging
from collections.abc import Iterator

from ..context import Atomicity, OnConflict, PartitionMetadata, StagingContext, StagingPurpose
from ..errors import AtomicityNotSupportedError
from . import messages
from .version import Base, Change, Reach

logger = logging.getLogger(__name__)

NO_JOB = "no job was started"
HOLDS_OLD_ROWS = (
    "the model reads its own table, and on_conflict: overwrite would lose what others add to it "
    "meanwhile"
)


def problems_of_any(context: StagingContext, name: str) -> Iterator[str]:
    """What every format that commits by itself refuses, with the remedy; ``name`` is in words."""
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
        asked: the level that the catalog reaches of what the model wants.
        left: the state of the target, for the error.

    Raises:
        AtomicityNotSupportedError: the model names a level that this publication can't keep.
    """
    if reach.level.strength >= asked.strength:
        return asked
    if context.atomicity is Atomicity.AUTO:
        return reach.level
    named = context.atomicity.value
    what = f"atomicity {named} can't be kept by this publication: {reach.missing}"
    raise AtomicityNotSupportedError(what, table=context.target, left=left, remedy=reach.remedy)


def warn_of(context: StagingContext, base: Base, level: Atomicity, reach: Reach) -> None:
    """Say that the target was published at a stronger level before, and what else is to know."""
    if base.level is not None and level.strength < Atomicity(base.level).strength:
        what = "%s was last published at atomicity %s, and is now at %s"
        logger.warning(what, context.target, base.level, level.value)
    if reach.warning:
        logger.warning("%s: %s", context.target, reach.warning)


def check_base(context: StagingContext, base: Base) -> None:
    """Return if the purpose can begin on what exists.

    Raises:
        TableAlreadyExistsError, NoSuchTableError, AtomicityNotSupportedError: it can't.
    """
    if _is_in_the_way(context, base):
        raise messages.in_the_way(context, base.obstacle, NO_JOB)
    if not base.exists and context.purpose is StagingPurpose.REPLACE:
        raise messages.no_such_table(context.target, f"nothing was created; {NO_JOB}")
    if base.exists and context.purpose is StagingPurpose.CREATE:
        raise messages.already_exists(context.target, messages.NO_JOB)


def keeps_theirs(context: StagingContext, change: Change, now: Base) -> bool:
    """True if the table that another created meanwhile is kept, and the model succeeds."""
    is_kept = context.purpose is StagingPurpose.CREATE_IF_NOT_EXISTS
    return is_kept and change is Change.CREATED and not now.obstacle


def check_change(
    context: StagingContext, change: Change, now: Base, who: str, *, holds_old_rows: bool
) -> None:
    """Return if the purpose and ``on_conflict`` let the version be published over ``now``.

    Args:
        holds_old_rows: the version was made of the target's rows, as they were at begin.

    Raises:
        ConcurrentWriteError, TableAlreadyExistsError, NoSuchTableError: they do not.
    """
    if _is_in_the_way(context, now):
        raise messages.in_the_way(context, now.obstacle, messages.NOTHING_PUBLISHED)
    if change is Change.MAINTAINED:
        logger.info("%s was maintained meanwhile, which is not a conflict", context.target)
    elif change is Change.DROPPED and context.purpose is StagingPurpose.CREATE_OR_REPLACE:
        logger.warning(
            "%s was dropped by another writer meanwhile; it is created again", context.target
        )
    elif change is Change.DROPPED:
        raise messages.no_such_table(context.target, messages.DROPPED_MEANWHILE)
    elif change is Change.CREATED and context.purpose is StagingPurpose.CREATE:
        raise messages.already_exists(context.target, messages.THEIRS_UNTOUCHED)
    elif context.on_conflict is OnConflict.ABORT or not context.purpose.may_replace:
        raise messages.concurrent_write(context.target, who)
    elif holds_old_rows:
        raise messages.concurrent_write(context.target, f"{who}; {HOLDS_OLD_ROWS}")
    else:
        what = "%s: on_conflict is overwrite; another writer's change since begin is replaced (%s)"
        logger.warning(what, context.target, who)


def _is_in_the_way(context: StagingContext, base: Base) -> bool:
    return bool(base.obstacle) and not (base.can_be_replaced and context.purpose.may_replace)
