"""Something that happens at a step of a run in this process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ctas_spark.context import TableName
from ctas_spark.steps import Step, observe


class Moment:
    """Does something once, before a step or after it."""

    def __init__(self, step: Step, side: str, happens: Callable[[], object]) -> None:
        self._step = step
        self._side = side
        self._happens = happens
        self.has_come = False

    def entered(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (observer's shape)
        """A step begins."""
        self._come(step, "entered")

    def left(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (observer's shape)
        """A step has ended."""
        self._come(step, "left")

    def _come(self, step: Step, side: str) -> None:
        if not self.has_come and (step, side) == (self._step, self._side):
            self.has_come = True
            self._happens()


@contextmanager
def before(step: Step, happens: Callable[[], object]) -> Iterator[None]:
    """Have it happen before the step does anything."""
    yield from _at(Moment(step, "entered", happens))


@contextmanager
def after(step: Step, happens: Callable[[], object]) -> Iterator[None]:
    """Have it happen when the step's effects are there."""
    yield from _at(Moment(step, "left", happens))


def _at(moment: Moment) -> Iterator[None]:
    with observe(moment):
        yield
    assert moment.has_come
