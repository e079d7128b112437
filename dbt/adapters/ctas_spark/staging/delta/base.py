"""A Delta target at one moment, and what became of it, or of our commit on it, since then."""

from dataclasses import dataclass
from itertools import islice

from dbt.adapters.ctas_spark.staging.context import (
    DELTA,
    Atomicity,
    StagingContext,
    StagingPurpose,
)
from dbt.adapters.ctas_spark.staging.delta.facts import (
    CommitFacts,
    CommitMarker,
    Since,
    TableFacts,
    with_commit,
)
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, LoadedTable
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import (
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
)
from dbt.adapters.ctas_spark.staging.files.table import Services
from dbt.adapters.ctas_spark.staging.metastore.client import TableEntry
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.publish import version as outcome
from dbt.adapters.ctas_spark.staging.publish.marker import Kind, Marker
from dbt.adapters.ctas_spark.staging.publish.version import (
    Change,
    FormatVersion,
    Outcome,
    Reach,
)
from dbt.adapters.ctas_spark.staging.version_id import new_commit_id

PROVIDER = "spark.sql.sources.provider"
LOOKED_BACK = 100
"""How many commits a build reads to name versions of ours, which only messages need."""


@dataclass(frozen=True, slots=True)
class DeltaBase:
    """The table, or what is there instead of one, or nothing.

    ``version``, ``level`` and ``commit`` are those of the last publication of ours: by the table's
    history, or by its entry, where it was created by us and not published again.
    """

    table: LoadedTable | None
    obstacle: str = ""
    version: str | None = None
    level: str | None = None
    commit: str = ""

    @property
    def exists(self) -> bool:
        """True if the name is taken."""
        return self.table is not None or bool(self.obstacle)

    @property
    def can_be_replaced(self) -> bool:
        """False: no commit to a Delta log replaces what is not a Delta table."""
        return False

    @property
    def facts(self) -> TableFacts | None:
        """What its log says."""
        return self.table.facts if self.table else None

    def is_same_table(self, other: "DeltaBase") -> bool:
        """True if both are the same table, be it at another version."""
        return (
            self.facts is not None
            and other.facts is not None
            and self.facts.is_same_table(other.facts)
        )


def is_delta(entry: TableEntry | None) -> bool:
    """True for the entry of a Delta table."""
    return entry is not None and entry.parameters.get(PROVIDER, "").lower() == DELTA


def last_marker(tables: DeltaTables, table: LoadedTable) -> CommitMarker | None:
    """The marker of the version that the table shows; a fence's names the one that it left."""
    newest = _newest_word(tables, table)
    return newest.marker if newest else None


class DeltaTarget(FormatVersion[DeltaBase]):
    """What an attempt asks of its target, be it a build or a rollback."""

    strategy = "swap"
    kind = Kind.BUILD
    id: str
    _marker: CommitMarker | None = None
    _figures: WriteFigures | None = None

    def __init__(self, context: StagingContext, services: Services, tables: DeltaTables) -> None:
        self._context = context
        self._services = services
        self._tables = tables

    def look(self) -> DeltaBase:
        """Read the target afresh.

        Raises:
            MetastoreError: it could not be found out what is there.
        """
        entry = self._services.metastore.get_table(self._context.target)
        if entry is None:
            return DeltaBase(None)
        if not is_delta(entry):
            kind = "a view" if entry.is_view else "a table that is not Delta's"
            return DeltaBase(None, kind)
        table = self._tables.find(self._context.target)
        return _base(self._tables, table, entry) if table else DeltaBase(None)

    def reach(self, over: DeltaBase) -> Reach:  # noqa: ARG002 (the same over every base)
        """Delta's transaction compares by itself, whatever the metastore does."""
        return Reach(Atomicity.ISOLATED, self.strategy)

    def change(self, begun: DeltaBase, now: DeltaBase) -> Change:
        """What became of the target."""
        return change_between(self._context, begun, now, self.since(begun, now))

    def who(self, begun: DeltaBase, now: DeltaBase) -> str:
        """The writer that changed the target, and the time."""
        return who_changed(begun, now, self.since(begun, now))

    def mark(self, over: DeltaBase, level: Atomicity) -> str:
        """A fresh commit id."""
        figures = self._figures or WriteFigures()
        self._marker = CommitMarker(
            commit=new_commit_id(),
            version=self.id,
            base=over.commit,
            target=str(self._context.target),
            level=level.value,
            kind=self.kind,
            time_ms=self._services.now_ms(self._services.roots.root_of(self._context)),
            rows=figures.rows,
            bytes=figures.bytes,
        )
        return self._marker.commit

    @property
    def _marked(self) -> CommitMarker:
        if self._marker is None:
            raise RuntimeError(f"mark() was not called for {self._context.target}")
        return self._marker

    def decide(
        self, over: DeltaBase, after: DeltaBase, commit: str, failure: MetastoreError | None
    ) -> Outcome:
        """By the target's own history."""
        return decide(over, after, commit, failure, self.since(over, after))

    def since(self, begun: DeltaBase, now: DeltaBase) -> Since:
        """The commits on top, by place: another's REPLACE TABLE gives the table a new identity."""
        if begun.facts is None or now.table is None or now.table.facts.root != begun.facts.root:
            return None
        return self._tables.commits_since(now.table, begun.facts.number)

    def check_still(self, table: LoadedTable) -> None:
        """Return if nobody has committed since, or created the table anew.

        It comes just before the call, which by itself would commit into a log that another has
        begun anew in the same directory; and after a refusal, whose cause may be a rival's.

        Raises:
            EntryMissingError, EntryModifiedError: somebody has.
        """
        now = self._tables.find(self._context.target)
        if now is None:
            raise EntryMissingError("it was dropped")
        if not now.facts.is_same_as(table.facts):
            raise EntryModifiedError(f"it is at {now.facts.number} of {now.facts.id} by now")


