"""The publications in a Delta table's own history, and how an earlier one is restored."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from .. import quoting
from ..clock import time_text
from ..context import Atomicity, TableName
from ..engines.protocol import WriteFigures
from ..errors import ConcurrentWriteError, EntryModifiedError, MetastoreError, RefusedError
from ..publish.marker import Marker, PublicationKind
from ..publish.rollback import Restoring
from ..publish.version import CannotReplayError, Outcome
from ..retention.rules import Event
from ..steps import StepReport
from .base import CREATION, DeltaAttempt, DeltaBase, DeltaTable
from .facts import CommitFacts
from .tables import core_errors

USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
CHECKED = {
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.databricks.delta.restore.protocolDowngradeAllowed": "false",
}
"""Else RESTORE shows a version whose files VACUUM has taken, without their rows."""
OTHERS = "another's replace"


def decisive(newest_first: Iterable[CommitFacts]) -> CommitFacts | None:
    """The commit that decides which version the table shows: ours, or another's replace."""
    return next((one for one in newest_first if one.published or one.ends_our_version), None)


def changes_rows(newest_first: Iterable[CommitFacts]) -> bool:
    """True if statements have changed rows of the version to which the oldest commit belongs."""
    changed = False
    for one in newest_first:
        changed = not (one.published or one.ends_our_version) and (changed or one.changes_rows)
    return changed


def history(newest_first: Sequence[CommitFacts]) -> tuple[Event, ...]:
    """Every build and rollback among the commits, newest first."""
    found = [(one.published, at) for at, one in enumerate(newest_first) if one.published]
    last = decisive(newest_first)
    events = tuple(
        Event(
            version=marker.version,
            commit=marker.commit,
            time=time_text(marker.time_ms),
            kind=marker.kind.value,
            state="live" if last is not None and marker is last.published else "kept",
            rows=marker.rows,
            bytes=marker.bytes,
            changed_in_place=changes_rows(newest_first[:at]),
        )
        for marker, at in found
    )
    return tuple(_with_figures(one, events[at + 1 :]) for at, one in enumerate(events))


def _with_figures(event: Event, older: Sequence[Event]) -> Event:
    """A rollback counts nothing: it has the figures of its version's build, if no row changed."""
    built = next((one for one in older if one.version == event.version), None)
    if event.rows is not None or built is None or built.changed_in_place:
        return event
    return replace(event, rows=built.rows, bytes=built.bytes)


def last_states(
    newest_first: Iterable[CommitFacts], number: int, created: str | None
) -> dict[str, int]:
    """The log's version with each version's last state, newest first.

    What users wrote into a version belongs to it; what another replaced it with does not.

    Args:
        newest_first: all commits that the log still has.
        number: the table's version now.
        created: the version that created the table, which stands in its entry only.
    """
    found: dict[str, int] = {}
    last = oldest = number
    for commit in newest_first:
        oldest = commit.number
        if commit.published:
            found.setdefault(commit.published.version, last)
        if commit.published or commit.ends_our_version:
            last = commit.number - 1
    if created is not None and found and oldest == 0:
        found.setdefault(created, last)
    return found


