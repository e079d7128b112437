"""The publications of an Iceberg table, out of the table's own history."""

from datetime import datetime, timezone

from dbt.adapters.ctas_spark.staging.files.records import lease_of
from dbt.adapters.ctas_spark.staging.files.schema import change_of
from dbt.adapters.ctas_spark.staging.iceberg.facts import TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.figures import figures_of
from dbt.adapters.ctas_spark.staging.iceberg.publications import Published, live, publications
from dbt.adapters.ctas_spark.staging.retention.history import Event


def history(table: TableFacts) -> tuple[Event, ...]:
    """Every build and rollback that Iceberg has not expired, newest first."""
    shown = [one for one in publications(table) if not one.marker.kind.keeps_the_version]
    now = live(table)
    version = now.marker.version if now else None
    before: list[Published | None] = [*shown[1:], None][: len(shown)]
    return tuple(_event(table, one, old, version) for one, old in zip(shown, before, strict=True))


def _event(
    table: TableFacts, one: Published, before: Published | None, live_version: str | None
) -> Event:
    when = datetime.fromtimestamp(one.marker.time_ms / 1000, tz=timezone.utc)
    columns = table.columns(one.snapshot.schema_id)
    counted = figures_of(one.snapshot)
    return Event(
        version=one.marker.version,
        time=f"{when:%Y-%m-%d %H:%M:%S}",
        kind=one.marker.kind.value,
        run=lease_of(one.marker.version),
        state="live" if one.marker.version == live_version else "kept",
        rows=counted.rows,
        bytes=counted.bytes,
        schema_change=(
            change_of(table.columns(before.snapshot.schema_id), columns) if before else ""
        ),
    )
