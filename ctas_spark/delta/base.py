"""A Delta target at one moment, and what became of it, or of our commit on it, since then."""

from dataclasses import dataclass
from itertools import islice

from ..context import DELTA, Atomicity, StagingContext, StagingPurpose, TableName
from ..engines.protocol import WriteFigures
from ..errors import EntryMissingError, EntryModifiedError, MetastoreError
from ..files.table import Services
from ..metastore.client import TableEntry
from ..publish import messages
from ..publish import version as outcome
from ..publish.marker import Marker, PublicationKind, new_commit_id
from ..publish.version import Change, FormatVersion, Outcome, Reach
from .facts import CommitFacts, CommitMarker, Since, TableFacts
from .tables import DeltaTables, LoadedTable

CREATION = 0
"""The number of the commit that created a table."""
LOOKED_BACK = 100
"""How many commits are read to name versions of ours, which only messages need."""


@dataclass(frozen=True, slots=True)
class DeltaBase:
    """The table, or what is there instead of one, or nothing.

    ``version``, ``level`` and ``commit`` are those of our last publication: by the table's history,
    or by its entry if we created the table and have not published it again.
    """

    table: LoadedTable | None
    obstacle: str = ""
    version: str | None = None
    level: str | None = None
    commit: str = ""
    can_be_replaced = False  # no commit to a Delta log replaces what is not a Delta table

    @property
    def exists(self) -> bool:
        return self.table is not None or bool(self.obstacle)

    @property
    def facts(self) -> TableFacts | None:
        """What its log says."""
        return self.table.facts if self.table else None

    def is_same_table(self, other: "DeltaBase") -> bool:
        """True if both are the same table, even at another version."""
        mine, theirs = self.facts, other.facts
        return mine is not None and theirs is not None and mine.is_same_table(theirs)


def is_delta(entry: TableEntry | None) -> bool:
    """True for the entry of a Delta table."""
    return entry is not None and entry.provider == DELTA


@dataclass(frozen=True, slots=True)
class DeltaTable:
    """One target: what is asked of it, and what it is worked on with."""

    context: StagingContext
    services: Services
    tables: DeltaTables

    @property
    def name(self) -> TableName:
        """The target."""
        return self.context.target

    def entry(self) -> TableEntry | None:
        """What the metastore has under its name."""
        return self.services.metastore.get_table(self.name)

    def now_ms(self) -> int:
        """The time of the storage, in milliseconds."""
        return self.services.now_ms(self.services.roots.root_of(self.context))

    def look(self) -> DeltaBase:
        """The target as it is now."""
        entry = self.entry()
        if entry is not None and not is_delta(entry):
            return DeltaBase(None, "a view" if entry.is_view else "a table that is not Delta's")
        table = self.tables.find(self.name) if entry is not None else None
        if table is None:
            return DeltaBase(None)
        last = self._last_publication(table, entry)
        if last is None:
            return DeltaBase(table)
        return DeltaBase(table, "", last.version, last.level, last.commit)

    def _last_publication(
        self, table: LoadedTable, entry: TableEntry | None
    ) -> CommitMarker | Marker | None:
        """The marker of the version that the table shows; None after another's replace.

        None, too, if that is further back than one looks, or than the log reaches.
        """
        number = table.facts.number
        for commit in islice(self.tables.commits(table), LOOKED_BACK):
            if commit.published or commit.ends_our_version:
                return commit.marker
            number = commit.number
        return Marker.of(entry) if number == CREATION else None


