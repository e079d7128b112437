"""A table's snapshots and publications, by Iceberg's metadata tables and our markers."""

import heapq
import json
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from .. import quoting
from ..clock import time_text
from ..context import TableName
from ..engines.protocol import WriteFigures
from ..iceberg.facts import Snapshot, TableFacts
from ..publish.marker import TIME, Lineage, LineageEntry, SnapshotMarker
from ..retention.rules import Event

LAST, KEPT, REPLACED = "last published", "kept", "deleted"
"""Not "live": a replace by somebody else may have kept the marker."""
WHAT = ("branch", "log", "snapshot")
"""What each row of ``lines_query`` is."""


Published = tuple[int, SnapshotMarker | LineageEntry, WriteFigures | None]


def published(history: TableFacts, target: TableName) -> tuple[Snapshot, ...]:
    """The snapshots that this adapter gave to main, from branches or forks, newest first."""
    shown = {one.id: one for one in history.ancestors(history.main)}
    shown |= {one: history.snapshots[one] for one in history.log if one in history.snapshots}
    marked = ((one, one.marker) for one in shown.values())
    ours = (one for one, marker in marked if marker and marker.target == str(target))
    return tuple(sorted(ours, key=lambda one: one.time_ms, reverse=True))


def lines_query(target: TableName) -> str:
    """Branches, log and snapshots by one query; each row is one of them."""
    path = quoting.table(target)
    nothing = "NULL AS parent, NULL AS operation, NULL AS summary"
    return (
        f"SELECT 'branch' AS what, name, snapshot_id AS id, NULL AS ms, {nothing} "  # noqa: S608 (quoted)
        f"FROM {path}.refs WHERE type = 'BRANCH' UNION ALL "
        "SELECT 'log', NULL, snapshot_id, unix_millis(made_current_at), NULL, NULL, NULL "
        f"FROM {path}.history UNION ALL "
        "SELECT 'snapshot', NULL, snapshot_id, unix_millis(committed_at), parent_id, operation, "
        f"to_json(summary) FROM {path}.snapshots"
    )


def facts_of(rows: Sequence[Mapping[str, Any]]) -> TableFacts:
    """What the rows of ``lines_query`` say, as the table's metadata says it."""
    said = {what: [row for row in rows if row["what"] == what] for what in WHAT}
    log = sorted((int(row["ms"]), int(row["id"])) for row in said["log"])
    document = {
        "refs": {str(row["name"]): {"snapshot-id": row["id"]} for row in said["branch"]},
        "snapshots": [_snapshot(row) for row in said["snapshot"]],
        "snapshot-log": [{"snapshot-id": snapshot} for _, snapshot in log],
    }
    return TableFacts(document, "")


def events(history: TableFacts, target: TableName, lineage: Lineage) -> Iterator[Event]:
    """Every publication that snapshots or the marker still tell of, newest first.

    The rows that a statement replaced are gone; those of a snapshot are kept until it expires.
    """
    branched: Iterator[Published] = (
        (one.time_ms, one.published, one.figures)
        for one in published(history, target)
        if one.published is not None
    )
    copied: Iterator[Published] = ((one.time_ms, one, None) for one in lineage.entries)
    found = heapq.merge(branched, copied, key=itemgetter(0), reverse=True)
    for place, (time_ms, marker, figures) in enumerate(found):
        state = LAST if place == 0 else REPLACED if figures is None else KEPT
        rows, size = (figures.rows, figures.bytes) if figures else (None, None)
        kind, when = marker.kind.value, time_text(time_ms)
        yield Event(marker.version, marker.commit, when, kind, state, rows, size, "")


def _snapshot(row: Mapping[str, Any]) -> dict[str, Any]:
    """As the metadata has it, but with the time of its publication."""
    summary = json.loads(row["summary"] or "{}")
    return {
        "snapshot-id": row["id"],
        "parent-snapshot-id": row["parent"],
        "timestamp-ms": summary.get(TIME, row["ms"]),
        "summary": {**summary, "operation": row["operation"]},
    }
