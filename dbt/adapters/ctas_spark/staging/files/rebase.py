"""What a commit does when the target is no longer what begin saw."""

import logging

from dbt.adapters.ctas_spark.staging.context import OnConflict, StagingContext, StagingPurpose
from dbt.adapters.ctas_spark.staging.files import base_checks
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.restamp import is_only_restamped
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts

logger = logging.getLogger(__name__)


def rebase(context: StagingContext, base: Base, now: TableEntry | None) -> Base | None:
    """The base to commit over instead, or None if what another created is kept.

    Raises:
        ConcurrentWriteError, TableAlreadyExistsError, NoSuchTableError: the purpose and
            ``on_conflict`` allow neither.
    """
    if now is None:
        if context.purpose is not StagingPurpose.CREATE_OR_REPLACE:
            raise conflicts.refuses_to_commit(context.purpose, context.target, base, now)
        logger.warning("%s was dropped by another meanwhile; it is created anew", context.target)
        return Base(None)
    if is_only_restamped(base, now):
        logger.info("%s was fenced or repaired meanwhile; its version is the same", context.target)
        return Base(now)
    if context.purpose is StagingPurpose.CREATE_IF_NOT_EXISTS and not now.is_view:
        return None
    if context.on_conflict is OnConflict.OVERWRITE and context.purpose.may_replace:
        return _overwritten(context, base, Base(now))
    raise conflicts.refuses_to_commit(context.purpose, context.target, base, now)


def _overwritten(context: StagingContext, base: Base, theirs: Base) -> Base:
    base_checks.refuse_other_partition_keys(context, theirs)
    logger.warning(
        "%s: on_conflict is overwrite; what another wrote since begin is replaced (%s, was %s)",
        context.target,
        theirs,
        base,
    )
    return theirs
