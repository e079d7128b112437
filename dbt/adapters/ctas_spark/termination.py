"""SIGTERM cancels a run as Ctrl-C does; the program around the run keeps its own handler."""

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

NOT_WATCHING = object()


class Termination:
    """Handles SIGTERM between ``watch`` and ``restore``.

    ``cancel`` is called inside the handler: it may only set flags. The previous handler is called
    after it; a process without one ends by SIGTERM, once the run is cleaned up.
    """

    def __init__(self, cancel: Callable[[], None]) -> None:
        self._cancel = cancel
        self._previous: Any = NOT_WATCHING
        self._asked = False

    def watch(self) -> None:
        """Handle SIGTERM from now on, in the main thread and unless it is ignored."""
        if self._previous is not NOT_WATCHING or not _in_main_thread():
            return
        previous = signal.getsignal(signal.SIGTERM)
        if previous not in (None, signal.SIG_IGN):
            self._asked = False
            self._previous = previous
            signal.signal(signal.SIGTERM, self._on_signal)

    def restore(self) -> None:
        """The run is cleaned up: put the previous handler back, unless another is there by now."""
        if self._previous is NOT_WATCHING or not _in_main_thread():
            return
        previous, self._previous = self._previous, NOT_WATCHING
        if signal.getsignal(signal.SIGTERM) == self._on_signal:
            signal.signal(signal.SIGTERM, previous)
        if self._asked and previous is signal.SIG_DFL:
            signal.raise_signal(signal.SIGTERM)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._asked:  # a second one may not break off the clean-up
            return
        self._asked = True
        self._cancel()
        if callable(self._previous):
            self._previous(number, frame)
        raise KeyboardInterrupt("SIGTERM")


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
