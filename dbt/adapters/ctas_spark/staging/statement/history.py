"""The publications of a table that a catalog's statement publishes, by the marker on it."""

from datetime import datetime, timezone

from dbt.adapters.ctas_spark.staging.files.records import lease_of
from dbt.adapters.ctas_spark.staging.publish.marker import LineageEntry
from dbt.adapters.ctas_spark.staging.retention.history import Event
from dbt.adapters.ctas_spark.staging.statement.base import StatementBase

LAST = "last published"
"""Not "live": a replace by somebody else may have kept the marker."""
REPLACED = "deleted"


def history(base: StatementBase) -> tuple[Event, ...]:
    """Every build that the lineage still knows, newest first; none but the last is there."""
    entries = base.lineage.entries
    return tuple(
        _event(entry, LAST if entry.commit == base.commit else REPLACED) for entry in entries
    )


def _event(entry: LineageEntry, state: str) -> Event:
    when = datetime.fromtimestamp(entry.time_ms / 1000, tz=timezone.utc)
    return Event(
        version=entry.version,
        time=f"{when:%Y-%m-%d %H:%M:%S}",
        kind=entry.kind.value,
        run=lease_of(entry.version),
        state=state,
        rows=None,
        bytes=None,
        schema_change="",
    )
