"""The end of an invocation: old versions of what it published are looked after, and never earlier.

No model waits for that. It has a few threads and limited time; the next run does the rest.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules

logger = logging.getLogger(__name__)

MOST_THREADS = 4
SECONDS = 120.0
SECONDS_WHEN_INTERRUPTED = 3.0


@dataclass(frozen=True, slots=True)
class Published:
    """A version that this run has published, and the rules for the versions before it."""

    catalog: StagingCatalog
    context: StagingContext
    rules: RetentionRules
    version: str
    figures: WriteFigures

    def look_after(self) -> int:
        """Keep its figures, then delete what the rules let go; returns the number of versions."""
        self.catalog.remember(self.context, self.version, self.figures)
        return len(self.catalog.clean_up(self.context, self.rules).freed)


class EndOfRun:
    """Collects what models publish, in any thread; ``run`` looks after it, once."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._published: list[Published] = []

    def add(self, published: Published) -> None:
        with self._guard:
            self._published.append(published)

    def run(self, say: Callable[[str], None], *, interrupted: bool = False) -> None:
        """Look after what was added since the last call, and ``say`` the counts, if there are any.

        One table's trouble stops no other's. An ``interrupted`` run takes a few seconds at most:
        somebody waits for the end of the process.
        """
        with self._guard:
            published, self._published = self._published, []
        if not published:
            return
        freed = _look_after(published, SECONDS_WHEN_INTERRUPTED if interrupted else SECONDS)
        if told := _told(freed, len(published)):
            say(told)


def _look_after(published: list[Published], seconds: float) -> list[int | None]:
    """The number of versions freed of each table that was reached; None where that failed."""
    freed: list[int | None] = []
    over = threading.Event()
    waiting: queue.SimpleQueue[Published] = queue.SimpleQueue()
    for one in published:
        waiting.put(one)

    def work() -> None:
        while not (over.is_set() or waiting.empty()):
            with suppress(queue.Empty):
                freed.append(_freed(waiting.get_nowait(), over))

    # Daemons, so that a call that hangs does not hold the process; and plain threads, because
    # PySpark's InheritableThread would bring a model's job group along.
    count = min(MOST_THREADS, len(published))
    threads = [threading.Thread(target=work, daemon=True, name="end-of-run") for _ in range(count)]
    deadline = time.monotonic() + seconds
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
    finally:
        over.set()
    return list(freed)


def _freed(one: Published, over: threading.Event) -> int | None:
    try:
        return one.look_after()
    except Exception as error:  # noqa: BLE001 (whatever it is, the other tables go on)
        if not over.is_set():
            what = error.what if isinstance(error, StagingError) else str(error)
            logger.warning("%s: old versions stay for now: %s", one.context.target, what)
        return None


def _told(freed: list[int | None], published: int) -> str:
    """The counts, as a line; empty if nothing was deleted and nothing is left."""
    count, failed, left = sum(filter(None, freed)), freed.count(None), published - len(freed)
    said = (
        (count, f"{count} old versions were deleted"),
        (failed, f"those of {failed} tables stay for now"),
        (left, f"those of {left} tables are left to the next run"),
    )
    return "; ".join(text for number, text in said if number)
