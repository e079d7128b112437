"""Earlier versions of an Iceberg table: each can be published again, with its schema.

Iceberg's ``rollback_to_snapshot`` refuses what a replace came after, and ``set_current_snapshot``
keeps the new schema, under which old rows read as nulls. So the version is staged on a fork like a
build, and published by the same conditional commit.
"""

from dataclasses import dataclass, replace

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableLayout
from dbt.adapters.ctas_spark.staging.errors import NoSuchVersionError
from dbt.adapters.ctas_spark.staging.iceberg.base import IcebergBase, look
from dbt.adapters.ctas_spark.staging.iceberg.facts import MAIN
from dbt.adapters.ctas_spark.staging.iceberg.publications import Published, last_of, publications
from dbt.adapters.ctas_spark.staging.iceberg.tables import (
    IcebergServices,
    LoadedTable,
    core_errors,
)
from dbt.adapters.ctas_spark.staging.iceberg.version import IcebergVersion
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from dbt.adapters.ctas_spark.staging.publish.version import Change
from dbt.adapters.ctas_spark.staging.steps import StepReport


@dataclass(frozen=True, slots=True)
class IcebergRestoring:
    """The ``Restoring`` of one Iceberg table."""

    context: StagingContext
    services: IcebergServices

    def look(self) -> IcebergBase:
        return look(self.services.tables, self.context.target)

    def earlier(self) -> tuple[str, ...]:
        """Those that Iceberg has not expired, with their schemas."""
        base = self.look()
        if base.facts is None:
            return ()
        known = dict.fromkeys(one.marker.version for one in publications(base.facts))
        found = {one: last_of(base.facts, one) for one in known if one not in ("", base.version)}
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
        return RestoredVersion(replace(self.context, layout=layout), self.services, report, version)


class RestoredVersion(IcebergVersion):
    """A fork that is set back to an earlier version; it runs no job and writes no data."""

    def __init__(
        self, context: StagingContext, services: IcebergServices, report: StepReport, version: str
    ) -> None:
        super().__init__(context, services, report, Kind.ROLLBACK, version)
        self._snapshot: int | None = None

    def stage_on(self, base: IcebergBase, level: Atomicity) -> None:
        """Fork the base, and set the fork back.

        Raises:
            NoSuchVersionError: Iceberg has expired the version since it was chosen.
        """
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
