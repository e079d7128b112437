"""Which nodes of a shared session run at the same time, and which wait for each other."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from ctas_spark.errors import JobCanceledError, NotSupportedError
from dbt.adapters.ctas_spark.turns import MODE, Needs, Turn, Turns

SECONDS = 60
ZONE = "spark.sql.session.timeZone"
DYNAMIC = {MODE: "DYNAMIC"}
NOTHING: Mapping[str, str] = {}


class Nodes:
    """Nodes in threads of their own; those that still wait when the test ends are cancelled."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self.turns = Turns()
        self.over = Event()
        self._threads = threads

    def run(
        self, turn: Turn, sets: Mapping[str, str] = NOTHING, *, overwrites: bool = False
    ) -> None:
        """A statement that need not wait."""
        self.turns.take(turn, sets, overwrites=overwrites, is_canceled=lambda: True)

    def wait(
        self, turn: Turn, sets: Mapping[str, str] = NOTHING, *, overwrites: bool = False
    ) -> Future[None]:
        """A statement, once it has to wait."""
        waits = Event()

        def is_canceled() -> bool:
            waits.set()
            return self.over.is_set()

        taken = self._threads.submit(
            lambda: self.turns.take(turn, sets, overwrites=overwrites, is_canceled=is_canceled)
        )
        assert waits.wait(SECONDS)
        return taken


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    """Those of one session."""
    with ThreadPoolExecutor() as threads:
        made = Nodes(threads)
        try:
            yield made
        finally:
            made.over.set()


@pytest.mark.parametrize(
    ("one", "other", "are_met"),
    [
        (Needs(), Needs(), True),
        (Needs({ZONE: "UTC"}), Needs(), False),
        (Needs({ZONE: "UTC"}), Needs({ZONE: "UTC"}), True),
        (Needs({ZONE: "UTC"}), Needs({ZONE: "CET"}), False),
        (Needs({ZONE: "UTC"}), Needs({ZONE: "UTC", "a": "b"}), False),
        (Needs(DYNAMIC), Needs(), True),
        (Needs(DYNAMIC), Needs({MODE: "STATIC"}), False),
        (Needs(DYNAMIC), Needs(overwrites=True), False),
        (Needs().and_those(DYNAMIC, overwrites=True), Needs(DYNAMIC), True),
    ],
)
def test_nodes_run_beside_those_whose_settings_mean_nothing_to_them(
    one: Needs,
    other: Needs,
    are_met: bool,  # noqa: FBT001 (a parameter of the test)
) -> None:
    """Or are the same."""
    assert one.are_met_beside(other) is other.are_met_beside(one) is are_met


def test_a_batch_runs_beside_its_own_model(nodes: Nodes) -> None:
    """In whose thread it runs."""
    nodes.run(Turn(1))
    nodes.run(Turn(1), {"a": "b"})


def test_a_node_that_sets_something_waits_for_those_that_run(nodes: Nodes) -> None:
    """And those that come after it wait for its end."""
    plain, setting, later = Turn(1), Turn(2), Turn(3)
    nodes.run(plain)
    set_at_last = nodes.wait(setting, {"a": "b"})
    begun_at_last = nodes.wait(later)
    nodes.turns.end(plain)
    set_at_last.result(SECONDS)
    assert not later.runs
    nodes.turns.end(setting)
    begun_at_last.result(SECONDS)
    assert later.runs


def test_of_two_that_set_one_setting_the_second_waits(nodes: Nodes) -> None:
    """If the values differ; neither fails, whatever their order."""
    first, second = Turn(1), Turn(2)
    nodes.run(first, {"a": "b"})
    taken = nodes.wait(second, {"a": "c"})
    nodes.run(first)
    nodes.turns.end(first)
    taken.result(SECONDS)


def test_two_that_run_and_would_wait_for_each_other_are_refused(nodes: Nodes) -> None:
    """The second of them, by the setting's name; the first goes on once that has ended."""
    first, second = Turn(1), Turn(2)
    nodes.run(first)
    nodes.run(second)
    taken = nodes.wait(first, {"a": "b"})
    with pytest.raises(NotSupportedError, match="sets a in the session that both use"):
        nodes.run(second, {"a": "c"})
    nodes.turns.end(second)
    taken.result(SECONDS)


def test_an_overwrite_under_its_own_mode_waits_for_nobody(nodes: Nodes) -> None:
    """Though one without that mode waits for its end, and then for that of the next."""
    static, dynamic, next_dynamic = Turn(1), Turn(2), Turn(3)
    nodes.run(static)
    nodes.run(next_dynamic)
    nodes.run(dynamic, DYNAMIC)
    taken = nodes.wait(static, overwrites=True)
    nodes.run(dynamic, overwrites=True)
    nodes.run(next_dynamic, DYNAMIC)
    nodes.run(next_dynamic, overwrites=True)
    nodes.turns.end(dynamic)
    nodes.turns.end(next_dynamic)
    taken.result(SECONDS)


def test_two_that_run_and_set_the_same_go_on_together(nodes: Nodes) -> None:
    """Once those that set nothing have ended."""
    plain, first, second = Turn(1), Turn(2), Turn(3)
    for one in (plain, first, second):
        nodes.run(one)
    both = [nodes.wait(one, {"a": "b"}) for one in (first, second)]
    nodes.turns.end(plain)
    for taken in both:
        taken.result(SECONDS)


def test_a_cancelled_node_waits_no_longer(nodes: Nodes) -> None:
    """And what it would have set is in nobody's way."""
    first, second, third = Turn(1), Turn(2), Turn(3)
    nodes.run(first)
    with pytest.raises(JobCanceledError):
        nodes.run(second, {"a": "b"})
    nodes.turns.end(second)
    nodes.run(third)
    assert third.runs
