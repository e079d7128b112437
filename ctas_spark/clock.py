"""The clocks that ages and waits are measured by: a seam by which tests age what they made."""

import threading
import time
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Protocol

SECOND_MS, HOUR_MS = 1_000, 3_600_000
ORPHAN_AGE_MS = 3 * 24 * HOUR_MS
"""When what no publication shows is garbage, for everyone; ``ctas_vacuum`` alone can lower it."""


class Clock(Protocol):
    """This machine's clocks, in milliseconds."""

    def wall_ms(self) -> int:
        """UTC since the epoch; somebody may set it."""

    def running_ms(self) -> int:
        """A clock that nobody sets, and that runs on while the machine is suspended."""


class SystemClock:
    """The operating system's clocks."""

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def running_ms(self) -> int:
        """``CLOCK_BOOTTIME`` where there is one (Linux), else the monotonic clock."""
        boottime = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
        return time.clock_gettime_ns(boottime) // 1_000_000


SYSTEM_CLOCK = SystemClock()


class Stopwatch:
    """How long ago it was made, by both clocks: a clock that was set back hides no time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wall_ms, self._running_ms = clock.wall_ms(), clock.running_ms()

    def elapsed_ms(self) -> int:
        """The longer of the two differences."""
        by_wall = self._clock.wall_ms() - self._wall_ms
        by_running = self._clock.running_ms() - self._running_ms
        return max(by_wall, by_running)


class ReadClock:
    """Another machine's clock (a storage's, a server's): asked once, then carried on by our own.

    ``ask`` returns its time in milliseconds and may be slow.
    """

    def __init__(self, ask: Callable[[], int], clock: Clock = SYSTEM_CLOCK) -> None:
        self._ask = ask
        self._clock = clock
        self._guard = threading.Lock()
        self._offset: int | None = None

    def now_ms(self) -> int:
        """Its time, as far as our own clock can tell since it was last asked."""
        with self._guard:
            if self._offset is None:
                self._offset = self._ask() - self._clock.running_ms()
            return self._clock.running_ms() + self._offset


def time_text(time_ms: int) -> str:
    """A time, in milliseconds since the epoch, as the history shows it, in UTC."""
    shown = datetime.fromtimestamp(time_ms / SECOND_MS, tz=timezone.utc)
    return f"{shown:%Y-%m-%d %H:%M:%S}"
