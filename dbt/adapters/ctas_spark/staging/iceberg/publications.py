"""Which publications a table's own history shows; the markers stand in snapshots' summaries."""

from collections.abc import Mapping
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.iceberg.facts import Snapshot, TableFacts
from dbt.adapters.ctas_spark.staging.publish.marker import (
    COMMIT,
    PREFIX,
    NativeMarker,
    common_fields,
)
from dbt.adapters.ctas_spark.staging.retention.rules import Event, change_of, time_text

SPEC = PREFIX + "spec_id"
SORT_ORDER = PREFIX + "sort_order_id"
FORK = PREFIX + "fork"


@dataclass(frozen=True, slots=True)
class SnapshotMarker(NativeMarker):
    """What a published snapshot's summary says of its publication.

    ``spec_id`` and ``sort_order_id`` are the table's from this publication on; ``fork`` is the
    version id of the fork that it was staged on, or empty for a fence.
    """

    spec_id: int
    sort_order_id: int
    fork: str

    def to_summary(self) -> dict[str, str]:
        """The marker as keys of a summary."""
        own = {SPEC: str(self.spec_id), SORT_ORDER: str(self.sort_order_id), FORK: self.fork}
        return {**self.common_values(), **own}

    @classmethod
    def of(cls, summary: Mapping[str, str]) -> "SnapshotMarker | None":
        """A snapshot's marker, if it has a whole one."""
        try:
            return cls(
                **common_fields(summary),
                spec_id=int(summary[SPEC]),
                sort_order_id=int(summary[SORT_ORDER]),
                fork=summary[FORK],
            )
        except (KeyError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class Published:
    """A publication that Iceberg's history still has."""

    marker: SnapshotMarker
    snapshot: Snapshot


def publications(table: TableFacts) -> tuple[Published, ...]:
    """What ``main`` was given by this adapter, newest first; fences are among them."""
    shown = dict.fromkeys(reversed(table.log))
    found = (table.snapshots[one] for one in shown if one in table.snapshots)
    read = ((SnapshotMarker.of(one.summary), one) for one in found)
    return tuple(Published(marker, one) for marker, one in read if marker is not None)


def live(table: TableFacts) -> SnapshotMarker | None:
    """The publication that ``main`` comes from; None if another's replace took its place."""
    found = (SnapshotMarker.of(one.summary) for one in table.ancestors(table.main))
    return next((marker for marker in found if marker is not None), None)


def has_commit(table: TableFacts, commit: str) -> bool:
    """True if the publication is in the history, be it superseded by now."""
    return any(one.summary.get(COMMIT) == commit for one in table.snapshots.values())


def last_of(table: TableFacts, version: str) -> Published | None:
    """The last state of a version: its snapshot, or what users' own writes made of that since.

    None if it was never published, or if Iceberg has expired it.
    """
    for newest in publications(table):
        if newest.marker.version == version and not newest.marker.kind.keeps_the_version:
            return Published(newest.marker, _last_state(table, newest.snapshot))
    return None


def _last_state(table: TableFacts, published: Snapshot) -> Snapshot:
    last = published
    for later in table.log[table.log.index(published.id) + 1 :]:
        if later not in table.snapshots:
            continue
        if published.id not in {one.id for one in table.ancestors(later)}:
            break
        marker = SnapshotMarker.of(table.snapshots[later].summary)
        if marker is not None and not marker.kind.keeps_the_version:
            break
        last = table.snapshots[later]
    return last


def history(table: TableFacts) -> tuple[Event, ...]:
    """Every build and rollback that Iceberg has not expired, newest first."""
    shown = [one for one in publications(table) if not one.marker.kind.keeps_the_version]
    now = live(table)
    version = now.version if now else None
    before: list[Published | None] = [*shown[1:], None][: len(shown)]
    return tuple(_event(table, one, old, version) for one, old in zip(shown, before, strict=True))


def _event(
    table: TableFacts, one: Published, before: Published | None, live_version: str | None
) -> Event:
    columns = table.columns(one.snapshot.schema_id)
    counted = one.snapshot.figures
    return Event(
        version=one.marker.version,
        time=time_text(one.marker.time_ms),
        kind=one.marker.kind.value,
        state="live" if one.marker.version == live_version else "kept",
        rows=counted.rows,
        bytes=counted.bytes,
        schema_change=(
            change_of(table.columns(before.snapshot.schema_id), columns) if before else ""
        ),
    )
