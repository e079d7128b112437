"""When a warm Spark that nobody uses ends."""

from ctas_spark.warm.resident import Idle


class Watch:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_it_ends_when_nobody_came_for_its_time() -> None:
    """Also if nobody ever came."""
    watch = Watch()
    idle = Idle(60.0, watch)
    watch.now = 59.0
    assert not idle.is_over
    watch.now = 60.0
    assert idle.is_over


def test_a_run_holds_it_and_its_end_counts() -> None:
    """Of two runs the later one's."""
    watch = Watch()
    idle = Idle(60.0, watch)
    with idle.interrupted():
        with idle.interrupted():
            watch.now = 500.0
        assert not idle.is_over
        watch.now = 600.0
        assert not idle.is_over
    watch.now = 659.0
    assert not idle.is_over
    watch.now = 660.0
    assert idle.is_over
