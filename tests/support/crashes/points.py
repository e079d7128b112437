"""The points at which a run can be ended: before and after each step that it reports."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ctas_spark.context import TableName
from ctas_spark.steps import Step, observe

BEFORE = "before"
AFTER = "after"
Act = Callable[[], object]


class CrashedError(BaseException):
    """The process ended here: no abort and no clean-up of its own catches it."""


@dataclass(frozen=True, slots=True)
class Point:
    """One side of a step; ``turn`` counts where a run comes by it several times."""

    step: Step
    side: str
    turn: int = 1

    def __str__(self) -> str:
        return f"{self.side} {self.step.value}" + (f" #{self.turn}" if self.turn > 1 else "")


class Recorder:
    """Writes down the points that a run comes by."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self._turns: Counter[tuple[Step, str]] = Counter()

    def entered(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (observer's shape)
        self._comes_by(step, BEFORE)

    def left(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (observer's shape)
        self._comes_by(step, AFTER)

    def _comes_by(self, step: Step, side: str) -> None:
        self._turns[step, side] += 1
        self.points.append(Point(step, side, self._turns[step, side]))


class Crash(Recorder):
    """Ends the run at one point, once: what unwinds afterwards would not have run any more."""

    def __init__(self, at: Point) -> None:
        super().__init__()
        self._at = at

    def _comes_by(self, step: Step, side: str) -> None:
        super()._comes_by(step, side)
        if self.points[-1] == self._at:
            raise CrashedError


def points_of(act: Act) -> tuple[Point, ...]:
    """Run it to its end, and return what it came by."""
    recorder = Recorder()
    with observe(recorder):
        act()
    return tuple(recorder.points)


def moments(points: Sequence[Point]) -> list[tuple[Point, ...]]:
    """The points in their order; after a step and before the very next one is one moment.

    All that changes something lies within a step, so nothing happens between the two.
    """
    found: list[tuple[Point, ...]] = []
    for point in points:
        if found and found[-1][-1].side == AFTER and point.side == BEFORE:
            found[-1] = (*found[-1], point)
        else:
            found.append((point,))
    return found


def crash(act: Act, at: Point) -> None:
    """Run it until that point."""
    with observe(Crash(at)), suppress(CrashedError):
        act()
        raise AssertionError(f"the run did not come by the point {at}")
