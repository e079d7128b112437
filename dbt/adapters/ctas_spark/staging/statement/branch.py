"""A branch of an Iceberg table in SQL: its statements, and what the table's metadata tables tell.

Source: Iceberg's documentation, "Branching and Tagging", and "Spark Procedures" (fast_forward).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.publish.marker import COMMIT, TARGET
from dbt.adapters.ctas_spark.staging.version_id import VERSION_ID

MAIN = "main"
PREFIX = "ctas_"
OURS = re.compile(rf"{PREFIX}({VERSION_ID.pattern})(_\d+)?")
OPTION = "snapshot-property."
"""What a write option begins with that goes to the summary of its snapshot."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot; ``time_ms`` is its writer's clock."""

    id: int
    parent: int | None
    operation: str
    time_ms: int
    summary: Mapping[str, str]

    @property
    def figures(self) -> WriteFigures:
        """All rows, files and bytes that it shows; None where its writer counted none."""
        return WriteFigures.of_summary(self.summary)


@dataclass(frozen=True, slots=True)
class Lines:
    """A table's history at one moment: its branches' heads, its snapshots, and main's log."""

    branches: Mapping[str, int] = field(default_factory=dict)
    snapshots: Mapping[int, Snapshot] = field(default_factory=dict)
    log: tuple[int, ...] = ()

    @property
    def main(self) -> int | None:
        """The snapshot that readers get; None for a table that never had one."""
        return self.branches.get(MAIN)

    @property
    def ours(self) -> Mapping[str, str]:
        """The version of each branch that one of ours was staged in."""
        found = ((name, OURS.fullmatch(name)) for name in self.branches)
        return {name: match.group(1) for name, match in found if match is not None}

    def ancestors(self, snapshot: int | None) -> Iterator[Snapshot]:
        """A snapshot and those that it was made from, as far as they are kept."""
        while snapshot is not None and snapshot in self.snapshots:
            found = self.snapshots[snapshot]
            yield found
            snapshot = found.parent

    def head(self, branch: str) -> Snapshot | None:
        """The branch's last snapshot."""
        found = self.branches.get(branch)
        return self.snapshots.get(found) if found is not None else None

    def published(self, target: TableName) -> tuple[Snapshot, ...]:
        """What main was given by this adapter in branches or forks, newest first."""
        shown = {one.id: one for one in self.ancestors(self.main)}
        shown |= {one: self.snapshots[one] for one in self.log if one in self.snapshots}
        ours = (one for one in shown.values() if one.summary.get(TARGET) == str(target))
        return tuple(sorted(ours, key=lambda one: one.time_ms, reverse=True))

    def live(self, target: TableName) -> Snapshot | None:
        """The publication that main comes from, if its marker is in the history."""
        ancestors = self.ancestors(self.main)
        ours = (one for one in ancestors if one.summary.get(TARGET) == str(target))
        return next(ours, None)

    def has_commit(self, commit: str, target: TableName) -> bool:
        """True if main shows the publication, or has shown it."""
        return any(one.summary.get(COMMIT) == commit for one in self.published(target))

    def was_only_rewritten_since(self, snapshot: int | None) -> bool:
        """True if main has the rows of that snapshot: what came on top moved them, no more."""
        for one in self.ancestors(self.main):
            if one.id == snapshot:
                return True
            if one.operation != "replace":
                return False
        return False


def name_of(version: str, attempt: int) -> str:
    """The branch of a version; a later attempt is staged on what others have committed."""
    return f"{PREFIX}{version}" + (f"_{attempt}" if attempt > 1 else "")


def create(target: TableName, branch: str, snapshot: int) -> str:
    """Begin a branch at a snapshot."""
    name = quoting.identifier(branch)
    return f"ALTER TABLE {quoting.table(target)} CREATE BRANCH {name} AS OF VERSION {snapshot}"


def drop(target: TableName, branch: str) -> str:
    """Forget a branch: what only it shows goes when Iceberg expires snapshots."""
    name = quoting.identifier(branch)
    return f"ALTER TABLE {quoting.table(target)} DROP BRANCH IF EXISTS {name}"


def replace_rows(record: TableName, query: str) -> str:
    """Replace every row, whatever the session says of partitions that are overwritten."""
    return f"INSERT INTO {quoting.table(record)} REPLACE WHERE true\n{query}"


def add_nothing(record: TableName, summary: Mapping[str, str]) -> str:
    """One more snapshot of the same rows, with more in its summary."""
    path = quoting.table(record)
    options = quoting.properties({f"{OPTION}{key}": value for key, value in summary.items()})
    return f"INSERT INTO {path} WITH {options} SELECT * FROM {path} WHERE false"  # noqa: S608 (quoted)


def fast_forward(target: TableName, branch: str) -> str:
    """Let main show what the branch shows; refused if main has gone another way since."""
    table = quoting.string(".".join(map(quoting.identifier, (target.database, target.table))))
    return (
        f"CALL {quoting.identifier(target.catalog)}.system.fast_forward("
        f"table => {table}, branch => {quoting.string(MAIN)}, to => {quoting.string(branch)})"
    )


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


def _snapshot(row: Mapping[str, Any]) -> Snapshot:
    return Snapshot(
        id=int(row["id"]),
        parent=None if row["parent"] is None else int(row["parent"]),
        operation=str(row["operation"]),
        time_ms=int(row["ms"]),
        summary=json.loads(row["summary"] or "{}"),
    )
