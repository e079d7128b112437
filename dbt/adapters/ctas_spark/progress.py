"""How far a long statement is: lines at growing intervals, the same on a terminal and elsewhere."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context

from ctas_spark.engines.protocol import StoppableJob
from dbt.adapters.ctas_spark.dbt_edge import logger

FIRST_SECONDS = 30.0
LATER = 0.25
"""Part of the time so far until the next line: an hour has some 18 of them."""


@contextmanager
def reported(node: str, job: StoppableJob) -> Iterator[None]:
    """Around one statement of the job: say how far it is, unless it ends before the first line."""
    ended, began = threading.Event(), time.monotonic()

    def tell() -> None:
        while not ended.wait(max(FIRST_SECONDS, LATER * (time.monotonic() - began))):
            said = job.progress()
            if said and not ended.is_set():
                logger.info(f"{node}: after {time.monotonic() - began:.0f} s {said}")

    # in this thread's context, from which dbt takes the node of a line in JSON
    teller = threading.Thread(target=copy_context().run, args=(tell,), daemon=True, name="progress")
    teller.start()
    try:
        yield
    finally:
        ended.set()
