"""Drop the entries of partitions that no reader needs any more.

A table whose directories are listed may have been published over one whose partitions were tracked.
Sessions that resolved the old one still ask the metastore for its partitions; once their grace is
over, MSCK REPAIR TABLE would bring the entries back to life.
"""

from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.files.bookkeeping import Bookkeeping
from dbt.adapters.ctas_spark.staging.files.publication import PARTITIONS, PartitionState
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.publish.marker import Kind, Marker
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.steps import StepReport


def forget_stale_partitions(
    context: StagingContext,
    services: Services,
    rules: RetentionRules,
    storage_time: Callable[[], int],
) -> None:
    """Drop them, if there is a lock and the version has been live for its predecessor's grace."""
    entry = services.metastore.get_table(context.target)
    marker = Marker.of(entry)
    if entry is None or marker is None or not entry.partition_keys:
        return
    builds = [one.time_ms for one in marker.lineage.entries if one.kind is Kind.BUILD]
    listed = entry.parameters.get(PARTITIONS) == PartitionState.FILES.value
    lived = bool(builds) and storage_time() - builds[0] >= rules.grace_ms
    if not listed or not lived or not services.partitions.partitions(context.target):
        return
    lock = services.partition_lock
    if lock is not None:
        report = StepReport(context.target)
        Bookkeeping(context, services, lock, report, storage_time).run(marker.version)
