"""A table's snapshots and publications, by Iceberg's metadata tables and our markers."""

import heapq
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from .. import quoting
from ..context import TableName
from ..engines.protocol import WriteFigures
from ..publish.marker import COMMIT, KIND, TARGET, TIME, VERSION, Kind, Lineage
from ..retention.rules import Event, time_text

MAIN = "main"
LAST, KEPT, REPLACED = "last published", "kept", "deleted"
"""Not "live": a replace by somebody else may have kept the marker."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot; ``time_ms`` is the time of its publication, or its writer's clock."""

    id: int
    parent: int | None
    operation: str
    time_ms: int
    summary: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Lines:
    """A table's history at one moment: the heads of branches, all snapshots, and main's log."""

    branches: Mapping[str, int] = field(default_factory=dict)
    snapshots: Mapping[int, Snapshot] = field(default_factory=dict)
    log: tuple[int, ...] = ()

    @property
    def main(self) -> int | None:
        """The snapshot that readers get; None for a table that never had one."""
        return self.branches.get(MAIN)

    def head(self, branch: str) -> Snapshot | None:
        """The branch's last snapshot."""
        return self.snapshots.get(self.branches.get(branch, 0))

    def ancestors(self, snapshot: int | None) -> Iterator[Snapshot]:
        """A snapshot and those that it was made from, as far as they are kept."""
        while snapshot is not None and snapshot in self.snapshots:
            found = self.snapshots[snapshot]
            yield found
            snapshot = found.parent

    def published(self, target: TableName) -> tuple[Snapshot, ...]:
        """The snapshots that this adapter gave to main, from branches or forks, newest first."""
        shown = {one.id: one for one in self.ancestors(self.main)}
        shown |= {one: self.snapshots[one] for one in self.log if one in self.snapshots}
        ours = (one for one in shown.values() if one.summary.get(TARGET) == str(target))
        return tuple(sorted(ours, key=lambda one: one.time_ms, reverse=True))

    def live(self, target: TableName) -> Snapshot | None:
        """The publication that main comes from, if its marker is in the history."""
        ancestors = self.ancestors(self.main)
        return next((one for one in ancestors if one.summary.get(TARGET) == str(target)), None)

    def has_commit(self, commit: str, target: TableName) -> bool:
        """True if main shows the publication, or has shown it."""
        return any(one.summary.get(COMMIT) == commit for one in self.published(target))

    def was_only_rewritten_since(self, snapshot: int | None) -> bool:
        """True if main has the rows of that snapshot: all commits since then only moved them."""
        for one in self.ancestors(self.main):
            if one.id == snapshot:
                return True
            if one.operation != "replace":
                return False
        return False


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


def lines_of(rows: Sequence[Mapping[str, Any]]) -> Lines:
    """What the rows of ``lines_query`` say."""
    log = sorted((int(row["ms"]), int(row["id"])) for row in rows if row["what"] == "log")
    snapshots = (_snapshot(row) for row in rows if row["what"] == "snapshot")
    return Lines(
        {str(row["name"]): int(row["id"]) for row in rows if row["what"] == "branch"},
        {one.id: one for one in snapshots},
        tuple(snapshot for _, snapshot in log),
    )


def events(lines: Lines, target: TableName, lineage: Lineage) -> Iterator[Event]:
    """Every publication that snapshots or the marker still tell of, newest first.

    The rows that a statement replaced are gone; those of a snapshot are kept until it expires.
    """
    branched = (
        (one.time_ms, [one.summary.get(key, "") for key in (VERSION, COMMIT, KIND)], one.summary)
        for one in lines.published(target)
        if one.summary.get(KIND) != Kind.FENCE.value
    )
    copied = (
        (one.time_ms, [one.version, one.commit, one.kind.value], None) for one in lineage.entries
    )
    found = heapq.merge(branched, copied, key=itemgetter(0), reverse=True)
    for place, (time_ms, (version, commit, kind), summary) in enumerate(found):
        state = LAST if place == 0 else REPLACED if summary is None else KEPT
        counted = WriteFigures.of_summary(summary or {})
        when = time_text(time_ms)
        yield Event(version, commit, when, kind, state, counted.rows, counted.bytes, "")


def _snapshot(row: Mapping[str, Any]) -> Snapshot:
    summary = json.loads(row["summary"] or "{}")
    return Snapshot(
        id=int(row["id"]),
        parent=None if row["parent"] is None else int(row["parent"]),
        operation=str(row["operation"]),
        time_ms=int(summary.get(TIME, row["ms"])),
        summary=summary,
    )
