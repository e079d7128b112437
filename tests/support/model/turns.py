"""A piece of a run's work that can be put on hold in the middle of a call.

Only one of all turns and the test itself runs at any moment, so that every order is repeatable.
"""

import threading
from collections.abc import Callable


class KilledError(BaseException):
    """The process ended here: no handler and no abort is part of what follows."""


class Turn:
    """``work`` in a thread of its own; ``goes_on`` returns when it is held or has ended."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.ended = False
        self.failure: BaseException | None = None
        self._work = work
        self._killed = False
        self._go = threading.Semaphore(0)
        self._back = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def goes_on(self) -> None:
        """Let it work until it is held or has ended."""
        self._go.release()
        self._back.acquire()

    def hold(self) -> None:
        """Called by the work itself: wait here until somebody lets it go on."""
        self._back.release()
        self._go.acquire()
        if self._killed:
            raise KilledError

    def kill(self) -> None:
        """End it where it is held."""
        self._killed = True
        self.goes_on()

    def _run(self) -> None:
        self._go.acquire()
        try:
            self._work()
        except KilledError:
            pass
        except BaseException as failure:  # noqa: BLE001 (the test raises it again)
            self.failure = failure
        self.ended = True
        self._back.release()
