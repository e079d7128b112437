"""A start of Spark that goes ahead in the background, while its process does something else."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait

from .start import START, Start


class HeadStart:
    """One start at a time; who needs Spark waits for it, and gets its error if it failed."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._result: Future[object] | None = None

    def begin(self, work: Callable[[], object]) -> None:
        """Run what starts Spark in a thread that does not hold the process."""
        result: Future[object] = Future()

        def run() -> None:
            try:
                result.set_result(work())
            except BaseException as error:  # noqa: BLE001 (raised where Spark is needed)
                result.set_exception(error)

        self._result = result
        threading.Thread(target=run, daemon=True, name="head-start").start()

    def wait(self) -> None:
        """Wait for the start, if there is one; it raises what that raised."""
        result = self._result
        if result is not None:
            result.result()

    def end(self) -> None:
        """The invocation ends: break off a start that nobody needed, and forget it."""
        result, self._result = self._result, None
        if result is not None and not result.done():
            self._start.break_off()
            wait([result])


HEAD_START = HeadStart(START)
