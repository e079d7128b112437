"""The named steps of all that changes a table, and who is told when one begins or ends.

This is the one seam that serves the log, timings and crash tests.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Protocol

from .context import TableName


class Step(str, Enum):
    """What a run does to a table, step by step.

    First the steps of a publication, in their order; ABORT may follow any before SETTLE. Then what
    else a run may be doing. Last come the calls within those that change something.
    """

    BEGIN = "begin"
    STAGE = "stage"
    VERIFY = "verify"
    COMMIT = "commit"
    SETTLE = "settle"
    ABORT = "abort"

    CLEAN_UP = "clean_up"
    RECOVER = "recover"
    ROLL_BACK = "roll_back"

    PUBLISH = "publish"
    FILL_COLUMNS = "fill_columns"
    TAKE_BACK = "take_back"
    DROP_PARTITIONS = "drop_partitions"
    ADD_PARTITIONS = "add_partitions"
    TRACK_PARTITIONS = "track_partitions"
    FENCE = "fence"
    TAKE_RECORD = "take_record"
    DELETE_FILES = "delete_files"
    DELETE_RECORD = "delete_record"


class StepObserver(Protocol):
    """Told of every step; what it raises stops the run where it stands."""

    def entered(self, step: Step, target: TableName) -> None:
        """The step begins now; nothing of it was done yet."""

    def left(self, step: Step, target: TableName) -> None:
        """The step has ended and its effects are there."""


_everywhere: list[StepObserver] = []


@contextmanager
def observe(observer: StepObserver) -> Iterator[None]:
    """Tell ``observer`` of every step in this process while the block runs."""
    _everywhere.append(observer)
    try:
        yield
    finally:
        _everywhere.remove(observer)


class StepReport:
    """Where a run stands with one table.

    Entering a step ends the one before it, but for a step within another.
    """

    def __init__(self, target: TableName, observers: tuple[StepObserver, ...] = ()) -> None:
        self.target = target
        self._observers = observers
        self._current: Step | None = None

    def enter(self, step: Step) -> None:
        """End the current step and begin ``step``."""
        self.leave()
        self._notify_entered(step)
        self._current = step

    def leave(self) -> None:
        """End the current step, if there is one."""
        ended, self._current = self._current, None
        if ended is not None:
            self._notify_left(ended)

    def give_up(self) -> None:
        """Forget the current step without its end: it failed."""
        self._current = None

    @contextmanager
    def within(self, step: Step) -> Iterator[None]:
        """The block is a step within the current one; it has no end if the block fails."""
        self._notify_entered(step)
        yield
        self._notify_left(step)

    def _notify_entered(self, step: Step) -> None:
        for observer in (*self._observers, *_everywhere):
            observer.entered(step, self.target)

    def _notify_left(self, step: Step) -> None:
        for observer in (*self._observers, *_everywhere):
            observer.left(step, self.target)
