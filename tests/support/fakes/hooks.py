"""Hooks of users, as they may be, and an event for them."""

import threading
from typing import Any

from ctas_spark.hooks import JobState, PublicationEvent, PublicationHook

EVENT = PublicationEvent(
    JobState.CREATED, ("spark_catalog", "shop", "orders"), "run-1", "model.shop.orders"
)


class Noting(PublicationHook):
    """Notes each call; raises ``error`` in every one, or waits for ``go_on``."""

    def __init__(self, error: BaseException | None = None, *, hangs: bool = False) -> None:
        self.calls: list[tuple[str, PublicationEvent]] = []
        self.error = error
        self.go_on = threading.Event()
        if not hangs:
            self.go_on.set()

    @property
    def names(self) -> list[str]:
        """The methods that were called."""
        return [name for name, _ in self.calls]

    def on_created(self, event: PublicationEvent) -> None:
        self._note("on_created", event)

    def on_finished(self, event: PublicationEvent) -> None:
        self._note("on_finished", event)

    def on_failed(self, event: PublicationEvent) -> None:
        self._note("on_failed", event)

    def on_canceled(self, event: PublicationEvent) -> None:
        self._note("on_canceled", event)

    def _note(self, name: str, event: PublicationEvent) -> None:
        self.go_on.wait(60)
        self.calls.append((name, event))
        if self.error is not None:
            raise self.error


def noting(**options: Any) -> Noting:
    """A function that makes a hook, as an entry point or a profile may name it."""
    return Noting(options.get("error"))


NOT_A_FACTORY = "a text"
