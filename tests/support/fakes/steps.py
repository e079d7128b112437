"""A process that ends, or does something, as a step begins."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ctas_spark.steps import Step, observe
from fakes.world import KilledError


class At:
    """Does something as a step begins, once."""

    def __init__(self, step: Step, act: Any) -> None:
        self._step = step
        self._act = act

    def entered(self, step: Step, target: object) -> None:  # noqa: ARG002 (one target)
        if step is self._step:
            act, self._act = self._act, lambda: None
            act()

    def left(self, step: Step, target: object) -> None:
        """Nothing."""


def die() -> None:
    """The process ends here."""
    raise KilledError


@contextmanager
def dies_at(step: Step) -> Iterator[None]:
    """A process that ends as a step begins."""
    with observe(At(step, die)), pytest.raises(KilledError):
        yield
