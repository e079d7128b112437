"""Finish or revert what crashes left half done of a target, without waiting for its next build."""

from collections.abc import Callable
from dataclasses import replace

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.files import pending, set_aside
from dbt.adapters.ctas_spark.staging.files.bookkeeping import Bookkeeping
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoot
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.sweeper import Sweeper
from dbt.adapters.ctas_spark.staging.files.versions import versions_of
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.steps import StepReport

EVERY_VERSION = 10**9


def recover(
    context: StagingContext,
    services: Services,
    root: VersionRoot,
    rules: RetentionRules,
    storage_time: Callable[[], int],
) -> tuple[str, ...]:
    """What was done, as sentences; nothing where there was nothing to do.

    Published versions stay, however old: only what dead runs left is fenced and deleted.

    Raises:
        MetastoreError, StorageError: it could not be found out what is left.
    """
    done: list[str] = []
    metastore, target = services.metastore, context.target
    aside = set_aside.of_target(metastore, target, context.staging_schema)
    pending.undo_renames(context, services, storage_time, StepReport(target))
    left = set_aside.of_target(metastore, target, context.staging_schema)
    if len(left) < len(aside):
        done.append("a publication by rename was undone, or its old entry removed")
    if _tracks(context, services, storage_time):
        done.append("its partitions are tracked now")
    keep_published = replace(rules, versions_to_keep=EVERY_VERSION)
    sweeper = Sweeper(services, context.staging_schema, keep_published, storage_time)
    versions = versions_of(services, target, context.staging_schema, root)
    freed = sweeper.sweep(target, versions).freed
    done.extend(f"a dead run's version was deleted: {directory}" for directory in freed)
    return tuple(done)


def _tracks(context: StagingContext, services: Services, storage_time: Callable[[], int]) -> bool:
    entry = services.metastore.get_table(context.target)
    if entry is None or not pending.has_pending_partitions(entry):
        return False
    lock = services.partition_lock
    if lock is None:
        return False
    report = StepReport(context.target)
    bookkeeping = Bookkeeping(context, services, lock, report, storage_time)
    return pending.track_partitions(context.target, entry, bookkeeping)
