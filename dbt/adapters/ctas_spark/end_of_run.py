"""The end of an invocation, when old versions of what it published are looked after.

No model waits for that. It has a few threads and limited time; the next run does the rest.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from ctas_spark.context import StagingContext
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import StagingError
from ctas_spark.publish.catalog import CleanUpOfOne, Ruled, StagingCatalog
from ctas_spark.retention.rules import RetentionRules
from dbt.adapters.ctas_spark import dbt_edge

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


def look_after(
    published: list[Published], say: Callable[[str], None], *, interrupted: bool = False
) -> None:
    """Delete what the rules of each let go, and ``say`` the counts, if there are any.

    One table's trouble stops no other's. An ``interrupted`` run takes a few seconds at most:
    somebody waits for the end of the process.
    """
    freed = _freed_in_time(published, SECONDS_WHEN_INTERRUPTED if interrupted else SECONDS)
    if line := _freed_line(freed, len(published)):
        say(line)


def _freed_in_time(published: list[Published], seconds: float) -> list[int | None]:
    """For each table that was reached, the number of versions freed; None where that failed."""
    freed: list[int | None] = []
    over, waiting = threading.Event(), deque(_in_groups(published))

    def work() -> None:
        with suppress(IndexError):  # none waits any more
            while not over.is_set():
                one, together = waiting.popleft()
                freed.append(_freed(one, together, over))

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


@dataclass(slots=True)
class _Together:
    """Tables whose records are in one staging schema: whoever comes first looks at all of them."""

    catalog: StagingCatalog
    tables: list[Ruled] = field(default_factory=list)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _clean_up: CleanUpOfOne | None = None

    def clean_up(self) -> CleanUpOfOne:
        """The clean-up of any of them."""
        with self._guard:
            if self._clean_up is None:
                self._clean_up = self._looked()
            return self._clean_up

    def _looked(self) -> CleanUpOfOne:
        try:
            return self.catalog.clean_ups(self.tables)
        except Exception as error:  # noqa: BLE001 (one by one, each table has its own error)
            logger.info("%d tables are looked after one by one: %s", len(self.tables), error)
            return self.catalog.clean_up


def _in_groups(published: list[Published]) -> Iterator[tuple[Published, _Together]]:
    groups: dict[tuple[int, str], _Together] = {}
    for one in published:
        key = id(one.catalog), one.context.staging_schema
        groups.setdefault(key, _Together(one.catalog)).tables.append((one.context, one.rules))
    for one in published:
        yield one, groups[id(one.catalog), one.context.staging_schema]


def _freed(one: Published, together: _Together, over: threading.Event) -> int | None:
    """Delete its old versions; how many, or None if that failed."""
    try:
        swept = together.clean_up()(one.context, one.rules)
        swept.require_all()
        return len(swept.freed)
    except Exception as error:  # noqa: BLE001 (whatever it is, the other tables go on)
        if not over.is_set():
            what = error.what if isinstance(error, StagingError) else dbt_edge.message(error)
            said = dbt_edge.in_words(what)
            logger.warning(
                "%s: old versions were not deleted this time: %s", one.context.target, said
            )
            logger.info("%s", dbt_edge.full_text(error))
        return None


def _freed_line(freed: list[int | None], published: int) -> str:
    """The counts, as a line; empty if nothing was deleted and nothing is left."""
    count, failed, left = sum(filter(None, freed)), freed.count(None), published - len(freed)
    said = (
        (count, f"{_counted(count, 'old version')} deleted"),
        (failed, f"{_counted(failed, 'table')} not cleaned up, because of an error"),
        (left, f"{_counted(left, 'table')} left to the next run's clean-up"),
    )
    return "; ".join(text for number, text in said if number)


def _counted(number: int, noun: str) -> str:
    return f"1 {noun} was" if number == 1 else f"{number} {noun}s were"
