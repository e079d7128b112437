"""The seam for a Spark that several processes share; without one, each process has its own."""

import itertools
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any


class Sharing:
    """A process whose Spark is its own; what lets several share one registers a subclass."""

    def __init__(self) -> None:
        self._forget_threads()

    def session(
        self,
        complete: Mapping[str, str],  # noqa: ARG002 (for those that share one)
        profile: Mapping[str, str],  # noqa: ARG002
        say: Callable[[str], None],  # noqa: ARG002
    ) -> Any:
        """A session in a Spark that runs already; None if this process has to start its own.

        Args:
            complete: the settings with which it would start one.
            profile: those of them that the user has given.
            say: told which Spark is used, or why one is not.
        """
        return None

    def mark(self, spark: Any) -> None:
        """Make what this thread starts in the JVM recognizable as work of this process."""

    def alone(self, name: str) -> AbstractContextManager[None]:  # noqa: ARG002 (nobody else)
        """Hold a name among the processes that share the Spark."""
        return nullcontext()

    @property
    def slot(self) -> int:
        """This process's number among those that share the Spark."""
        return 0

    @property
    def pool(self) -> str:
        """A name for this thread's share of the cores; later runs use it again."""
        if not hasattr(self._thread, "number"):
            self._thread.number = next(self._numbers)
        return f"ctas-spark-{self.slot}-{self._thread.number}"

    def _forget_threads(self) -> None:
        self._thread, self._numbers = threading.local(), itertools.count(1)


_registered = [Sharing()]


def register(sharing: Sharing) -> None:
    """From now on, how this process shares its Spark."""
    _registered[0] = sharing


def registered() -> Sharing:
    """How this process shares its Spark."""
    return _registered[0]