class DeltaAttempt(FormatVersion[DeltaBase]):
    """How a build and a rollback look at their target, compare it, and mark their commit."""

    strategy = "swap"
    kind = PublicationKind.BUILD
    id: str
    _marker: CommitMarker | None = None
    _figures: WriteFigures | None = None

    def __init__(self, table: DeltaTable) -> None:
        self._table = table

    def look(self) -> DeltaBase:
        return self._table.look()

    def reach(self, over: DeltaBase) -> Reach:  # noqa: ARG002 (the same over every base)
        """Delta's transaction compares by itself, whatever the metastore does."""
        return Reach(Atomicity.ISOLATED, self.strategy, conflict_check="cas")

    def change(self, begun: DeltaBase, now: DeltaBase) -> Change:
        """A table that was dropped took the staged files along, so that none can be created."""
        if not now.exists and self._table.context.purpose is StagingPurpose.REPLACE:
            return Change.DROPPED
        if begun.facts is None or now.facts is None or not now.is_same_table(begun):
            return Change.WRITTEN
        if now.facts.is_same_as(begun.facts):
            return Change.NONE
        commits = self._since(begun, now) or ()
        is_upkeep = bool(commits) and all(commit.is_maintenance for commit in commits)
        has_same_shape = now.facts.has_same_shape(begun.facts)
        return Change.MAINTAINED if is_upkeep and has_same_shape else Change.WRITTEN

    def changed_by(self, begun: DeltaBase, now: DeltaBase) -> str:
        """The version that was committed, or what the history says of the writer."""
        since = self._since(begun, now)
        if now.facts is None:
            return now.obstacle or "it was dropped, and the staged version with it"
        if begun.facts is None or (not now.is_same_table(begun) and not since):
            return "it was dropped and created again"
        if not since:
            between = f"between commits {begun.facts.number} and {now.facts.number}"
            return f"its history {between} is gone"
        return _writer_of(next((one for one in since if not one.is_fence), since[0]))

    def mark(self, over: DeltaBase, level: Atomicity) -> str:
        figures, now_ms = self._figures or WriteFigures(), self._table.now_ms()
        self._marker = CommitMarker(
            commit=new_commit_id(now_ms, self.id),
            version=self.id,
            base=over.commit,
            target=str(self._table.name),
            level=level.value,
            kind=self.kind,
            time_ms=now_ms,
            rows=figures.rows,
            bytes=figures.bytes,
        )
        return self._marker.commit

    def decide(
        self, over: DeltaBase, after: DeltaBase, commit: str, failure: MetastoreError | None
    ) -> Outcome:
        """The outcome, by the target's own history; that of another table proves nothing."""
        since = self._since(over, after) or ()
        ours = any(one.marker is not None and one.marker.commit == commit for one in since)
        # upkeep alone may not be a conflict to a call that is still under way
        left = after.is_same_table(over) and any(not one.is_maintenance for one in since)
        return outcome.decide(failure, shows_ours=ours, can_not_land=left)

    @property
    def _marked(self) -> CommitMarker:
        if self._marker is None:
            raise RuntimeError(f"mark() was not called for {self._table.name}")
        return self._marker

    def _since(self, begun: DeltaBase, now: DeltaBase) -> Since:
        """The commits on top, by place: another's REPLACE TABLE gives the table a new identity."""
        if begun.facts is None or now.table is None or now.table.facts.root != begun.facts.root:
            return None
        return self._table.tables.commits_since(now.table, begun.facts.number)

    def _check_still(self, table: LoadedTable) -> None:
        """Return if nobody has committed since, or created the table again.

        It comes just before the call, which by itself would commit into a log that another has
        begun in the same directory; and after a refusal, which a rival may have caused. Raises
        EntryMissingError or EntryModifiedError.
        """
        now = self._table.tables.find(self._table.name)
        if now is None:
            raise EntryMissingError("it was dropped")
        if not now.facts.is_same_as(table.facts):
            raise EntryModifiedError(f"it is now at {now.facts.number} of {now.facts.id}")


def _writer_of(commit: CommitFacts) -> str:
    when = messages.moment(commit.marker.time_ms if commit.marker else commit.time_ms)
    if commit.is_fence:
        return f"a clean-up closed the table to older attempts at {when}"
    if commit.marker is not None:
        return f"version {commit.marker.version} was committed at {when}"
    return f"another program committed ({commit.operation}, {commit.number}, {when})"
