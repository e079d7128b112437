"""Which nodes of a shared session run at the same time, and which wait for each other."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from ctas_spark.errors import JobCanceledError, NotSupportedError
from dbt.adapters.ctas_spark.turns import MODE, Turn, Turns

SECONDS = 60
ZONE = "spark.sql.session.timeZone"


def take(
    turns: Turns,
    turn: Turn,
    *,
    is_canceled: Callable[[], bool] = lambda: False,
    a: str = "",
) -> None:
    """The node's next statement, which may set ``a``."""
    turns.take(turn, {"a": a} if a else {}, overwrites=False, is_canceled=is_canceled)


def waiting(threads: ThreadPoolExecutor, turns: Turns, turn: Turn, a: str = "") -> Future[None]:
    """The same in another thread, once it has to wait."""
    waits = Event()

    def waited() -> bool:
        waits.set()
        return False

    taken = threads.submit(lambda: take(turns, turn, is_canceled=waited, a=a))
    assert waits.wait(SECONDS)
    return taken


@pytest.mark.parametrize(
    ("one", "other", "is_beside"),
    [
        (Turn(1), Turn(2), True),
        (Turn(1, {ZONE: "UTC"}), Turn(2), False),
        (Turn(1, {ZONE: "UTC"}), Turn(2, {ZONE: "UTC"}), True),
        (Turn(1, {ZONE: "UTC"}), Turn(2, {ZONE: "CET"}), False),
        (Turn(1, {ZONE: "UTC"}), Turn(2, {ZONE: "UTC", "a": "b"}), False),
        (Turn(1, {MODE: "DYNAMIC"}), Turn(2), True),
        (Turn(1, {MODE: "DYNAMIC"}), Turn(2, {MODE: "STATIC"}), False),
        (Turn(1, {MODE: "DYNAMIC"}), Turn(2, overwrites=True), False),
        (Turn(1, {MODE: "DYNAMIC"}, overwrites=True), Turn(2, {MODE: "DYNAMIC"}), True),
        (Turn(1, {ZONE: "UTC"}), Turn(1), True),
    ],
)
def test_nodes_run_beside_those_whose_settings_mean_nothing_to_them(
    one: Turn,
    other: Turn,
    is_beside: bool,  # noqa: FBT001 (a parameter of the test)
) -> None:
    """Or are the same; and a batch beside its own model, whose thread it runs in."""
    assert one.is_beside(other) is other.is_beside(one) is is_beside


def test_a_node_that_sets_something_waits_for_those_that_run() -> None:
    """And those that come after it wait for its end."""
    turns, plain, setting, later = Turns(), Turn(1), Turn(2), Turn(3)
    with ThreadPoolExecutor() as threads:
        take(turns, plain)
        set_at_last = waiting(threads, turns, setting, a="b")
        begun_at_last = waiting(threads, turns, later)
        turns.end(plain)
        set_at_last.result(SECONDS)
        assert not later.runs
        turns.end(setting)
        begun_at_last.result(SECONDS)
        assert later.runs


def test_of_two_that_set_one_setting_the_second_waits() -> None:
    """If the values differ; neither fails, whatever their order."""
    turns, first, second = Turns(), Turn(1), Turn(2)
    with ThreadPoolExecutor() as threads:
        take(turns, first, a="b")
        taken = waiting(threads, turns, second, a="c")
        take(turns, first)
        turns.end(first)
        taken.result(SECONDS)


def test_two_that_run_and_would_wait_for_each_other_are_refused() -> None:
    """The second of them, by the setting's name; the first goes on once that has ended."""
    turns, first, second = Turns(), Turn(1), Turn(2)
    with ThreadPoolExecutor() as threads:
        take(turns, first)
        take(turns, second)
        taken = waiting(threads, turns, first, a="b")
        with pytest.raises(NotSupportedError, match="sets a in the session that both use"):
            take(turns, second, a="c")
        turns.end(second)
        taken.result(SECONDS)


def test_a_cancelled_node_waits_no_longer() -> None:
    """And what it would have set is in nobody's way."""
    turns, first, second, third = Turns(), Turn(1), Turn(2), Turn(3)
    take(turns, first)
    with pytest.raises(JobCanceledError):
        take(turns, second, is_canceled=lambda: True, a="b")
    turns.end(second)
    take(turns, third)
    assert third.runs