class DeltaRestore(DeltaAttempt):
    """A ``Version`` that is in the table's history: nothing is staged, and nothing discarded."""

    strategy = "restore"
    kind = PublicationKind.ROLLBACK
    places = ""

    def __init__(self, table: DeltaTable, version: str, number: int) -> None:
        super().__init__(table)
        self.id = version
        self._number = number

    @property
    def record(self) -> TableName:
        """The target, whose history has the version."""
        return self._table.name

    def stage_on(self, base: DeltaBase, level: Atomicity) -> None:
        """Nothing is staged."""

    def statement(self, query: str) -> str:
        """Nothing is made by a job."""
        raise RuntimeError(f"version {self.id} is there already, and is not made by {query}")

    def check_staged(self, counted: WriteFigures) -> WriteFigures:
        """RESTORE itself checks that the files are there, whatever the user's settings say."""
        return counted

    def rebase(self, over: DeltaBase) -> None:
        """Nothing is recorded: we never delete what is in the history."""

    def publish(self, over: DeltaBase) -> None:
        """One RESTORE, with the marker as a setting of a new session.

        It looks at the table once more, and refuses what another commits after that.
        """
        if over.table is None:
            raise CannotReplayError("there is no Delta table, and so no version in its history")
        self._check_still(over.table)
        session = self._table.tables.spark.newSession()
        for key, value in {**CHECKED, USER_METADATA: self._marked.to_text()}.items():
            session.conf.set(key, value)
        name = quoting.table(self._table.name)
        try:
            with core_errors(f"restore version {self.id}"):
                session.sql(f"RESTORE TABLE {name} TO VERSION AS OF {self._number}").collect()
        except EntryModifiedError:
            raise
        except RefusedError as error:
            remedy = "if VACUUM took its files, build the model again"
            raise RefusedError(f"{error.what}; {remedy}") from error

    def decide(
        self, over: DeltaBase, after: DeltaBase, commit: str, failure: MetastoreError | None
    ) -> Outcome:
        """ConcurrentWriteError if it is published over what another committed after our look."""
        since = self._since(over, after) or ()
        ours = next((one.number for one in since if one.marker and one.marker.commit == commit), 0)
        below = (one for one in since if one.number < ours)
        theirs = next((one for one in below if not one.is_maintenance), None)
        if theirs is None:
            return super().decide(over, after, commit, failure)
        number, target = theirs.number, self._table.name
        raise ConcurrentWriteError(
            f"another writer committed ({theirs.operation}, {number}) while the table was rolled "
            f"back",
            table=target,
            left="it is rolled back, and what the other writer wrote is only in its history",
            remedy=f"RESTORE TABLE {target} TO VERSION AS OF {number} brings that back",
        )

    def settle(self, report: StepReport) -> list[str]:  # noqa: ARG002 (nothing was staged)
        """Forget what the session's caches hold of the target."""
        self._table.services.engine.refresh(self._table.name)
        return []

    def discard(self, report: StepReport) -> list[str]:  # noqa: ARG002 (nothing was staged)
        """Nothing of it is ours to delete."""
        return []


@dataclass
class DeltaRestoring(Restoring):
    """The ``Restoring`` of one Delta table, whose history is read once."""

    table: DeltaTable

    def look(self) -> DeltaBase:
        """The target; another's replace of a version of ours can be taken back, too."""
        return replace(self._base, version=self._live or OTHERS) if self.earlier() else self._base

    def earlier(self) -> tuple[str, ...]:
        """The versions in the log, newest first, without the live one."""
        return tuple(one for one in self._numbers if one != self._live)

    def restored(
        self,
        version: str,
        level: Atomicity,  # noqa: ARG002 (always isolated)
        report: StepReport,  # noqa: ARG002 (the machine reports the call)
    ) -> DeltaRestore:
        """An attempt that publishes an earlier version."""
        return DeltaRestore(self.table, version, self._numbers[version])

    @cached_property
    def _base(self) -> DeltaBase:
        return self.table.look()

    @cached_property
    def _commits(self) -> tuple[CommitFacts, ...]:
        """All that the log still has."""
        loaded = self._base.table
        return tuple(self.table.tables.commits(loaded)) if loaded is not None else ()

    @cached_property
    def _created(self) -> str | None:
        """The version that created the table: it stands in the entry only."""
        marker = Marker.of(self.table.entry())
        return marker.version if marker is not None else None

    @property
    def _live(self) -> str | None:
        """The version that the table shows, however many rows were added since; None: another's."""
        last = decisive(self._commits)
        if last is None:
            is_whole = bool(self._commits) and self._commits[-1].number == CREATION
            return self._created if is_whole else None
        return last.published.version if last.published else None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        loaded = self._base.table
        if loaded is None:
            return {}
        return last_states(self._commits, loaded.facts.number, self._created)
