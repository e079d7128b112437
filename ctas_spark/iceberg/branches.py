"""Our branches of an Iceberg table: what is staged in one, and what becomes of those that are left.

A branch shares nothing with main that a commit on it could harm. Main needs nothing of it before
it is published, nor after that: its snapshots are main's own then.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, cast

from .. import quoting
from ..context import Atomicity, TableName
from ..engines.protocol import WriteFigures
from ..errors import EntryModifiedError, MetastoreError, RefusedError, StagingError
from ..publish import messages
from ..publish.catalog import without
from ..publish.marker import VERSION_ID, started_ms
from ..publish.version import B, Reach
from ..retention.clean_up import Garbage
from ..retention.rules import KnownVersion, Place
from ..steps import Step, StepReport
from ..storage.client import still_there
from .facts import Snapshot, TableFacts

PREFIX = "ctas_"
OURS = re.compile(rf"{PREFIX}({VERSION_ID.pattern})(_\d+)?")
"""The names of our branches: the version's id, and the number of a later attempt."""
REACH = Reach(Atomicity.ISOLATED, "fast_forward", conflict_check="cas")
MOST_TRIES = 100


def with_branches(
    tables: "BranchedTables", database: str, known: Collection[TableName]
) -> Iterator[TableName]:
    """The tables of a database, but for known ones, in which a branch of ours was left."""
    for name in without(tables.tables(database), known) if tables.has_namespace(database) else ():
        if any(map(OURS.fullmatch, tables.history(name).branches)):
            yield name


class BranchedTables(Protocol):
    """A catalog's tables, by SQL or through Java; every call raises MetastoreError."""

    def history(self, name: TableName) -> TableFacts:
        """The table's branches and snapshots now; an empty history without an Iceberg table."""

    def drop_branch(self, name: TableName, branch: str) -> None:
        """Drop a branch, if it is there; its snapshots go when Iceberg expires them."""

    def has_namespace(self, namespace: str) -> bool:
        """True if the namespace is there."""

    def tables(self, namespace: str) -> tuple[TableName, ...]:
        """The tables of a namespace."""

    def run(self, action: str, statement: str, /) -> Sequence[Mapping[str, Any]]:
        """The rows of a statement; ``action`` completes "could not" in the error."""


