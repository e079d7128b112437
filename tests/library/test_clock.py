"""The clocks that ages are measured by."""

import time

from ctas_spark.clock import SYSTEM_CLOCK, ReadClock, Stopwatch, time_text
from fakes.clock import FakeClock


def test_a_stopwatch_shows_the_longer_of_two_clocks() -> None:
    """A clock that was set back, or one that stood while the machine slept, hides no time."""
    clock = FakeClock()
    watch = Stopwatch(clock)
    clock.pass_ms(5)
    assert watch.elapsed_ms() == 5
    clock.wall -= 1_000_000
    assert watch.elapsed_ms() == 5
    clock.wall += 1_000_300
    assert watch.elapsed_ms() == 305


def test_another_machines_clock_is_asked_once_and_carried_on() -> None:
    """By our own clock that nobody sets."""
    clock, asked = FakeClock(), []

    def ask() -> int:
        asked.append(1)
        return 1_000 * len(asked)

    other = ReadClock(ask, clock)
    assert asked == []
    assert other.now_ms() == 1_000
    clock.running += 7
    clock.wall -= 9_000_000
    assert (other.now_ms(), len(asked)) == (1_007, 1)


def test_the_systems_clocks_are_in_milliseconds() -> None:
    """Of UTC, and of a clock that only goes on."""
    before = time.time() * 1000
    assert before - 1 <= SYSTEM_CLOCK.wall_ms() <= time.time() * 1000 + 1
    first = SYSTEM_CLOCK.running_ms()
    assert SYSTEM_CLOCK.running_ms() >= first > 0


def test_times_are_shown_in_utc() -> None:
    """To the second."""
    assert time_text(1_700_000_000_999) == "2023-11-14 22:13:20"
