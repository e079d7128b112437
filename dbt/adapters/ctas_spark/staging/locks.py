"""The lock around a commit call, for metastores whose only clients are in this process.

Source: HiveLock and its null object NoLock in Apache Iceberg's HiveTableOperations.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import TableName


class CommitLock(Protocol):
    """Held while the base is compared and the commit call is made."""

    @contextmanager
    def held(self, target: TableName) -> Iterator[None]:
        """Hold the lock on ``target`` while the block runs."""


class NoLock:
    """Where the metastore compares and swaps by itself."""

    @contextmanager
    def held(self, target: TableName) -> Iterator[None]:  # noqa: ARG002 (the protocol's shape)
        """Hold nothing."""
        yield


class ProcessLock:
    """One lock for a target: enough where no other process can be a writer.

    Every catalog of a process has to use the same one, ``OF_THIS_PROCESS``.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: defaultdict[TableName, threading.Lock] = defaultdict(threading.Lock)

    @contextmanager
    def held(self, target: TableName) -> Iterator[None]:
        """Hold the target's lock."""
        with self._guard:
            lock = self._locks[target]
        with lock:
            yield


OF_THIS_PROCESS = ProcessLock()
