"""The publications of a Delta table, out of the table's own history."""

from datetime import datetime, timezone

from dbt.adapters.ctas_spark.staging.delta.publications import Published
from dbt.adapters.ctas_spark.staging.files.records import lease_of
from dbt.adapters.ctas_spark.staging.retention.history import Event

KEPT = "kept"
LIVE = "live"


def events(published: tuple[Published, ...], live: str | None) -> tuple[Event, ...]:
    """Every build and rollback that Delta's log still has, newest first.

    Args:
        live: the version that the table shows; None if it shows another's.
    """
    return tuple(
        _event(one, LIVE if at == 0 and one.marker.version == live else KEPT)
        for at, one in enumerate(published)
    )


def _event(one: Published, state: str) -> Event:
    marker = one.marker
    when = datetime.fromtimestamp(marker.time_ms / 1000, tz=timezone.utc)
    return Event(
        version=marker.version,
        time=f"{when:%Y-%m-%d %H:%M:%S}",
        kind=marker.kind.value,
        run=lease_of(marker.version),
        state=state,
        rows=marker.rows,
        bytes=marker.bytes,
        schema_change="",
    )
