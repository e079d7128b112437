"""Each hook is called once for an event, and can neither break nor hold up a publication."""

import threading

import pytest

from ctas_spark.hooks import Hooks, JobState, PublicationEvent
from ctas_spark.hooks.calls import MOST_LATE
from fakes.hooks import EVENT, Noting

SOON = 0.05
FINISHED = EVENT.turned(JobState.FINISHED)


@pytest.mark.parametrize("end", [JobState.FINISHED, JobState.FAILED, JobState.CANCELED])
def test_each_hook_gets_each_event_once_and_in_order(end: JobState) -> None:
    """First that the job was created, then its end; the events are those that were told."""
    hooks = {"one": Noting(), "two": Noting()}
    told = EVENT, EVENT.turned(end)
    calls = Hooks(hooks)
    for event in told:
        calls.notify(event)
    for hook in hooks.values():
        assert hook.names == ["on_created", f"on_{end.value}"]
        assert [event for _, event in hook.calls] == list(told)


def test_a_hook_needs_only_the_methods_that_it_wants() -> None:
    """Any object will do."""

    class OnlyFailures:
        seen: PublicationEvent | None = None

        def on_failed(self, event: PublicationEvent) -> None:
            self.seen = event

    hook, said = OnlyFailures(), list[str]()
    calls = Hooks({"pager": hook}, say=said.append)
    failed = EVENT.turned(JobState.FAILED)
    for event in (EVENT, failed):
        calls.notify(event)
    assert hook.seen == failed
    assert said == []


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit("no"), KeyboardInterrupt("no")])
def test_a_hook_that_raises_is_reported_and_stops_no_other(error: BaseException) -> None:
    """A line of the log for each call, and one warning for all of them when the run ends."""
    broken, whole, said, noted = Noting(error), Noting(), list[str](), list[str]()
    calls = Hooks({"broken": broken, "whole": whole}, say=said.append, note=noted.append)
    for event in (EVENT, FINISHED):
        calls.notify(event)
    assert whole.names == broken.names == ["on_created", "on_finished"]
    kind = type(error).__name__
    assert noted == [
        f"hook broken failed for shop.orders: {method} raised {kind}: no"
        for method in ("on_created", "on_finished")
    ]
    assert said == []
    calls.report()
    calls.report()
    (warning,) = said
    assert warning == (
        f"hook broken failed 2 times, first for shop.orders: on_created raised {kind}: no; "
        "the tables are not affected"
    )


def test_a_job_does_not_wait_for_what_hooks_do_when_it_is_created() -> None:
    """Only the end of the publication waits, and gets what they did after their first call."""
    hook = Noting(hangs=True)
    calls = Hooks({"slow": hook})
    calls.notify(EVENT)
    assert hook.names == []
    hook.go_on.set()
    calls.notify(FINISHED)
    assert hook.names == ["on_created", "on_finished"]


def test_the_end_of_a_publication_waits_only_so_long() -> None:
    """A hook that hangs is reported, and neither holds the others nor the process."""
    hanging, whole, said = Noting(hangs=True), Noting(), list[str]()
    calls = Hooks({"hanging": hanging, "whole": whole}, SOON, said.append)
    calls.notify(FINISHED)
    assert whole.names == ["on_finished"]
    calls.report()
    (warning,) = said
    assert warning == (
        "hook hanging failed for shop.orders: on_finished did not end within 0.05 s; "
        "the tables are not affected"
    )
    (thread,) = [one for one in threading.enumerate() if one.name == "hook hanging"]
    assert thread.daemon
    hanging.go_on.set()
    thread.join(60)


def test_a_hook_that_never_answers_is_left_alone_after_a_while() -> None:
    """Otherwise each publication of the run would wait for it; the warning says so."""
    hanging, said = Noting(hangs=True), list[str]()
    calls = Hooks({"hanging": hanging}, SOON, said.append)
    for _ in range(MOST_LATE + 2):
        calls.notify(FINISHED)
    calls.report()
    (warning,) = said
    assert f"failed {MOST_LATE} times, first for shop.orders" in warning
    assert f"it was late {MOST_LATE} times in a row, and was not called again" in warning
    hanging.go_on.set()


def test_without_hooks_there_is_nothing_to_tell() -> None:
    """Nobody makes an event then."""
    assert not Hooks({})
    assert Hooks({"one": Noting()})