def change_between(
    context: StagingContext, begun: DeltaBase, now: DeltaBase, since: Since
) -> Change:
    """What became of the target; ``since`` are the commits after ``begun``.

    A table that was dropped took the staged files along: nothing is left to create it from.
    """
    if not now.exists and context.purpose is StagingPurpose.REPLACE:
        return Change.DROPPED
    if begun.facts is None or now.facts is None or not now.is_same_table(begun):
        return Change.WRITTEN
    if now.facts.is_same_as(begun.facts):
        return Change.NONE
    maintained = bool(since) and all(commit.is_maintenance for commit in since or ())
    if maintained and now.facts.has_same_shape(begun.facts):
        return Change.MAINTAINED
    return Change.WRITTEN


def who_changed(begun: DeltaBase, now: DeltaBase, since: Since) -> str:
    """The version that was committed, or what the history says of the writer."""
    if now.facts is None:
        return now.obstacle or "it was dropped, and the staged version with it"
    if begun.facts is None or (not now.is_same_table(begun) and not since):
        return "it was dropped, and created anew"
    if not since:
        return f"its history between commits {begun.facts.number} and {now.facts.number} is gone"
    return _writer_of(next((one for one in since if not one.is_fence), since[0]))


def decide(
    over: DeltaBase, after: DeltaBase, commit: str, failure: MetastoreError | None, since: Since
) -> Outcome:
    """The outcome, from the target read after the call and from how the call ended.

    Args:
        since: the commits after ``over``; of another table they prove nothing.
    """
    ours = with_commit(since, commit) is not None
    left = after.is_same_table(over) and bool(since)
    return outcome.decide(failure, shows_ours=ours, can_not_land=left)


def _writer_of(commit: CommitFacts) -> str:
    when = messages.moment(commit.marker.time_ms if commit.marker else commit.time_ms)
    if commit.is_fence:
        return f"a clean-up closed the table to older attempts at {when}"
    if commit.marker is not None:
        return f"version {commit.marker.version} was committed at {when}"
    return f"a writer without our marker committed ({commit.operation}, {commit.number}, {when})"


def _base(tables: DeltaTables, table: LoadedTable, entry: TableEntry) -> DeltaBase:
    newest = _newest_word(tables, table)
    if newest is not None and newest.marker is not None:
        ours = newest.marker
        return DeltaBase(table, "", ours.version or None, ours.level or None, ours.commit)
    created = Marker.of(entry)
    if newest is not None or created is None:
        return DeltaBase(table)
    return DeltaBase(table, "", created.version, created.level, created.commit)


def _newest_word(tables: DeltaTables, table: LoadedTable) -> CommitFacts | None:
    """The newest commit that says whose version the table shows: ours, or another's replace."""
    newest = islice(tables.commits(table), LOOKED_BACK)
    return next((one for one in newest if one.marker or one.ends_our_version), None)
