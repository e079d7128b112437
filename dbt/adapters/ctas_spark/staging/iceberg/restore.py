"""Earlier versions of an Iceberg table, in its own history: each can be published again.

Iceberg's ``rollback_to_snapshot`` refuses what a replace came after, and ``set_current_snapshot``
keeps the new schema, under which old rows read as nulls. So the version is staged on a fork like a
build, and published by the same conditional commit, with its schema.
"""

from dataclasses import dataclass, replace

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableLayout
from dbt.adapters.ctas_spark.staging.errors import NoSuchVersionError
from dbt.adapters.ctas_spark.staging.iceberg.base import IcebergBase, look
from dbt.adapters.ctas_spark.staging.iceberg.facts import MAIN, Snapshot, SnapshotMarker, TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergServices, LoadedTable, core_errors
from dbt.adapters.ctas_spark.staging.iceberg.version import IcebergVersion
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from dbt.adapters.ctas_spark.staging.publish.version import Change
from dbt.adapters.ctas_spark.staging.retention.rules import Event, change_of, time_text
from dbt.adapters.ctas_spark.staging.steps import StepReport


@dataclass(frozen=True, slots=True)
class Published:
    """A build or rollback that Iceberg's history still has, and what ``main`` showed by it."""

    marker: SnapshotMarker
    snapshot: Snapshot


def publications(table: TableFacts) -> tuple[Published, ...]:
    """What this adapter has published as ``main``, newest first; a fence publishes nothing."""
    shown = (table.snapshots.get(one) for one in dict.fromkeys(reversed(table.log)))
    found = ((one.marker, one) for one in shown if one is not None)
    return tuple(
        Published(marker, one)
        for marker, one in found
        if marker is not None and not marker.kind.keeps_the_version
    )


def last_of(table: TableFacts, version: str) -> Published | None:
    """The last state of a version: its snapshot, or what users' own writes made of that since.

    None if it was never published, or if Iceberg has expired it.
    """
    for newest in publications(table):
        if newest.marker.version == version:
            return Published(newest.marker, _last_state(table, newest.snapshot))
    return None


def _last_state(table: TableFacts, published: Snapshot) -> Snapshot:
    last = published
    for later in table.log[table.log.index(published.id) + 1 :]:
        if later not in table.snapshots:
            continue
        if published.id not in {one.id for one in table.ancestors(later)}:
            break
        marker = table.snapshots[later].marker
        if marker is not None and not marker.kind.keeps_the_version:
            break
        last = table.snapshots[later]
    return last


def history(table: TableFacts) -> tuple[Event, ...]:
    """Every build and rollback that Iceberg has not expired, newest first."""
    shown = publications(table)
    live = table.marker.version if table.marker else None
    older = (*(one.snapshot for one in shown[1:]), None)
    return tuple(
        _event(table, one, before, "live" if one.marker.version == live else "kept")
        for one, before in zip(shown, older, strict=False)
    )


def _event(table: TableFacts, one: Published, before: Snapshot | None, state: str) -> Event:
    columns, counted = table.columns(one.snapshot.schema_id), one.snapshot.figures
    return Event(
        version=one.marker.version,
        time=time_text(one.marker.time_ms),
        kind=one.marker.kind.value,
        state=state,
        rows=counted.rows,
        bytes=counted.bytes,
        schema_change=change_of(table.columns(before.schema_id), columns) if before else "",
    )


@dataclass(frozen=True, slots=True)
class IcebergRestoring:
    """The ``Restoring`` of one Iceberg table."""

    context: StagingContext
    services: IcebergServices

    def look(self) -> IcebergBase:
        return look(self.services.tables, self.context.target)

    def earlier(self) -> tuple[str, ...]:
        """Those that Iceberg has not expired, and whose schema it has not expired either."""
        base = self.look()
        if base.facts is None:
            return ()
        known = dict.fromkeys(one.marker.version for one in publications(base.facts))
        found = {one: last_of(base.facts, one) for one in known if one != base.version}
        return tuple(
            version
            for version, last in found.items()
            if last is not None and base.facts.columns(last.snapshot.schema_id)
        )

    def restored(
        self,
        version: str,
        level: Atomicity,  # noqa: ARG002 (the interface)
        report: StepReport,
    ) -> "RestoredVersion":
        """An attempt without the model's own properties, which wait for the next build."""
        layout = TableLayout(file_format=self.context.layout.file_format)
        context = replace(self.context, layout=layout)
        return RestoredVersion(context, self.services, report, Kind.ROLLBACK, version)


class RestoredVersion(IcebergVersion):
    """A fork that is set back to an earlier version; it runs no job and writes no data."""

    _snapshot: int | None = None

    def stage_on(self, base: IcebergBase, level: Atomicity) -> None:
        """Fork the base, and set the fork back; NoSuchVersionError if the version has expired."""
        chosen = last_of(base.facts, self._published_as) if base.facts else None
        if chosen is None:
            raise NoSuchVersionError(
                f"version {self._published_as} is gone: Iceberg has expired its snapshots",
                table=self._context.target,
                left="it is unchanged",
            )
        self._snapshot = chosen.snapshot.id
        super().stage_on(base, level)
        _set_back(self.fork(), chosen)

    def change(self, begun: IcebergBase, now: IcebergBase) -> Change:
        """Upkeep that took the snapshot away took its files, too."""
        change = super().change(begun, now)
        kept = now.facts is not None and self._snapshot in now.facts.snapshots
        return Change.WRITTEN if change is Change.MAINTAINED and not kept else change


def _set_back(fork: LoadedTable, chosen: Published) -> None:
    with core_errors("stage an earlier version"):
        builder = fork.builder()
        builder.setCurrentSchema(chosen.snapshot.schema_id)
        builder.setDefaultPartitionSpec(chosen.marker.spec_id)
        builder.setDefaultSortOrder(chosen.marker.sort_order_id)
        builder.setBranchSnapshot(chosen.snapshot.id, MAIN)
        metadata = builder.build()
    fork.commit(metadata)
