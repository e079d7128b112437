"""Signals that end a run: what a handler of SIGINT and SIGTERM does while dbt runs."""

import atexit
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any


class Termination:
    """Between ``watch`` and ``restore``, SIGTERM cancels a run as Ctrl-C does.

    Both end a Spark that is still starting (``end_start`` says if it was), and raise nothing then:
    the start fails. ``cancel`` is called inside the handler, so it may only set flags. The program
    around the run keeps its own handler of Ctrl-C; that of SIGTERM is called after ours, and a
    process without one ends by SIGTERM after the clean-up.
    """

    def __init__(self, end_start: Callable[[], bool], cancel: Callable[[], None]) -> None:
        self._end_start = end_start
        self._cancel = cancel
        self._previous: dict[int, Any] = {}
        self._asked = False

    def watch(self) -> None:
        """Handle the signals from now on, in the main thread and unless they are ignored."""
        if self._previous or not _in_main_thread():
            return
        self._asked = False
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._handle(signal.SIGINT, self._on_sigint)
        if signal.getsignal(signal.SIGTERM) not in (None, signal.SIG_IGN):
            self._handle(signal.SIGTERM, self._on_sigterm)

    def restore(self) -> None:
        """After the clean-up: put the previous handlers back, unless others are there by now."""
        if not self._previous or not _in_main_thread():
            return
        previous, self._previous = self._previous, {}
        for number, handler in previous.items():
            if signal.getsignal(number) in (self._on_sigint, self._on_sigterm):
                signal.signal(number, handler)
        if self._asked and previous[signal.SIGTERM] is signal.SIG_DFL:
            atexit._run_exitfuncs()  # noqa: SLF001 (Python would warn of its semaphores)
            signal.raise_signal(signal.SIGTERM)

    def _handle(self, number: signal.Signals, handler: Callable[[int, Any], None]) -> None:
        self._previous[number] = signal.signal(number, handler)

    def _on_sigint(self, _number: int, _frame: FrameType | None) -> None:
        if not self._end_start():
            raise KeyboardInterrupt

    def _on_sigterm(self, number: int, frame: FrameType | None) -> None:
        if self._asked:  # a second one may not break off the clean-up
            return
        self._asked = True
        starting = self._end_start()
        self._cancel()
        if callable(previous := self._previous[number]):
            previous(number, frame)
        if not starting:
            raise KeyboardInterrupt("SIGTERM")


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
