"""What a crash left half done of a target, finished or undone by the next begin.

Nothing here is needed for reads to be right at ``isolated``; it changes nothing when there is
nothing to do, and can itself be killed.
"""

import logging
from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.files import set_aside
from dbt.adapters.ctas_spark.staging.files.bookkeeping import Bookkeeping
from dbt.adapters.ctas_spark.staging.files.publication import PARTITIONS, PartitionState
from dbt.adapters.ctas_spark.staging.files.records import leases_of, record_name
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import Marker
from dbt.adapters.ctas_spark.staging.retention import lease_file
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseState
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)


def undo_renames(
    context: StagingContext,
    services: Services,
    storage_time: Callable[[], int],
    report: StepReport,
) -> None:
    """Put back an entry that a dead run set aside, or remove it where the name is taken again."""
    target, metastore = context.target, services.metastore
    for aside in set_aside.of_target(metastore, target, context.staging_schema):
        if metastore.get_table(target) is not None:
            with report.within(Step.REMOVE_ASIDE):
                metastore.drop_entry(aside.name)
        elif _is_alive(aside, context, services, storage_time()):
            logger.info("%s is set aside by a run that publishes it right now", target)
        else:
            set_aside.put_back(metastore, aside, target, report)
            logger.warning(
                "%s was missing since a run died while it published by rename; its old version "
                "is back",
                target,
            )


def has_pending_partitions(entry: TableEntry | None) -> bool:
    """True if a publication's partitions are to be tracked, and its run did not get to it."""
    if entry is None or Marker.of(entry) is None:
        return False
    return entry.parameters.get(PARTITIONS) == PartitionState.PENDING.value


def track_partitions(target: TableName, entry: TableEntry, bookkeeping: Bookkeeping) -> bool:
    """Finish the bookkeeping of a publication whose run died; True if the entry was changed."""
    marker = Marker.of(entry)
    if marker is None or bookkeeping.run(marker.version) is not PartitionState.TRACKED:
        return False
    logger.info("%s: the partitions of version %s are tracked now", target, marker.version)
    return True


def _is_alive(aside: TableEntry, context: StagingContext, services: Services, now_ms: int) -> bool:
    version = aside.parameters[set_aside.SET_ASIDE_BY]
    record = services.metastore.get_table(
        record_name(context.staging_schema, context.target, version)
    )
    directory = leases_of(record)
    if directory is None:
        return False
    lease = aside.parameters[set_aside.SET_ASIDE_LEASE]
    state = lease_file.state_of(services.storage, directory, lease, now_ms)
    return state is LeaseState.LIVING