class ByBranch(Generic[B]):
    """Stages new rows of a table in a branch of it, which is the version's record, too.

    How a branch is begun, marked and shown as main differs between a session with Iceberg's Java
    objects and one with SQL alone. ``at`` is the snapshot at which it begins, and ``begun`` the
    base that begin saw.
    """

    _columns: Sequence[str] = ()
    """Those of the table, which the version's query has to have."""
    _runs_job = True

    def __init__(
        self, tables: BranchedTables, target: TableName, version: str, begun: B, at: int | None
    ) -> None:
        self._branches = tables
        self._target = target
        self._version = version
        self._begun = begun
        self._at = at
        self._made: list[str] = []
        self._staged: Snapshot | None = None

    @property
    def record(self) -> TableName:
        """The branch, under the name by which it is read."""
        target = self._target
        return TableName(target.database, target.table, target.catalog, self._branch)

    @property
    def places(self) -> str:
        """The branch; its files are among those of the table."""
        return f"the branch {self._branch} of {self._target}" if self._made else ""

    def begin(self) -> None:
        """Create the next branch: each attempt has one, on top of what it found."""
        if self._at is None:
            raise RefusedError(f"{self._target} has no snapshot to begin a branch at")
        number = len(self._made) + 1
        self._made.append(f"{PREFIX}{self._version}" + (f"_{number}" if number > 1 else ""))
        self._create(self._branch, self._at)

    def statement(self, query: str) -> str:
        """Create the branch; return the statement that fills it."""
        self.begin()
        return self._replace_rows(query, self._columns)

    def check_staged(self) -> WriteFigures:
        """What Iceberg counted; StagingError if the job has never written to the branch.

        A missing branch is an error of the commit, which first looks at what became of the table.
        """
        if self._staged is None:
            head = self._head()
            if head is not None and head.id == self._at and self._runs_job:
                raise self._not_whole(f"the job wrote nothing to {self._branch}")
            if head is not None:
                self._check(head)
            self._staged = head
        return self._staged.figures if self._staged is not None else WriteFigures()

    def discard(self, report: StepReport) -> list[str]:
        """Drop the branches, which main does not need, published or not; return what is left."""
        drop, target = self._branches.drop_branch, self._target
        return still_there(
            report,
            *(
                (Step.DELETE_RECORD, f"the branch {one} of {target}", partial(drop, target, one))
                for one in self._made
            ),
        )

    @property
    def _branch(self) -> str:
        return self._made[-1] if self._made else f"{PREFIX}{self._version}"

    def _create(self, branch: str, at: int) -> None:
        """Begin a branch at a snapshot."""
        raise NotImplementedError

    def _check(self, head: Snapshot) -> None:
        """Return if what the job has written can be published; StagingError if it can't."""

    def _head(self) -> Snapshot | None:
        """The branch's last snapshot; None if the branch or the table is gone."""
        return self._branches.history(self._target).head(self._branch)

    def _replace_rows(self, query: str, columns: Sequence[str] = ()) -> str:
        """Replace every row, whatever ``partitionOverwriteMode`` the session has.

        The statement fills columns by position, so they are selected by name: what the query reads
        may have changed since its columns were compared with the table's.
        """
        names = quoting.identifiers(columns)
        rows = f"SELECT {names} FROM (\n{query}\n)" if names else query  # noqa: S608 (quoted)
        return f"INSERT INTO {quoting.table(self.record)} REPLACE WHERE true\n{rows}"

    def _open_files(self) -> int:
        """Open each file of the branch, as nothing else in SQL tells that one is missing.

        Returns the id of their partition spec; without files it does not matter.

        Raises:
            StagedVersionIncompleteError: one can't be read.
        """
        specs = f"SELECT DISTINCT _spec_id AS spec FROM {quoting.table(self.record)}"  # noqa: S608 (quoted)
        try:
            rows = self._branches.run(f"read the files of {self._branch}", specs)
        except MetastoreError as error:
            raise self._not_whole(error.what) from error
        return max((int(row["spec"]) for row in rows), default=0)

    def _gone(self) -> StagingError:
        return messages.record_gone(self._target, self.record, messages.unchanged(self._begun))

    def _not_whole(self, what: str) -> StagingError:
        return messages.files_gone(self._target, what, messages.unchanged(self._begun))


def change_branches(change: Callable[[], object]) -> None:
    """Create or drop a branch, again if another's commit came first: it can't be in the way.

    Iceberg itself tries again and never succeeds, because its UpdateSnapshotReferencesOperation
    keeps the metadata that it began with.
    """
    for _ in range(MOST_TRIES - 1):
        try:
            change()
        except EntryModifiedError:
            continue
        return
    change()


@dataclass(frozen=True, slots=True)
class BranchGarbage(Garbage):
    """A ``Garbage``: every branch that is named after a version, whoever made it.

    Main needs none. A writer that is alive all the same finds its branch gone, and publishes
    nothing.

    ``now_ms`` is the clock of whoever writes. The handle of a version is its branch, and the time
    of its last write, in ms.
    """

    target: TableName
    tables: BranchedTables
    now_ms: Callable[[], int]

    def versions(self) -> tuple[KnownVersion, ...]:
        history = self.tables.history(self.target)
        named = ((name, OURS.fullmatch(name)) for name in history.branches)
        return tuple(
            self._known(history, name, ours.group(1)) for name, ours in named if ours is not None
        )

    def age_ms(self, version: KnownVersion) -> int:
        """By its id's start, and by its last commit."""
        _, written_ms = _handle(version)
        return self.now_ms() - max(started_ms(version.id), written_ms)

    def take(self, version: KnownVersion) -> bool:
        """True if nobody has written to it meanwhile; the drop itself takes it."""
        return any(version.handle == one.handle for one in self.versions())

    def delete_record(self, version: KnownVersion) -> None:
        branch, _ = _handle(version)
        self.tables.drop_branch(self.target, branch)

    def _known(self, history: TableFacts, branch: str, version: str) -> KnownVersion:
        head = history.head(branch)
        what = f"the branch {branch} of {self.target}"
        handle = branch, head.time_ms if head else 0
        return KnownVersion(version, Place.UNPUBLISHED, what, handle=handle)


def _handle(version: KnownVersion) -> tuple[str, int]:
    return cast("tuple[str, int]", version.handle)
