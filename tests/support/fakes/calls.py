"""Calls that are remembered and that fail to order."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Calls:
    """``before`` and ``after`` are called with the name of each call, and may raise.

    ``after`` is not called when the call itself raises.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.before: Callable[[str], None] = lambda _call: None
        self.after: Callable[[str], None] = lambda _call: None

    @contextmanager
    def made(self, call: str) -> Iterator[None]:
        """What the call does is done in here."""
        self.calls.append(call)
        self.before(call)
        yield
        self.after(call)
