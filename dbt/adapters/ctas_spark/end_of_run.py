"""The end of an invocation, when old versions of what it published are looked after.

No model waits for that. It has a few threads and limited time; the next run does the rest.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import ceil

from dbt.adapters.ctas_spark import dbt_edge
from dbt.adapters.ctas_spark.staging.catalogs.protocol import CleanUpOfOne, StagingCatalog
from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules

logger = logging.getLogger(__name__)

MOST_THREADS = 4
MOST_TOGETHER = 100
"""Tables that are read at once: what is read of them is in memory together."""
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
    if told := _told(freed, len(published)):
        say(told)


def _freed_in_time(published: list[Published], seconds: float) -> list[int | None]:
    """For each table that was reached, the number of versions freed; None where that failed."""
    freed: list[int | None] = []
    over, waiting = threading.Event(), deque(_batches(published))

    def work() -> None:
        with suppress(IndexError):  # none waits any more
            while not over.is_set():
                for one in _freed_of(waiting.popleft(), over):
                    freed.append(one)  # noqa: PERF402 (one after the other, for who stops waiting)

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


def _batches(published: list[Published]) -> Iterator[list[Published]]:
    """Tables whose records are in one staging schema, so that all threads have some."""
    of_schema: dict[tuple[int, str], list[Published]] = {}
    for one in published:
        of_schema.setdefault((id(one.catalog), one.context.staging_schema), []).append(one)
    size = min(MOST_TOGETHER, ceil(len(published) / MOST_THREADS))
    for tables in of_schema.values():
        for start in range(0, len(tables), size):
            yield tables[start : start + size]


def _freed_of(batch: list[Published], over: threading.Event) -> Iterator[int | None]:
    catalog = batch[0].catalog
    try:
        clean_up = catalog.clean_ups([(one.context, one.rules) for one in batch])
    except Exception as error:  # noqa: BLE001 (one by one, each table has its own error)
        logger.info("%d tables are looked after one by one: %s", len(batch), error)
        clean_up = catalog.clean_up
    for one in batch:
        if over.is_set():
            return
        yield _freed(one, clean_up, over)


def _freed(one: Published, clean_up: CleanUpOfOne, over: threading.Event) -> int | None:
    """Keep its figures and delete versions; how many, or None if that failed."""
    try:
        counted = {one.version: one.figures}
        return len(clean_up(one.context, one.rules, counted=counted).freed)
    except Exception as error:  # noqa: BLE001 (whatever it is, the other tables go on)
        if not over.is_set():
            what = error.what if isinstance(error, StagingError) else dbt_edge.message(error)
            said = dbt_edge.in_words(what)
            logger.warning("%s: old versions stay for now: %s", one.context.target, said)
            logger.info("%s", dbt_edge.full_text(error))
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
