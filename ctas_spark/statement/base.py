"""A target at one moment, as far as SQL can see it, and what became of it since."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ..context import TableName
from ..iceberg.facts import EMPTY, MAIN
from ..iceberg.facts import TableFacts as History
from ..publish import messages
from ..publish.marker import (
    COMMIT,
    FORMAT,
    LEVEL,
    MARKER_FORMAT,
    TARGET,
    TIME,
    Lineage,
    Marker,
    SnapshotMarker,
)
from ..publish.version import Change
from .history import published

NOTHING: Mapping[str, str] = MappingProxyType({})
STRANGER = "another program"


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What SQL tells of a table.

    ``id`` is empty where the format does not say it. ``version`` differs after each commit.
    ``in_history`` is the marker of the newest publication that the format's own history tells of;
    ``written_ms`` the time of the last commit, by the clock of who made it, or None where SQL does
    not tell it. ``upkeep`` are the latest commits that changed no rows, where they are numbered.
    None of the three is part of a comparison: a history expires.
    """

    id: str
    version: str
    properties: Mapping[str, str]
    in_history: Mapping[str, str] = field(default_factory=lambda: NOTHING, compare=False)
    written_ms: int | None = field(default=None, compare=False)
    upkeep: frozenset[int] = field(default=frozenset(), compare=False)

    def is_maintained(self, begun: "TableFacts") -> bool:
        """True if each commit since ``begun`` is known to have changed no rows."""
        if not self.upkeep or (self.id, self.properties) != (begun.id, begun.properties):
            return False
        since = range(int(begun.version) + 1, int(self.version) + 1)
        return bool(since) and self.upkeep.issuperset(since)


@dataclass(frozen=True, slots=True)
class StatementBase:
    """The table, or what is there instead of one, or nothing; ``name`` is its path.

    Its properties hold the marker of a copy. That proves that a commit of ours has happened, and
    not that the table shows it: a replace by somebody else may keep them (Iceberg's does).
    ``lines`` and ``shape``, which is SHOW CREATE TABLE without the snapshot, are known where rows
    are published by branch. Both are parsed once: ``live``, the publication that main comes from,
    as far as the history tells; and ``marker``, which does not count if it names another target,
    because it was copied into a clone then.
    """

    name: TableName
    facts: TableFacts | None
    obstacle: str = ""
    lines: History = EMPTY
    shape: str = ""
    live: SnapshotMarker | None = field(init=False, compare=False)
    marker: Marker | None = field(init=False, compare=False)
    can_be_replaced = False  # no statement replaces a view, or a table of another format

    def __post_init__(self) -> None:
        found = (one.marker for one in self.lines.ancestors(self.lines.main))
        live = next((one for one in found if one and one.target == str(self.name)), None)
        marker = Marker.read(self.facts.properties) if self.facts is not None else None
        is_own = marker is not None and marker.target == str(self.name)
        object.__setattr__(self, "live", live)
        object.__setattr__(self, "marker", marker if is_own else None)

    @property
    def exists(self) -> bool:
        return self.facts is not None or bool(self.obstacle)

    @property
    def version(self) -> str | None:
        """The version that the table shows; None where the history does not tell it."""
        return self.live.version or None if self.live else None

    @property
    def level(self) -> str | None:
        """The level of our last publication, also where only the format's history tells it."""
        if self.live:
            return self.live.level or None
        marker, native = self.marker, self.facts.in_history if self.facts else NOTHING
        last_ms = marker.lineage.entries[0].time_ms if marker and marker.lineage.entries else -1
        if native.get(TARGET) == str(self.name) and int(native.get(TIME, "0")) > last_ms:
            return native.get(LEVEL)
        return marker.level if marker else None

    @property
    def commit(self) -> str:
        """The commit id of our last publication, or empty."""
        if self.live:
            return self.live.commit
        return self.marker.commit if self.marker else ""

    @property
    def lineage(self) -> Lineage:
        """The publications by copy, newest first."""
        return self.marker.lineage if self.marker else Lineage()

    def check_marker(self) -> None:
        """Raise NotSupportedError if a newer release has written the marker."""
        properties = self.facts.properties if self.facts else NOTHING
        found = properties.get(FORMAT, "")
        is_own = properties.get(TARGET) == str(self.name) and found.isdecimal()
        if is_own and int(found) > MARKER_FORMAT:
            raise messages.newer_marker(self.name, int(found), MARKER_FORMAT)

    def has_commit(self, commit: str) -> bool:
        """True if the table shows the publication, or has shown it."""
        shown = published(self.lines, self.name)
        return commit in self.lineage or any(one.summary[COMMIT] == commit for one in shown)

    def __str__(self) -> str:
        return "absent" if self.facts is None else f"{self.facts.id} {self.facts.version}".strip()


def change_between(begun: StatementBase, now: StatementBase) -> Change:
    """Compare main's snapshot and the shape where they are known, else all that SQL tells.

    With the former, branches, tags and statistics do not count.
    """
    if begun.facts is None:
        return Change.CREATED if now.exists else Change.NONE
    if now.facts is None:
        return Change.WRITTEN if now.exists else Change.DROPPED
    if not begun.shape:
        return _change_of_facts(begun.facts, now.facts)
    if begun.shape != now.shape:
        return Change.WRITTEN
    if begun.lines.main == now.lines.main:
        return Change.NONE
    moved = now.lines.has_rows_of(begun.lines.main)
    return Change.MAINTAINED if moved else Change.WRITTEN


def _change_of_facts(begun: TableFacts, now: TableFacts) -> Change:
    if begun == now:
        return Change.NONE
    return Change.MAINTAINED if now.is_maintained(begun) else Change.WRITTEN


def who_changed(begun: StatementBase, now: StatementBase) -> str:
    """Name the version that was committed, or say what else is different."""
    if now.facts is None:
        return now.obstacle or "it was dropped"
    version, time_ms = _published_since(begun, now)
    if version:
        return f"version {version} was committed at {messages.moment(time_ms)}"
    if begun.facts is None:
        return f"it was created by {STRANGER}"
    if begun.facts.id != now.facts.id:
        return f"it was dropped and created again by {STRANGER}"
    return f"{STRANGER} {_what_changed(begun, now)}"


def _what_changed(begun: StatementBase, now: StatementBase) -> str:
    head = now.lines.head(MAIN)
    if head is None:
        return f"changed it (it was {begun}, and is {now})"
    if head.id == begun.lines.main:
        return "changed its columns or properties"
    engine, when = head.summary.get("engine-name", "unknown"), messages.moment(head.time_ms)
    return f"committed ({head.operation} {head.id} at {when}, {engine})"


def _published_since(begun: StatementBase, now: StatementBase) -> tuple[str, int]:
    """The version and the time of a publication by another run of ours, or ``("", 0)``."""
    if now.live and now.commit != begun.commit:
        return now.version or "", now.live.time_ms
    entry = next(iter(now.lineage.entries), None)
    if entry and entry.commit not in begun.lineage:
        return entry.version, entry.time_ms
    return "", 0
