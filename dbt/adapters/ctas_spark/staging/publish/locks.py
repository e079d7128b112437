"""The lock around a commit call, or around partition bookkeeping, where one is needed.

Source: HiveLock and its null object NoLock in Apache Iceberg's HiveTableOperations.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import TableName

HeldCheck = Callable[[], None]
"""Raises LockLostError when the lock is not held any more."""


class CommitLock(Protocol):
    """Held while the base is compared and the commit call is made.

    ``can_run_out`` says that the lock may end while its holder is paused.
    """

    @property
    def can_run_out(self) -> bool:
        """True if somebody else may get the lock before its holder gave it back."""

    @contextmanager
    def held(self, target: TableName) -> Iterator[HeldCheck]:
        """Hold the lock on ``target`` while the block runs."""


def _nothing_to_check() -> None:
    return


class NoLock:
    """Where the metastore compares and swaps by itself."""

    can_run_out = False

    @contextmanager
    def held(self, target: TableName) -> Iterator[HeldCheck]:  # noqa: ARG002 (the protocol's shape)
        """Hold nothing."""
        yield _nothing_to_check


class ProcessLock:
    """One lock for a target: enough where no other process can be a writer.

    Every catalog of a process has to use the same one, ``OF_THIS_PROCESS``.
    """

    can_run_out = False

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: defaultdict[TableName, threading.Lock] = defaultdict(threading.Lock)

    @contextmanager
    def held(self, target: TableName) -> Iterator[HeldCheck]:
        """Hold the target's lock."""
        with self._guard:
            lock = self._locks[target]
        with lock:
            yield _nothing_to_check


OF_THIS_PROCESS = ProcessLock()
