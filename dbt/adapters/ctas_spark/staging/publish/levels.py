"""Which level a publication keeps: what was asked for, against what is reached."""

import logging

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.publish.version import Base, Reach

logger = logging.getLogger(__name__)


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
