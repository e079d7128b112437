"""Publish new rows of an Iceberg table in SQL alone: fast-forward main to the branch they are in.

The snapshots of the branch identify the publication: main shows them, or it does not. If others
have committed meanwhile, the staged rows are copied to a new branch on top of that: only then are
rows written twice.

Source: Iceberg's documentation, "Branching and Tagging", and "Spark Procedures" (fast_forward).
"""

from collections.abc import Sequence
from functools import partial

from .. import quoting
from ..context import Atomicity, StagingContext, levels
from ..errors import EntryModifiedError, MetastoreError, RefusedError
from ..iceberg.branches import ByBranch, change_branches
from ..iceberg.facts import MAIN, Snapshot
from ..publish import messages
from ..publish.marker import PublicationKind, SnapshotMarker, new_commit_id
from ..steps import StepReport
from .base import StatementBase, who_changed
from .tables import SqlTables

OPTION = "snapshot-property."
"""The prefix of write options that end up in the summary of the snapshot."""
LEFT_MAIN = ("Cannot fast-forward", "Ref does not exist", "CommitFailedException")
"""What Iceberg says if main or the branch is not what it was; nothing was committed then."""
UNSORTED = 0


class ByFastForward(ByBranch[StatementBase]):
    """The calls of a ``StatementVersion`` by branch."""

    def __init__(
        self,
        context: StagingContext,
        tables: SqlTables,
        version: str,
        begun: StatementBase,
        columns: Sequence[str],
    ) -> None:
        super().__init__(tables, context.target, version, begun, begun.lines.main)
        self._columns = columns
        self._tables = tables

    def rebase(self, over: StatementBase) -> None:
        """Copy what was staged to a new branch, on top of what others have committed.

        Raises:
            ConcurrentWriteError: a DROP took the branch with the table, or the table has another
                shape now.
        """
        why = ""
        if self._branch not in over.lines.branches:
            why = "the branch that held the staged version is gone"
        elif over.shape != self._begun.shape:
            why = "its columns, partitioning or properties have changed"
        if why:
            who = who_changed(self._begun, over)
            what = f"the staged version can't be put over that: {why}"
            raise messages.concurrent_write(self._target, f"{who}; {what}")
        if over.lines.main != self._at:
            self._copy_to(over.lines.main)

    def mark(self, over: StatementBase, level: Atomicity) -> str:
        """Put the marker on the branch by a snapshot of the same rows; StagingError if it is gone.

        It is that of the kind ``iceberg``, so that sessions with a JVM read it.
        """
        if self._head() is None:
            raise self._gone()
        now_ms = self._tables.driver.now_ms()
        marker = SnapshotMarker(
            commit=new_commit_id(now_ms, self._version),
            version=self._version,
            base=over.commit,
            target=str(self._target),
            level=level.value,
            kind=PublicationKind.BUILD,
            time_ms=now_ms,
            spec_id=self._open_files(),
            sort_order_id=UNSORTED,
            fork=self._version,
        )
        summary = marker.to_summary()
        options = quoting.properties({f"{OPTION}{key}": value for key, value in summary.items()})
        path = quoting.table(self.record)
        nothing = f"INSERT INTO {path} WITH {options} SELECT * FROM {path} WHERE false"  # noqa: S608 (quoted)
        self._tables.run(f"mark {self._branch}", nothing)
        return marker.commit

    def publish(self, over: StatementBase) -> None:  # noqa: ARG002 (the branch knows it)
        """Fast-forward main; Iceberg refuses that if main is no ancestor of the branch.

        After a rollback to a snapshot before the base main is still one: the branch follows it.
        """
        target, branch = self._target, quoting.string(self._branch)
        # with the catalog: a schema may be named like another one
        path = (target.catalog, *levels(target.catalog, target.database), target.table)
        table = quoting.string(".".join(map(quoting.identifier, path)))
        call = (
            f"CALL {quoting.identifier(target.catalog)}.system.fast_forward("
            f"table => {table}, branch => {quoting.string(MAIN)}, to => {branch})"
        )
        try:
            self._tables.run(f"publish {target}", call)
        except RefusedError:
            raise
        except MetastoreError as error:
            if any(words in str(error) for words in LEFT_MAIN):
                raise EntryModifiedError(str(error)) from error
            raise

    def can_not_land(self, over: StatementBase, after: StatementBase) -> bool:
        """True if main is no ancestor of the base, so that Iceberg refuses a call under way."""
        main, lines = over.lines.main, after.lines
        return main in lines.snapshots and lines.main not in {
            one.id for one in lines.ancestors(main)
        }

    def settle(self, report: StepReport) -> list[str]:
        """What main shows is not needed any more under another name."""
        return self.discard(report)

    def _create(self, branch: str, at: int) -> None:
        statement = (
            f"ALTER TABLE {quoting.table(self._target)} CREATE BRANCH {quoting.identifier(branch)} "
            f"AS OF VERSION {at}"
        )
        action = f"begin the branch {branch} of {self._target}"
        change_branches(partial(self._tables.run, action, statement))

    def _head(self) -> Snapshot | None:
        """The session's cache may know a table that is gone until it is refreshed."""
        there = self._tables.exists(self._target)
        return self._tables.lines(self._target).head(self._branch) if there else None

    def _copy_to(self, snapshot: int | None) -> None:
        staged, path, self._at = self._branch, quoting.table(self._target), snapshot
        self.begin()
        rows = f"SELECT * FROM {path} VERSION AS OF {quoting.string(staged)}"  # noqa: S608 (quoted)
        self._tables.run(f"copy {staged} to {self._branch}", self._replace_rows(rows))
