"""Over a table without our marker the compare-and-swap expects a time, kept in whole seconds.

A rival's commit moves that time on; an INSERT or ALTER right after it sets it to "now" again. Were
"now" still the second that we expect, our call would be let through over the rival's version.
"""

import time
from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry

LONGEST_WAIT_SECONDS = 3.0
POLL_SECONDS = 0.1


def wait_out(base: Base, staged: TableEntry, storage_time: Callable[[], int]) -> None:
    """Return once the second that the call expects is over.

    The record's own time is the metastore's at the end of the job: nearly always that is proof
    enough. A base whose time lies in the future is waited for no longer than a few seconds.

    Args:
        storage_time: the storage's time in milliseconds.
    """
    expected = base.entry.last_ddl_time if base.entry else None
    if expected is None or base.marker is not None or _is_later(staged, expected):
        return
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while storage_time() // 1000 <= expected + 1 and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)


def _is_later(staged: TableEntry, expected: int) -> bool:
    return staged.last_ddl_time is not None and staged.last_ddl_time > expected
