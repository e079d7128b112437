"""Publish an earlier version of a target again: one commit, schema included."""

from dataclasses import dataclass, replace

from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    StagingContext,
    StagingPurpose,
    TableLayout,
)
from dbt.adapters.ctas_spark.staging.errors import NoSuchVersionError
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.bookkeeping import Bookkeeping
from dbt.adapters.ctas_spark.staging.files.commit import Commit
from dbt.adapters.ctas_spark.staging.files.publication import PARTITIONS, PartitionState
from dbt.adapters.ctas_spark.staging.files.records import STATE, RecordState
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.version_root import version_root
from dbt.adapters.ctas_spark.staging.files.versions import Place, Version, versions_of
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import Kind, Marker
from dbt.adapters.ctas_spark.staging.retention.lease import StorageClock
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport


class NoJob:
    """A rollback runs none."""

    canceled = False

    def stop(self) -> bool:
        """There is nothing to stop."""
        return True


@dataclass(frozen=True, slots=True)
class RolledBack:
    """What was published instead of what."""

    version: str
    replaced: str
    level: Atomicity


def roll_back(context: StagingContext, services: Services, to: str | None = None) -> RolledBack:
    """Publish version ``to``, or the one before the live one.

    The target gets a new commit id in the same lineage, by the same conditional call as a build.

    Raises:
        NoSuchVersionError: there is no such version, or its files are gone.
        ConcurrentWriteError: another committed meanwhile, or a clean-up took the version.
        CommitStateUnknownError: the call's fate can't be told.
    """
    with StepReport(context.target).within(Step.ROLL_BACK):
        return _rolled_back(context, services, to)


def _rolled_back(context: StagingContext, services: Services, to: str | None) -> RolledBack:
    root = version_root(services.metastore, context)
    entry = services.metastore.get_table(context.target)
    live = Marker.of(entry)
    if entry is None or live is None:
        raise NoSuchVersionError(
            "the table was not published by this adapter, and has no earlier version",
            table=context.target,
            left="it is unchanged",
        )
    found = versions_of(services, context.target, context.staging_schema, root)
    version = _chosen(context, services, found, to)
    clock = StorageClock(services.lease, root.leases)
    commit = _commit(context, services, entry, version, clock)
    with StepReport(context.target).within(Step.COMMIT):
        commit.run(version.entry)
    if commit.partitions is PartitionState.PENDING:
        _track(context, services, version, clock)
    services.engine.refresh(context.target)
    return RolledBack(version.id, live.version, commit.level)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A version that can be published again, with its record."""

    id: str
    entry: TableEntry


def _chosen(
    context: StagingContext, services: Services, found: tuple[Version, ...], to: str | None
) -> Chosen:
    kept = [one for one in found if one.place is Place.SUPERSEDED and _is_whole(one, services)]
    wanted = [one for one in kept if to in (None, one.id)]
    record = wanted[0].record if wanted else None
    if record is not None:
        return Chosen(wanted[0].id, record)
    what = f"there is no version {to}" if to else "there is no earlier version"
    raise NoSuchVersionError(
        f"{what} to go back to",
        table=context.target,
        left="it is unchanged",
        remedy=f"its kept versions are: {', '.join(one.id for one in kept) or 'none'}",
    )


def _is_whole(version: Version, services: Services) -> bool:
    record = version.record
    deleting = record is None or record.parameters.get(STATE) == RecordState.DELETING.value
    return not deleting and services.storage.exists(version.directory)


def _commit(
    context: StagingContext,
    services: Services,
    entry: TableEntry,
    version: Chosen,
    clock: StorageClock,
) -> Commit:
    """The layout is the version's own, whatever the model says by now."""
    tracked = entry.parameters.get(PARTITIONS) in (
        PartitionState.TRACKED.value,
        PartitionState.PENDING.value,
    )
    partitions = PartitionState.PENDING if tracked else PartitionState.FILES
    layout = TableLayout(partition_by=version.entry.partition_keys)
    asked = replace(context, purpose=StagingPurpose.REPLACE, layout=layout)
    return Commit(
        asked,
        services,
        NoJob(),
        version=version.id,
        level=Atomicity.ATOMIC if tracked else Atomicity.ISOLATED,
        base=Base(entry),
        partitions=partitions if version.entry.partition_keys else PartitionState.FILES,
        storage_time=clock,
        report=StepReport(context.target),
        kind=Kind.ROLLBACK,
        record_state=version.entry.parameters[STATE],
    )


def _track(
    context: StagingContext,
    services: Services,
    version: Chosen,
    clock: StorageClock,
) -> None:
    lock = services.partition_lock
    if lock is not None:
        report = StepReport(context.target)
        Bookkeeping(context, services, lock, report, clock).run(version.id)
