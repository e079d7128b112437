"""What a publication may leave on the metastore beside its entry; without it all works, too."""

import logging

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.files import set_aside
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)


def remove_set_aside(context: StagingContext, services: Services, report: StepReport) -> None:
    """Remove what renames have left set aside of a target that is there.

    What stayed would be put back once somebody drops the target.
    """
    target, metastore = context.target, services.metastore
    try:
        for aside in set_aside.of_target(metastore, target, context.staging_schema):
            if metastore.get_table(target) is not None:
                with report.within(Step.REMOVE_ASIDE):
                    metastore.drop_entry(aside.name)
    except MetastoreError as error:
        logger.warning("%s: an old entry that was set aside stays: %s", target, error)


def forget_column_statistics(services: Services, base: Base) -> None:
    """They describe the old version; a planner of another engine would trust them."""
    if base.entry is None or base.entry.is_view:
        return
    try:
        services.metastore.drop_column_statistics(base.entry.name)
    except MetastoreError as error:
        logger.warning("%s keeps old column statistics: %s", base.entry.name, error)
