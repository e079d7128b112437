"""A target that may be published by branch, at one moment: as SQL sees it, with its history."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError, RefusedError
from dbt.adapters.ctas_spark.staging.publish import messages
from dbt.adapters.ctas_spark.staging.publish.marker import COMMIT, KIND, LEVEL, TIME, VERSION
from dbt.adapters.ctas_spark.staging.publish.version import Change
from dbt.adapters.ctas_spark.staging.retention.rules import Event, time_text
from dbt.adapters.ctas_spark.staging.statement import base as bases
from dbt.adapters.ctas_spark.staging.statement.base import LAST, StatementBase
from dbt.adapters.ctas_spark.staging.statement.branch import (
    Lines,
    Snapshot,
    lines_of,
    lines_query,
)
from dbt.adapters.ctas_spark.staging.statement.calls import core_errors
from dbt.adapters.ctas_spark.staging.statement.rows_only import shape_of
from dbt.adapters.ctas_spark.staging.statement.tables import SqlTables

KEPT = "kept"
FENCE = "fence"


@dataclass(frozen=True, slots=True)
class SeenBase:
    """What SQL tells of a table in general, and of one of Iceberg's besides that.

    ``shape`` is SHOW CREATE TABLE without the snapshot.
    """

    general: StatementBase
    lines: Lines = field(default_factory=Lines)
    shape: str = ""

    @property
    def exists(self) -> bool:
        """True if the name is taken."""
        return self.general.exists

    @property
    def obstacle(self) -> str:
        """What is there instead of an Iceberg table."""
        return self.general.obstacle

    @property
    def can_be_replaced(self) -> bool:
        """No statement replaces a view, or a table of another format."""
        return False

    @property
    def version(self) -> str | None:
        """The version that it comes from, if its history tells."""
        return self.live.summary.get(VERSION) or None if self.live else None

    @property
    def level(self) -> str | None:
        """The level of the last publication of ours."""
        live = self.live
        return (live.summary.get(LEVEL) or None) if live else self.general.level

    @property
    def commit(self) -> str:
        """The commit id of the last publication of ours, or empty."""
        return self.live.summary.get(COMMIT, "") if self.live else self.general.commit

    @property
    def live(self) -> Snapshot | None:
        """The publication that its history says it comes from."""
        return self.lines.live(self.general.name)


def look(tables: SqlTables, name: TableName) -> SeenBase:
    """What has the name now.

    The history is read before the shape, and each fresh: what comes in between is a difference,
    and never hidden.
    """
    general = tables.look(name)
    if general.facts is None:
        return SeenBase(general)
    try:
        lines = _lines(tables, name)
        with core_errors(f"read the columns of {name}"):
            (said,) = tables.ask(f"SHOW CREATE TABLE {quoting.table(name)}")
    except EntryMissingError:
        return SeenBase(tables.look(name))
    return SeenBase(general, lines, shape_of(str(said["createtab_stmt"])))


def lines_now(tables: SqlTables, name: TableName) -> Lines:
    """The table's history now; none without a table, which a session's cache may still know."""
    try:
        return _lines(tables, name) if tables.exists(name) else Lines()
    except EntryMissingError:
        return Lines()


def _lines(tables: SqlTables, name: TableName) -> Lines:
    """EntryMissingError without a table, in whatever words: spark_catalog has others."""
    try:
        with core_errors(f"read the history of {name}"):
            return lines_of(tables.ask(lines_query(name)))
    except RefusedError as error:
        if tables.exists(name):
            raise
        raise EntryMissingError(error.what) from error


def change_between(begun: SeenBase, now: SeenBase) -> Change:
    """By main's snapshot and by the shape; branches, tags and statistics are no change."""
    if begun.general.facts is None or now.general.facts is None:
        return bases.change_between(begun.general, now.general)
    if begun.shape != now.shape:
        return Change.WRITTEN
    if begun.lines.main == now.lines.main:
        return Change.NONE
    moved = now.lines.was_only_rewritten_since(begun.lines.main)
    return Change.MAINTAINED if moved else Change.WRITTEN


def who_changed(begun: SeenBase, now: SeenBase) -> str:
    """The version that was committed, or what the snapshot says of its writer."""
    live, head = now.live, now.lines.snapshots.get(now.lines.main or 0)
    if live is not None and now.commit != begun.commit:
        return f"version {now.version} was committed at {messages.moment(_time_of(live))}"
    if head is None or now.general.commit != begun.general.commit:
        return bases.who_changed(begun.general, now.general)
    if head.id == begun.lines.main:
        return "a writer without our marker changed its columns or properties"
    writer = head.summary.get("engine-name", "unknown")
    when = messages.moment(head.time_ms)
    return f"a writer without our marker committed ({head.operation} {head.id} at {when}, {writer})"


def history(found: SeenBase) -> tuple[Event, ...]:
    """Every publication that the table's history or the marker on it still knows."""
    native = [
        one for one in found.lines.published(found.general.name) if one.summary.get(KIND) != FENCE
    ]
    marked = zip(found.general.lineage.entries, bases.history(found.general), strict=True)
    timed = [
        *((_time_of(one), _event(one)) for one in native),
        *((entry.time_ms, event) for entry, event in marked),
    ]
    timed.sort(key=lambda one: one[0], reverse=True)
    return tuple(_states([event for _, event in timed]))


def _states(events: list[Event]) -> Iterator[Event]:
    for place, event in enumerate(events):
        earlier = KEPT if event.rows is not None else bases.REPLACED
        yield Event(
            event.version,
            event.time,
            event.kind,
            LAST if place == 0 else earlier,
            event.rows,
            event.bytes,
            "",
        )


def _event(one: Snapshot) -> Event:
    return Event(
        version=one.summary.get(VERSION, ""),
        time=time_text(_time_of(one)),
        kind=one.summary.get(KIND, ""),
        state=KEPT,
        rows=one.figures.rows or 0,
        bytes=one.figures.bytes,
        schema_change="",
    )


def _time_of(one: Snapshot) -> int:
    told = one.summary.get(TIME, "")
    return int(told) if told.isdecimal() else one.time_ms
