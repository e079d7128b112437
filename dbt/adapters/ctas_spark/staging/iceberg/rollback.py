"""Publish an earlier version of an Iceberg table again: one commit, schema included.

Iceberg's ``rollback_to_snapshot`` refuses what a replace came after, and ``set_current_snapshot``
keeps the new schema, under which old rows read as nulls.
"""

from collections.abc import Iterator
from dataclasses import replace

from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableLayout,
)
from dbt.adapters.ctas_spark.staging.errors import NoSuchVersionError
from dbt.adapters.ctas_spark.staging.files.rollback import NoJob, RolledBack
from dbt.adapters.ctas_spark.staging.iceberg import difference
from dbt.adapters.ctas_spark.staging.iceberg.base import look
from dbt.adapters.ctas_spark.staging.iceberg.calls import core_errors
from dbt.adapters.ctas_spark.staging.iceberg.facts import MAIN, TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.publications import (
    Published,
    last_of,
    live,
    publications,
)
from dbt.adapters.ctas_spark.staging.iceberg.services import IcebergServices
from dbt.adapters.ctas_spark.staging.iceberg.tables import LoadedTable
from dbt.adapters.ctas_spark.staging.iceberg.version import IcebergVersion
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from dbt.adapters.ctas_spark.staging.publish.native_commit import NativeCommit
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport


def roll_back(context: StagingContext, services: IcebergServices, to: str | None) -> RolledBack:
    """Publish version ``to``, or the one before the live one.

    It is staged on a fork like a build, and published by the same conditional commit.

    Raises:
        NoSuchVersionError: there is no such version, or Iceberg has expired it.
        ConcurrentWriteError: another committed meanwhile.
        CommitStateUnknownError: the call's fate can't be told.
    """
    with StepReport(context.target).within(Step.ROLL_BACK):
        return _rolled_back(context, services, to)


def _rolled_back(context: StagingContext, services: IcebergServices, to: str | None) -> RolledBack:
    base = look(services.tables, context.target)
    now = live(base.facts) if base.facts else None
    if base.facts is None or now is None or not now.marker.version:
        raise NoSuchVersionError(
            "the table does not show a version of this adapter's, and has no earlier one",
            table=context.target,
            left="it is unchanged",
        )
    chosen = _chosen(context, base.facts, now.marker.version, to)
    asked = replace(
        context,
        purpose=StagingPurpose.REPLACE,
        on_conflict=OnConflict.ABORT,
        layout=TableLayout(file_format=context.layout.file_format),
    )
    version = IcebergVersion(
        asked,
        services,
        lambda: None,
        kind=Kind.ROLLBACK,
        published_as=chosen.marker.version,
    )
    report = StepReport(context.target)
    commit = NativeCommit(asked, version, NoJob(), base, Atomicity.ISOLATED, report)
    try:
        version.stage_on(base)
        _set_back(services, version.fork(), chosen)
        with report.within(Step.COMMIT):
            commit.run()
    except Exception:
        _clean(services, version, commit.outcome, report)
        raise
    _clean(services, version, commit.outcome, report)
    version.refresh()
    return RolledBack(chosen.marker.version, now.marker.version, Atomicity.ISOLATED)


def _clean(
    services: IcebergServices, version: IcebergVersion, outcome: Outcome | None, report: StepReport
) -> None:
    """What is left of an unknown outcome is the next run's to resolve."""
    if outcome is Outcome.UNKNOWN:
        return
    left = version.forget(report) if outcome is Outcome.COMMITTED else version.discard(report)
    if not left:
        services.lease.resolved(version.id)


def _chosen(context: StagingContext, table: TableFacts, now: str, to: str | None) -> Published:
    kept = dict(_earlier(table, now))
    if to in kept or (to is None and kept):
        return kept[to] if to in kept else next(iter(kept.values()))
    what = f"there is no version {to}" if to else "there is no earlier version"
    raise NoSuchVersionError(
        f"{what} to go back to",
        table=context.target,
        left="it is unchanged",
        remedy=f"Iceberg still has: {', '.join(kept) or 'none'}; it expires snapshots by itself",
    )


def _earlier(table: TableFacts, now: str) -> Iterator[tuple[str, Published]]:
    """The last state of each other version that is whole, newest first."""
    for version in dict.fromkeys(one.marker.version for one in publications(table)):
        found = last_of(table, version) if version and version != now else None
        if found is not None and table.columns(found.snapshot.schema_id):
            yield version, found


def _set_back(services: IcebergServices, fork: LoadedTable, chosen: Published) -> None:
    packages = services.tables.packages
    with core_errors("stage an earlier version"):
        builder = packages.org.apache.iceberg.TableMetadata.buildFrom(fork.metadata)
        builder.setCurrentSchema(chosen.snapshot.schema_id)
        builder.setDefaultPartitionSpec(chosen.marker.spec_id)
        builder.setDefaultSortOrder(chosen.marker.sort_order_id)
        builder.setBranchSnapshot(chosen.snapshot.id, MAIN)
        metadata = builder.build()
    difference.commit(fork, metadata)
