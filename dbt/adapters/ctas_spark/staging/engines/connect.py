"""A model's job in a session over Spark Connect."""

import threading
import time

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.engines.session import POLL_SECONDS, STOP_SECONDS


class ConnectJob:
    """A tag of its own on what a thread submits, so that no other run's statements are interrupted.

    ``stop_seconds`` is how long ``stop`` waits for statements that do not end.
    """

    def __init__(
        self,
        spark: SparkSession,
        group: str,
        canceled: threading.Event,
        stop_seconds: float = STOP_SECONDS,
    ) -> None:
        self.group = group
        self.stop_seconds = stop_seconds
        self._tag = group.replace(",", " ")  # the one letter that a tag may not have
        self._spark = spark
        self._canceled = canceled

    @property
    def canceled(self) -> bool:
        """True once the run was cancelled."""
        return self._canceled.is_set()

    def attach(self) -> None:
        """Make what this thread submits from now on part of the job; tags are the thread's own."""
        self._spark.clearTags()
        self._spark.addTag(self._tag)

    def cancel(self) -> None:
        """Ask the server to interrupt the job's statements."""
        self._spark.interruptTag(self._tag)

    def figures(self) -> WriteFigures:
        """A server tells nothing of what its jobs counted."""
        return WriteFigures()

    def stop(self) -> bool:
        """Interrupt until the server knows no running statement of the job; False if it can't say.

        The statement has ended by then. A task of it may take some moments more: the server does
        not tell. Clean-up that follows in this thread is not part of the job any more.
        """
        self._spark.clearTags()
        deadline = time.monotonic() + self.stop_seconds
        try:
            while self._spark.interruptTag(self._tag):
                if time.monotonic() > deadline:
                    return False
                time.sleep(POLL_SECONDS)
        except (PySparkException, OSError):
            return False
        return True
