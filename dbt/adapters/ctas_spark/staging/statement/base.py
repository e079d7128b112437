"""A target at one moment, as far as SQL can see it, and what became of it since."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.publish.marker import (
    FORMAT,
    LEVEL,
    MARKER_FORMAT,
    TARGET,
    TIME,
    Lineage,
    Marker,
)
from dbt.adapters.ctas_spark.staging.publish.version import Change
from dbt.adapters.ctas_spark.staging.retention.rules import Event, time_text

NOTHING: Mapping[str, str] = MappingProxyType({})
ABSENT = "absent"
LAST = "last published"
"""Not "live": a replace by somebody else may have kept the marker."""
REPLACED = "deleted"


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What SQL tells of a table.

    ``id`` is empty where the format does not say it. ``version`` differs after each commit.
    ``in_history`` is the marker of the newest publication that the format's own history tells of;
    ``written_ms`` the time of the last commit, by the clock of who made it, or None where SQL does
    not tell it. Neither is part of a comparison: a history expires.
    """

    id: str
    version: str
    properties: Mapping[str, str]
    in_history: Mapping[str, str] = field(default_factory=lambda: NOTHING, compare=False)
    written_ms: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class StatementBase:
    """The table, or what is there instead of one, or nothing; ``name`` is its path.

    Its properties hold our marker. They prove that a commit of ours has happened, and not that it
    is what the table shows: a replace by somebody else may keep them (Iceberg's does).
    """

    name: TableName
    facts: TableFacts | None
    obstacle: str = ""

    @property
    def exists(self) -> bool:
        return self.facts is not None or bool(self.obstacle)

    @property
    def can_be_replaced(self) -> bool:
        """No statement replaces a view, or a table of another format."""
        return False

    @property
    def version(self) -> str | None:
        """None: which version it shows is not known."""
        return None

    @property
    def marker(self) -> Marker | None:
        """Ours; a clone's marker names another target, and counts as none."""
        found = Marker.read(self.facts.properties) if self.facts is not None else None
        return found if found is not None and found.target == str(self.name) else None

    @property
    def level(self) -> str | None:
        """The level of the last publication of ours, be it one that the format's history tells."""
        marker, native = self.marker, self.facts.in_history if self.facts else NOTHING
        last_ms = marker.lineage.entries[0].time_ms if marker and marker.lineage.entries else -1
        if native.get(TARGET) == str(self.name) and int(native.get(TIME, "0")) > last_ms:
            return native.get(LEVEL)
        return marker.level if marker else None

    @property
    def commit(self) -> str:
        """The commit id of the last publication of ours, or empty."""
        return self.marker.commit if self.marker else ""

    @property
    def lineage(self) -> Lineage:
        """The publications of ours, newest first."""
        return self.marker.lineage if self.marker else Lineage()

    def check_marker(self) -> None:
        """Return if this release can read the marker; NotSupportedError if it is a newer one's."""
        properties = self.facts.properties if self.facts else NOTHING
        found = properties.get(FORMAT, "")
        is_own = properties.get(TARGET) == str(self.name) and found.isdecimal()
        if is_own and int(found) > MARKER_FORMAT:
            raise messages.newer_marker(self.name, int(found), MARKER_FORMAT)

    def has_commit(self, commit: str) -> bool:
        return commit == self.commit or commit in self.lineage

    def __str__(self) -> str:
        return ABSENT if self.facts is None else f"{self.facts.id} {self.facts.version}".strip()


def change_between(begun: StatementBase, now: StatementBase) -> Change:
    """By all that SQL tells of a table."""
    if begun.facts is None:
        return Change.CREATED if now.exists else Change.NONE
    if now.facts is None:
        return Change.WRITTEN if now.exists else Change.DROPPED
    return Change.NONE if begun.facts == now.facts else Change.WRITTEN


def who_changed(begun: StatementBase, now: StatementBase) -> str:
    """The version that was committed, or what else is different."""
    if now.facts is None:
        return now.obstacle or "it was dropped"
    if now.commit and now.commit != begun.commit:
        entry = next((one for one in now.lineage.entries if one.commit == now.commit), None)
        if entry is not None:
            return f"version {entry.version} was committed at {messages.moment(entry.time_ms)}"
    if begun.facts is None:
        return "it was created by a writer without our marker"
    if begun.facts.id != now.facts.id:
        return "it was dropped, and created anew by a writer without our marker"
    return f"a writer without our marker changed it (it was {begun}, and is {now})"


def history(base: StatementBase) -> tuple[Event, ...]:
    """Every build that the lineage still knows, newest first; only the last may still be there."""
    return tuple(
        Event(
            version=entry.version,
            time=time_text(entry.time_ms),
            kind=entry.kind.value,
            state=LAST if entry.commit == base.commit else REPLACED,
            rows=None,
            bytes=None,
            schema_change="",
        )
        for entry in base.lineage.entries
    )
