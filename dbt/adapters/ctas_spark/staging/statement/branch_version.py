"""A version that is staged in a branch of its Iceberg target, and published by fast-forward.

The branch is the record, and its snapshots' identity that of the publication: main shows them, or
does not. Where others have committed meanwhile, what was staged is copied to a branch of theirs:
that is the only time that rows are written twice.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import (
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.publish import version as outcome
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX, Kind, NativeMarker
from dbt.adapters.ctas_spark.staging.publish.version import Outcome, Reach
from dbt.adapters.ctas_spark.staging.statement import branch as branches
from dbt.adapters.ctas_spark.staging.statement.branch import Snapshot
from dbt.adapters.ctas_spark.staging.statement.calls import core_errors
from dbt.adapters.ctas_spark.staging.statement.seen import SeenBase, lines_now, who_changed
from dbt.adapters.ctas_spark.staging.statement.tables import SqlTables
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport
from dbt.adapters.ctas_spark.staging.storage.client import still_there
from dbt.adapters.ctas_spark.staging.version_id import new_commit_id

logger = logging.getLogger(__name__)

FAST_FORWARD = "fast_forward"
LEFT_MAIN = ("Cannot fast-forward", "Ref does not exist", "CommitFailedException")
"""What Iceberg says where main, or the branch, is not what it was; nothing was committed."""
SPEC, SORT_ORDER, FORK = (PREFIX + key for key in ("spec_id", "sort_order_id", "fork"))
"""What Iceberg's own kind reads in a snapshot's marker besides the common fields."""
UNSORTED = "0"

REACH = Reach(Atomicity.ISOLATED, FAST_FORWARD, conflict_check="cas")


class BranchVersion:
    """What the branch way does of a ``Version``; ``begun`` has a main with a snapshot."""

    def __init__(
        self, context: StagingContext, tables: SqlTables, version: str, begun: SeenBase
    ) -> None:
        self.id = version
        self._context = context
        self._tables = tables
        self._target = context.target
        self._begun = begun
        self._on = begun.lines.main
        self._made: list[str] = []

    @property
    def record(self) -> TableName:
        """The branch, as a table is read."""
        target = self._target
        return TableName(target.database, target.table, target.catalog, self._branch)

    @property
    def places(self) -> str:
        """The branch; its files lie among the table's."""
        return f"the branch {self._branch} of {self._target}" if self._made else ""

    def statement(self, query: str) -> str:
        """Begin the branch at the base; the statement that fills it."""
        self._begin_branch(self._on)
        return branches.replace_rows(self.record, query)

    def check_staged(self) -> WriteFigures:
        """What Iceberg counted; StagingError if the branch was never written to.

        A branch that is gone is said at the commit, which first looks at what became of the table.
        """
        head = lines_now(self._tables, self._target).head(self._branch)
        if head is not None and head.id == self._on:
            what = f"the job has left nothing in {self._branch}"
            raise messages.files_gone(self._target, what, self._unchanged)
        return head.figures if head is not None else WriteFigures()

    def rebase(self, over: SeenBase) -> None:
        """Copy what was staged to a branch of what others have committed.

        Raises:
            ConcurrentWriteError: a DROP took the branch with the table, or the table is not of the
                same shape any more.
        """
        why = self._why_not_on(over)
        if why:
            who = who_changed(self._begun, over)
            what = f"on_conflict: overwrite can't put the staged version over that: {why}"
            raise messages.concurrent_write(self._target, f"{who}; {what}")
        if over.lines.main != self._on:
            self._copy_to(over.lines.main)

    def mark(self, over: SeenBase, level: Atomicity) -> str:
        """Put the marker on the branch, by a snapshot of the same rows."""
        self._head()
        marker = NativeMarker(
            commit=new_commit_id(),
            version=self.id,
            base=over.commit,
            target=str(self._target),
            level=level.value,
            kind=Kind.BUILD,
            time_ms=self._tables.driver.now_ms(),
        )
        own = {SPEC: self._spec_id(), SORT_ORDER: UNSORTED, FORK: self.id}
        with core_errors(f"mark {self._branch}"):
            text = branches.add_nothing(self.record, {**marker.common_values(), **own})
            self._tables.sql(text)
        return marker.commit

    def publish(self) -> None:
        """One call: Iceberg commits it if main is still what the branch began at."""
        with _refusals(), core_errors(f"publish {self._target}"):
            self._tables.sql(branches.fast_forward(self._target, self._branch))

    def decide(
        self, over: SeenBase, after: SeenBase, commit: str, failure: MetastoreError | None
    ) -> Outcome:
        """By main's history: another snapshot in the base's place refuses a call under way."""
        ours = after.lines.has_commit(commit, self._target)
        known = over.lines.main in after.lines.snapshots
        left = known and after.lines.main != over.lines.main
        return outcome.decide(failure, shows_ours=ours, can_not_land=left)

    def discard(self, report: StepReport) -> list[str]:
        """Drop the branches; main does not need them, published or not. What is left."""
        target, drop = self._target, partial(drop_branch, self._tables, self._target)
        removals = (
            (Step.DELETE_RECORD, f"the branch {name} of {target}", partial(drop, name))
            for name in self._made
        )
        return still_there(report, *removals)

    @property
    def _branch(self) -> str:
        return self._made[-1] if self._made else branches.name_of(self.id, 1)

    @property
    def _unchanged(self) -> str:
        return messages.unchanged(self._begun)

    def _copy_to(self, snapshot: int | None) -> None:
        staged, path = self._branch, quoting.table(self._target)
        self._begin_branch(snapshot)
        copied = f"SELECT * FROM {path} VERSION AS OF {quoting.string(staged)}"  # noqa: S608 (quoted)
        with core_errors(f"copy {staged} to {self._branch}"):
            self._tables.sql(branches.replace_rows(self.record, copied))
        self._on = snapshot

    def _why_not_on(self, over: SeenBase) -> str:
        if self._branch not in over.lines.branches:
            return "what was staged in a branch of it is gone"
        if over.shape != self._begun.shape:
            return "its columns, partitioning or properties are others"
        return ""

    def _begin_branch(self, snapshot: int | None) -> None:
        if snapshot is None:
            raise RefusedError(f"{self._target} has no snapshot to begin a branch at")
        name = branches.name_of(self.id, len(self._made) + 1)
        self._made.append(name)
        with core_errors(f"begin the branch {name} of {self._target}"):
            self._tables.sql(branches.create(self._target, name, snapshot))

    def _head(self) -> Snapshot:
        found = lines_now(self._tables, self._target).head(self._branch)
        if found is None:
            raise messages.record_gone(self._target, self.record, self._unchanged)
        return found

    def _spec_id(self) -> str:
        """How the staged files are partitioned, by number; without files it does not matter."""
        path, name = quoting.table(self._target), quoting.string(self._branch)
        with core_errors(f"read the files of {self._branch}"):
            (row,) = self._tables.ask(
                f"SELECT max(spec_id) AS spec FROM {path}.files VERSION AS OF {name}"  # noqa: S608 (quoted)
            )
        return str(row["spec"] or 0)


def drop_branch(tables: SqlTables, target: TableName, name: str) -> None:
    """Drop a branch of ours; nothing where the table is gone."""
    try:
        with core_errors(f"drop the branch {name} of {target}"):
            tables.sql(branches.drop(target, name))
    except EntryMissingError:
        return


@contextmanager
def _refusals() -> Iterator[None]:
    """Iceberg's words for a branch that main can't follow are refusals by name."""
    try:
        yield
    except RefusedError:
        raise
    except MetastoreError as error:
        if any(words in str(error) for words in LEFT_MAIN):
            raise EntryModifiedError(str(error)) from error
        raise
