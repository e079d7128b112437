"""Publish new rows of an Iceberg table: stage them in a branch of it, then show it as main.

The branch is the record. It shares nothing with main that a commit on it could harm, and main needs
nothing of it before the call, nor after that: its snapshot is main's own then.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from ..context import Atomicity, StagingContext, TableName
from ..engines.protocol import WriteFigures
from ..errors import MetastoreError, StagingError
from ..publish import messages
from ..publish.marker import Kind, SnapshotMarker
from ..publish.version import Reach, before_the_call
from ..steps import Step, StepReport
from ..storage.client import still_there
from . import branches, rows_only
from .base import IcebergBase, who_changed
from .difference import name_what_was_seen, set_properties, with_schema
from .facts import MAIN, Rules
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


class ByBranch:
    """The calls of an ``IcebergVersion`` by branch; ``begun`` is the base that begin saw."""

    def __init__(
        self,
        context: StagingContext,
        services: IcebergServices,
        version: str,
        begun: IcebergBase,
        origin: Origin,
    ) -> None:
        self._target = context.target
        self._services = services
        self._version = version
        self._begun = begun
        self._origin = origin
        self._branch = f"{branches.PREFIX}{version}"
        self._staged: int | None = None
        self._figures = WriteFigures()
        self._summary: dict[str, str] = {}

    @property
    def record(self) -> TableName:
        """The branch, under the name by which it is read."""
        target = self._target
        return TableName(target.database, target.table, target.catalog, self._branch)

    @property
    def places(self) -> str:
        """The branch; its files are among those of the table."""
        return f"the branch {self._branch} of {self._target}"

    def reach(self, over: IcebergBase) -> Reach:  # noqa: ARG002 (over every base)
        return branches.REACH

    def begin(self) -> None:
        """Create the branch."""
        if self._begun.table is not None:
            self._begun.table.begin_branch(self._branch, self._origin.at)
            self._services.tables.forget(self._target)

    def statement(self, query: str) -> str:
        """Create the branch; return the statement that fills it."""
        self.begin()
        columns = rows_only.columns_of(self._begun.facts.schema) if self._begun.facts else ()
        return branches.replace_rows(self.record, query, [one.name for one in columns])

    def check_staged(self) -> WriteFigures:
        """What Iceberg counted; StagingError if the job has never written to the branch.

        A missing branch is an error of the commit, which first looks at what became of the table.
        """
        if self._staged is None:
            table = self._services.tables.find(self._target)
            head = table.facts.head(self._branch) if table else None
            if head is not None and head.id == self._origin.at and not self._origin.restored:
                raise self._not_whole(f"the job has left nothing in {self._branch}")
            if head is not None and head.schema_id != self._origin.rules.schema:
                who = "its columns were others while the model's query ran"
                raise messages.concurrent_write(self._target, who)
            if head is not None:
                self._staged, self._figures = head.id, head.figures
        return self._figures

    def rebase(self, over: IcebergBase) -> None:
        """Nothing is written: the branch goes over whatever is in its own table.

        Raises:
            ConcurrentWriteError: a DROP took the branch with the table.
        """
        begun = self._begun.facts
        if over.facts is None or begun is None or over.facts.uuid != begun.uuid:
            who = who_changed(self._begun, over)
            what = f"{who}; what was staged in a branch of it is gone"
            raise messages.concurrent_write(self._target, what)

    def mark(self, over: IcebergBase, level: Atomicity) -> str:
        """Make the marker that the call puts on main; StagingError if the branch is not whole."""
        head = over.facts.head(self._branch) if over.facts else None
        if head is None:
            raise messages.record_gone(self._target, self.record, messages.unchanged(self._begun))
        if head.id != self._staged:
            raise self._not_whole(f"another has written to {self._branch}")
        try:
            branches.open_files(self._services.tables.run, self.record)
        except MetastoreError as error:
            raise self._not_whole(error.what) from error
        marker = self._marker(over, level)
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

    def discard(self, report: StepReport) -> list[str]:
        """Drop the branch, which main does not need; return what is left."""
        drop = partial(self._services.tables.drop_branch, self._target, self._branch)
        return still_there(report, (Step.DELETE_RECORD, self.places, drop))

    def _marker(self, over: IcebergBase, level: Atomicity) -> SnapshotMarker:
        return over.next_marker(
            self._origin.rules,
            Kind.ROLLBACK if self._origin.restored else Kind.BUILD,
            self._services.clock.wall_ms(),
            version=self._origin.restored or self._version,
            target=str(self._target),
            level=level.value,
            fork=self._version,
        )

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

    def _not_whole(self, what: str) -> StagingError:
        return messages.files_gone(self._target, what, messages.unchanged(self._begun))
