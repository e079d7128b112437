"""Turns of the nodes that share a session: none runs under the settings of another."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ctas_spark.errors import JobCanceledError, NotSupportedError

MODE = "spark.sql.sources.partitionOverwriteMode"
"""A setting that means nothing to most statements, and that many models set."""
POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Needs:
    """What a node has set in the session, and whether one of its statements depends on ``MODE``."""

    sets: Mapping[str, str] = field(default_factory=dict)
    overwrites: bool = False

    def and_those(self, sets: Mapping[str, str], *, overwrites: bool) -> "Needs":
        """With those of one more statement."""
        both = {**self.sets, **sets}
        return Needs(both, self.overwrites or (overwrites and MODE not in both))

    def are_met_beside(self, other: "Needs") -> bool:
        """Whether two nodes can run at the same time."""
        return all(
            self.sets.get(name) == other.sets.get(name)
            or not (self.concern(name) and other.concern(name))
            for name in {*self.sets, *other.sets}
        )

    def concern(self, name: str) -> bool:
        """Whether a setting means anything to the node."""
        return name != MODE or self.overwrites or name in self.sets


@dataclass(eq=False, slots=True)
class Turn:
    """A node's turn: it ``runs`` from its first statement on; ``wants`` is set while it waits."""

    thread: int = field(default_factory=threading.get_ident)
    runs: bool = False
    has: Needs = Needs()
    wants: Needs | None = None

    def is_in_the_way_of(self, other: "Turn", wanted: Needs) -> bool:
        """Whether the other has to wait for the end of this one, which came before it, or runs.

        A batch runs in the thread of its model. One that waits runs nothing until it has what it
        wants; one that runs is never kept waiting by one that has yet to begin.
        """
        if self.thread == other.thread or (other.runs and not self.runs):
            return False
        meets_now = self.has.are_met_beside(wanted) or not self.runs
        meets_later = self.wants is None or self.wants.are_met_beside(wanted)
        if other.runs:
            return not meets_now and (self.wants is None or not meets_later)
        return not (meets_now and meets_later)


class Turns:
    """The nodes that run in one session, or wait for their turn, in order of arrival."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._all: list[Turn] = []

    def take(
        self,
        turn: Turn,
        sets: Mapping[str, str],
        *,
        overwrites: bool,
        is_canceled: Callable[[], bool],
    ) -> None:
        """Return once the node's next statement can run, which sets this, or overwrites.

        Raises:
            NotSupportedError: two nodes that run already wait for each other.
            JobCanceledError: the run was cancelled meanwhile.
        """
        with self._changed:
            wanted = turn.has.and_those(sets, overwrites=overwrites)
            if turn.runs and wanted == turn.has:
                return
            if turn not in self._all:
                self._all.append(turn)
            self._wait(turn, wanted, is_canceled)
            turn.runs, turn.has = True, wanted

    def end(self, turn: Turn) -> None:
        """The node has ended."""
        with self._changed:
            if turn in self._all:
                self._all.remove(turn)
            self._changed.notify_all()

    def _wait(self, turn: Turn, wanted: Needs, is_canceled: Callable[[], bool]) -> None:
        turn.wants = wanted
        try:
            while others := self._before(turn):
                if self._waits_for_itself(turn):
                    raise _refusal(wanted, others)
                if is_canceled():
                    raise JobCanceledError("the run was cancelled; no further statement is run")
                self._changed.wait(POLL_SECONDS)
        finally:
            turn.wants = None

    def _waits_for_itself(self, turn: Turn) -> bool:
        """Whether one of those that it waits for waits for it, by way of others or not."""
        found, asked = set[int](), self._before(turn)
        while asked:
            one = asked.pop()
            if one is turn:
                return True
            if id(one) not in found:
                found.add(id(one))
                asked += self._before(one)
        return False

    def _before(self, turn: Turn) -> list[Turn]:
        """Those that have to end first."""
        wanted = turn.wants
        if wanted is None:
            return []
        earlier = self._all[: self._all.index(turn)]
        asked = [one for one in self._all if one is not turn and (one.runs or one in earlier)]
        return [one for one in asked if one.is_in_the_way_of(turn, wanted)]


def _refusal(wanted: Needs, others: list[Turn]) -> NotSupportedError:
    names = sorted({*wanted.sets, *(name for one in others for name in one.has.sets)})
    return NotSupportedError(
        f"another node that runs at this time sets {', '.join(names)} in the session that both "
        "use, and each would run under the other's settings",
        left="it was not run",
        remedy="set it in on-run-start or in the profile's spark_conf, or before the node's first "
        "query; or run dbt with --threads 1",
    )
