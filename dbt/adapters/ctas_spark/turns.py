"""Turns of the nodes that share a session: none runs under the settings of another."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ctas_spark.errors import JobCanceledError, NotSupportedError

MODE = "spark.sql.sources.partitionOverwriteMode"
"""A setting that means nothing to most statements, and that many models set."""
POLL_SECONDS = 0.1


@dataclass(eq=False, slots=True)
class Turn:
    """A node's: what it has set, or waits to set, in the session."""

    thread: int = field(default_factory=threading.get_ident)
    sets: dict[str, str] = field(default_factory=dict)
    overwrites: bool = False
    """Whether a statement of it goes by ``MODE``."""
    runs: bool = False
    waits: bool = False

    def is_beside(self, other: "Turn") -> bool:
        """Whether both can run at the same time. A batch runs in the thread of its model."""
        names = {*self.sets, *other.sets}
        return self.thread == other.thread or all(
            self.sets.get(name) == other.sets.get(name)
            or not (self.goes_by(name) and other.goes_by(name))
            for name in names
        )

    def goes_by(self, name: str) -> bool:
        """Whether the setting means anything to the node."""
        return name != MODE or self.overwrites or name in self.sets


class Turns:
    """The nodes that run in one session, or wait for their turn, in the order of their coming."""

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
            known = turn.sets, turn.overwrites
            turn.sets, turn.overwrites = {**turn.sets, **sets}, turn.overwrites or overwrites
            if turn.runs and known == (turn.sets, turn.overwrites):
                return
            if turn not in self._all:
                self._all.append(turn)
            try:
                self._wait(turn, is_canceled)
            except BaseException:
                turn.sets, turn.overwrites = known
                raise
            turn.runs = True

    def end(self, turn: Turn) -> None:
        """The node has ended."""
        with self._changed:
            if turn in self._all:
                self._all.remove(turn)
            self._changed.notify_all()

    def _wait(self, turn: Turn, is_canceled: Callable[[], bool]) -> None:
        turn.waits = True
        try:
            while others := self._before(turn):
                if is_canceled():
                    raise JobCanceledError("the run was cancelled; no further statement is run")
                if turn.runs and any(one.waits for one in others):
                    raise _refusal(turn, others)
                self._changed.wait(POLL_SECONDS)
        finally:
            turn.waits = False

    def _before(self, turn: Turn) -> list[Turn]:
        """Those that have to end first: who runs already waits for nobody who has yet to begin."""
        earlier = () if turn.runs else self._all[: self._all.index(turn)]
        return [
            one
            for one in self._all
            if one is not turn and (one.runs or one in earlier) and not one.is_beside(turn)
        ]


def _refusal(turn: Turn, others: list[Turn]) -> NotSupportedError:
    names = sorted({*turn.sets, *(name for one in others for name in one.sets)})
    return NotSupportedError(
        f"another node that runs at this time sets {', '.join(names)} in the session that both "
        "use, and each would run under the other's settings",
        left="it was not run",
        remedy="set it in on-run-start or in the profile's spark_conf, or before the node's first "
        "query; or run dbt with --threads 1",
    )
