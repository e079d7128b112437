"""The named steps of a publication, and who is told when one begins or ends.

This is the one seam that serves job-status hooks, the log, timings and crash tests.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import TableName


class Step(str, Enum):
    """The steps of one publication, in their order; ABORT may follow any before SETTLE.

    Those of partitions are there for tracked ones only; a begin that repairs has them, too.
    """

    BEGIN = "begin"
    STAGE = "stage"
    VERIFY = "verify"
    COMMIT = "commit"
    DROP_PARTITIONS = "drop_partitions"
    ADD_PARTITIONS = "add_partitions"
    TRACK_PARTITIONS = "track_partitions"
    SETTLE = "settle"
    ABORT = "abort"


class StepObserver(Protocol):
    """Told of every step; what it raises stops the publication where it stands."""

    def entered(self, step: Step, target: TableName) -> None:
        """The step begins now; nothing of it was done yet."""

    def left(self, step: Step, target: TableName) -> None:
        """The step has ended and its effects are there."""


_everywhere: list[StepObserver] = []


@contextmanager
def observe(observer: StepObserver) -> Iterator[None]:
    """Tell ``observer`` of every publication of this process while the block runs."""
    _everywhere.append(observer)
    try:
        yield
    finally:
        _everywhere.remove(observer)


class StepReport:
    """Where one publication stands: entering a step ends the one before it."""

    def __init__(self, target: TableName, observers: tuple[StepObserver, ...] = ()) -> None:
        self._target = target
        self._observers = observers
        self._current: Step | None = None

    def enter(self, step: Step) -> None:
        """End the current step and begin ``step``."""
        self.leave()
        for observer in (*self._observers, *_everywhere):
            observer.entered(step, self._target)
        self._current = step

    def leave(self) -> None:
        """End the current step, if there is one."""
        ended, self._current = self._current, None
        if ended is None:
            return
        for observer in (*self._observers, *_everywhere):
            observer.left(ended, self._target)

    def give_up(self) -> None:
        """Forget the current step without its end: it failed."""
        self._current = None
