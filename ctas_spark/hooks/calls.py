"""Calls users' hooks: each once for an event, apart from the run, and for a limited time."""

import contextvars
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from .event import JobState, PublicationEvent

logger = logging.getLogger(__name__)

SECONDS = 10
MOST_LATE = 3
GIVEN_UP = f"it was late {MOST_LATE} times in a row, and was not called again"
NOT_AFFECTED = "the tables are not affected"


class PublicationHook:
    """What a hook may have: methods that it does not have are not called.

    They are called after the fact, in a thread of their own, and nothing that they do or raise
    changes what is published. ``on_created`` comes first, then one of the others; a node that is
    refused before it begins has ``on_failed`` alone.
    """

    def on_created(self, event: PublicationEvent) -> None:
        """The target was looked at, and its new version is about to be staged."""

    def on_finished(self, event: PublicationEvent) -> None:
        """The version was published, or the table that exists was kept."""

    def on_failed(self, event: PublicationEvent) -> None:
        """Nothing was published, unless ``event.outcome`` says otherwise."""

    def on_canceled(self, event: PublicationEvent) -> None:
        """As ``on_failed``, because the run was cancelled."""


class _Call(threading.Thread):
    """One method of one hook with one event, after an earlier call of the same publication.

    A daemon, so that a hook that hangs does not hold the process.
    """

    def __init__(
        self, name: str, hook: object, event: PublicationEvent, before: "_Call | None"
    ) -> None:
        super().__init__(daemon=True, name=f"hook {name}")
        self.method = f"on_{event.state.value}"
        self.error: BaseException | None = None
        self._call: Callable[[PublicationEvent], object] | None = getattr(hook, self.method, None)
        self._event = event
        self._before = before
        self._context = contextvars.copy_context()

    def run(self) -> None:
        if self._before is not None:
            self._before.join()
        try:
            if self._call is not None:
                self._context.run(self._call, self._event)
        except BaseException as error:  # noqa: BLE001 (whatever a hook raises is only reported)
            self.error = error


class Hooks:
    """The hooks of one run, by the names that reports of them use.

    ``seconds`` is how long the end of a publication waits for all of them. A hook that exceeds it
    several times in a row is left alone from then on: otherwise one server that does not answer
    would hold up every publication. ``note`` gets a line for each call that failed, and ``say``
    one for each hook of which any did, when the run ends.
    """

    def __init__(
        self,
        hooks: Mapping[str, object],
        seconds: float = SECONDS,
        say: Callable[[str], None] = logger.warning,
        note: Callable[[str], None] = logger.info,
    ) -> None:
        self._hooks = dict(hooks)
        self._seconds = seconds
        self._say = say
        self._note = note
        self._failed: dict[str, list[str]] = {}
        self._late = Counter[str]()
        self._begun: dict[str, dict[str, _Call]] = {}

    def __bool__(self) -> bool:
        return bool(self._hooks)

    def notify(self, event: PublicationEvent) -> None:
        """Call every hook; only the end of a publication waits for them, and notes failures."""
        before = self._begun.pop(event.publication, {})
        calls = {
            name: _Call(name, hook, event, before.get(name))
            for name, hook in self._hooks.items()
            if self._late[name] < MOST_LATE
        }
        for call in calls.values():
            call.start()
        if event.state is JobState.CREATED:
            self._begun[event.publication] = calls
            return
        _wait_for(calls.values(), self._seconds)
        for name, call in calls.items():
            self._look_at(name, event, [one for one in (before.get(name), call) if one])

    def report(self) -> None:
        """Say of each hook how often it failed, once: a run has many tables, and one server."""
        for name, failed in self._failed.items():
            often = "" if len(failed) == 1 else f" {len(failed)} times, first"
            dropped = f"; {GIVEN_UP}" if self._late[name] >= MOST_LATE else ""
            self._say(f"hook {name} failed{often} for {failed[0]}{dropped}; {NOT_AFFECTED}")
        self._failed.clear()

    def _look_at(self, name: str, event: PublicationEvent, calls: list[_Call]) -> None:
        late = next((one for one in calls if one.is_alive()), None)
        self._late[name] = self._late[name] + 1 if late else 0
        wrong = [
            (call, f"raised {type(call.error).__name__}: {call.error}")
            for call in calls
            if call.error is not None
        ]
        if late:
            wrong.append((late, f"did not end within {self._seconds:g} s"))
        for call, what in wrong:
            self._note(f"hook {name} failed for {event.table}: {call.method} {what}")
            self._failed.setdefault(name, []).append(f"{event.table}: {call.method} {what}")


def _wait_for(calls: Iterable[_Call], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    for call in calls:
        call.join(max(0.0, deadline - time.monotonic()))
