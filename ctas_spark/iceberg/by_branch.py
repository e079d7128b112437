"""Publish new rows of an Iceberg table: show the branch that they are staged in as main."""

from dataclasses import dataclass
from typing import Any

from ..context import Atomicity, StagingContext
from ..publish import messages
from ..publish.marker import PublicationKind
from ..publish.version import Reach, before_the_call
from ..steps import StepReport
from . import branches, rows_only
from .base import IcebergBase, who_changed
from .difference import name_what_was_seen, set_properties, with_schema
from .facts import MAIN, Rules, Snapshot
from .loaded import LoadedTable, core_errors
from .tables import IcebergServices


@dataclass(frozen=True, slots=True)
class Origin:
    """The snapshot at which a branch begins, and the rules of its rows.

    ``restored`` is the earlier version that a rollback publishes by it.
    """

    at: int
    rules: Rules
    restored: str | None = None


class ByMetadata(branches.ByBranch[IcebergBase]):
    """The calls of an ``IcebergVersion`` by branch: one commit of the table's metadata."""

    def __init__(
        self,
        context: StagingContext,
        services: IcebergServices,
        version: str,
        begun: IcebergBase,
        origin: Origin,
    ) -> None:
        super().__init__(services.tables, context.target, version, begun, origin.at)
        known = rows_only.columns_of(begun.facts.schema) if begun.facts else ()
        self._columns = [one.name for one in known]
        self._runs_job = not origin.restored
        self._services = services
        self._origin = origin
        self._summary: dict[str, str] = {}

    def reach(self, over: IcebergBase) -> Reach:  # noqa: ARG002 (over every base)
        return branches.REACH

    def rebase(self, over: IcebergBase) -> None:
        """Nothing is written: the branch goes over whatever is in its own table.

        Raises:
            ConcurrentWriteError: a DROP took the branch with the table.
        """
        begun = self._begun.facts
        if over.facts is None or begun is None or over.facts.uuid != begun.uuid:
            who = who_changed(self._begun, over)
            what = f"{who}; the branch that held the staged version is gone"
            raise messages.concurrent_write(self._target, what)

    def mark(self, over: IcebergBase, level: Atomicity) -> str:
        """Make the marker that the call puts on main; StagingError if the branch is not whole."""
        head = over.facts.head(self._branch) if over.facts else None
        if head is None:
            raise self._gone()
        if self._staged is None or head.id != self._staged.id:
            raise self._not_whole(f"another has written to {self._branch}")
        self._open_files()
        marker = over.next_marker(
            self._origin.rules,
            PublicationKind.ROLLBACK if self._origin.restored else PublicationKind.BUILD,
            self._services.clock.wall_ms(),
            version=self._origin.restored or self._version,
            target=str(self._target),
            level=level.value,
            fork=self._version,
        )
        self._summary = marker.to_summary()
        return marker.commit

    def publish(self, over: IcebergBase) -> None:
        """Show the branch as main, with the rules of its rows, and forget it, in one commit.

        It expects the table as it was looked at, and the branch in it.
        """
        if over.table is None:
            raise RuntimeError(f"there is no branch without {self._target}")
        with before_the_call():
            metadata = self._metadata(over.table)
        over.table.commit(metadata)

    def settle(self, report: StepReport) -> list[str]:  # noqa: ARG002 (the way of a fork)
        """Nothing is left: the call has forgotten the branch."""
        return []

    def _create(self, branch: str, at: int) -> None:
        if self._begun.table is not None:
            self._begun.table.begin_branch(branch, at)
            self._services.tables.forget(self._target)

    def _check(self, head: Snapshot) -> None:
        if head.schema_id != self._origin.rules.schema:
            who = "its columns changed while the model's query ran"
            raise messages.concurrent_write(self._target, who)

    def _metadata(self, over: LoadedTable) -> Any:
        """A REST server compares what a commit names: the branch is named before it is removed."""
        rules = self._origin.rules
        with core_errors("put the staged version on the table"):
            marked = over.snapshot_on(self._branch, self._summary)
            if over.facts.rules.schema != rules.schema:
                marked = with_schema(over, marked, rules.schema)
            builder = over.builder()
            name_what_was_seen(builder, over)
            builder.setCurrentSchema(rules.schema)
            builder.setDefaultPartitionSpec(rules.spec)
            builder.setDefaultSortOrder(rules.sort_order)
            if self._begun.facts is not None:
                set_properties(builder, over, self._begun.facts.properties)
            builder.setBranchSnapshot(marked, MAIN)
            builder.setBranchSnapshot(marked.snapshotId(), self._branch)
            builder.removeRef(self._branch)
            return builder.build()
