"""The end of an invocation: old versions of what it published are looked after, never before.

No model waits for it. It has a few threads and a bound in time; what it does not get to, the next
run does.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules

logger = logging.getLogger(__name__)

MOST_THREADS = 4
SECONDS = 120.0
SECONDS_WHEN_INTERRUPTED = 3.0
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Published:
    """A version that this run has published, and the rules for those before it."""

    catalog: StagingCatalog
    context: StagingContext
    rules: RetentionRules
    version: str
    figures: WriteFigures

    def look_after(self) -> int:
        """Keep its figures, then delete what the rules let go; how many versions that were."""
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

    def run(self, say: Say, *, interrupted: bool = False) -> None:
        """Look after all that was added since the last time; one table's trouble stops no other's.

        Args:
            say: told the one line with the counts, if there is something to say.
            interrupted: somebody waits for the end of the process, so it takes few seconds.
        """
        with self._guard:
            published, self._published = self._published, []
        if not published:
            return
        work = _Work(published)
        work.do(SECONDS_WHEN_INTERRUPTED if interrupted else SECONDS)
        if told := work.told():
            say(told)


@dataclass(slots=True)
class _Work:
    """One round over what was published; its threads are daemons, so that a hung call ends it.

    ``freed`` has the number of versions for each table that was looked after, None if that failed.
    """

    published: list[Published]
    freed: list[int | None] = field(default_factory=list)
    _stopped: threading.Event = field(default_factory=threading.Event)

    def do(self, seconds: float) -> None:
        """Return when all is done, or the time is over."""
        waiting: queue.SimpleQueue[Published] = queue.SimpleQueue()
        for one in self.published:
            waiting.put(one)
        # plain threads: PySpark's InheritableThread would bring a model's job group along
        threads = [
            threading.Thread(target=self._worker, args=(waiting,), daemon=True, name="end-of-run")
            for _ in range(min(MOST_THREADS, len(self.published)))
        ]
        deadline = time.monotonic() + seconds
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(max(0.0, deadline - time.monotonic()))
        finally:
            self._stopped.set()

    def told(self) -> str:
        """The counts, as a line; empty if nothing was deleted and nothing is left."""
        done = list(self.freed)
        freed, failed, left = (
            sum(filter(None, done)),
            done.count(None),
            len(self.published) - len(done),
        )
        said = (
            (freed, f"{freed} old versions were deleted"),
            (failed, f"those of {failed} tables stay for now"),
            (left, f"those of {left} tables are left to the next run"),
        )
        return "; ".join(text for count, text in said if count)

    def _worker(self, waiting: "queue.SimpleQueue[Published]") -> None:
        while not self._stopped.is_set():
            try:
                one = waiting.get_nowait()
            except queue.Empty:
                return
            self.freed.append(self._looked_after(one))

    def _looked_after(self, one: Published) -> int | None:
        try:
            return one.look_after()
        except Exception as error:  # noqa: BLE001 (whatever it is, the other tables go on)
            what = error.what if isinstance(error, StagingError) else str(error)
            if not self._stopped.is_set():
                logger.warning("%s: old versions stay for now: %s", one.context.target, what)
            return None
