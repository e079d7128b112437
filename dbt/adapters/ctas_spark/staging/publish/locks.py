"""The lock around a commit call, or around partition bookkeeping, where one is needed.

Source: HiveLock and its null object NoLock in Apache Iceberg's HiveTableOperations.

A server whose housekeeper runs (``hive.compactor.initiator.on``) ends a lock that nobody beats for
``hive.txn.timeout`` (300 s by default); any other one keeps it for good. So a waiting run releases
the locks of our own kind that were silent for that long.
"""

import itertools
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError, LockLostError, MetastoreError
from dbt.adapters.ctas_spark.staging.metastore.client import TableLockClient

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
        with self._guard:
            lock = self._locks[target]
        with lock:
            yield _nothing_to_check


OF_THIS_PROCESS = ProcessLock()


logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 30.0
POLL_SECONDS = 0.2
POLLS_BETWEEN_LOOKS = 50
SILENT_MS = 300_000
OWNER = "ctas-spark-"
LONGEST_WAIT_SECONDS = 600.0


class MetastoreLock:
    """An exclusive lock of every client of the metastore that asks for it.

    ``owner`` begins with ``OWNER``, by which a run's locks are told from other products'.
    """

    can_run_out = True

    def __init__(self, client: TableLockClient, owner: str) -> None:
        self._client = client
        self._owner = owner

    @contextmanager
    def held(self, target: TableName) -> Iterator[HeldCheck]:
        """Wait for the lock, beat it, give it back.

        Raises:
            LockLostError: it was not granted in time, or its server ended it.
        """
        lock = self._client.lock(target, self._owner)
        try:
            self._await(lock, target)
            with self._beaten(lock, target):
                yield lambda: self._check(lock, target)
        finally:
            self._release(lock, target)

    def _await(self, lock: int, target: TableName) -> None:
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        for poll in itertools.count():
            if self._client.is_granted(lock):
                return
            if poll % POLLS_BETWEEN_LOOKS == 0:
                self._release_silent(lock, target)
            if time.monotonic() > deadline:
                raise LockLostError(
                    f"the metastore's lock was not granted within {LONGEST_WAIT_SECONDS:.0f} s",
                    table=target,
                    left="what is published stays as it is",
                    remedy="SHOW LOCKS in Hive tells who holds it",
                )
            time.sleep(POLL_SECONDS)

    def _release_silent(self, ours: int, target: TableName) -> None:
        """The server's time is that of our own last beat, which was just now."""
        shown = self._client.locks_on(target)
        now_ms = max((lock.beaten_ms for lock in shown if lock.id == ours), default=0)
        for lock in shown:
            is_silent = now_ms - lock.beaten_ms >= SILENT_MS
            if lock.id != ours and is_silent and lock.owner.startswith(OWNER):
                self._client.unlock(lock.id)
                logger.info("%s: a lock that nobody renews (%s) was released", target, lock.owner)

    @contextmanager
    def _beaten(self, lock: int, target: TableName) -> Iterator[None]:
        ended = threading.Event()
        heart = threading.Thread(target=self._beat, args=(lock, target, ended), daemon=True)
        heart.start()
        try:
            yield
        finally:
            ended.set()
            heart.join()

    def _beat(self, lock: int, target: TableName, ended: threading.Event) -> None:
        while not ended.wait(HEARTBEAT_SECONDS):
            self._beat_once(lock, target)

    def _beat_once(self, lock: int, target: TableName) -> None:
        """A failure is only said: the holder's next check decides."""
        try:
            self._client.heartbeat(lock)
        except MetastoreError as error:
            logger.warning("the lock on %s was not renewed: %s", target, error)

    def _check(self, lock: int, target: TableName) -> None:
        try:
            self._client.heartbeat(lock)
        except EntryMissingError as error:
            raise LockLostError(
                "the metastore ended the lock while it was held",
                table=target,
                left="what is published stays as it is",
                remedy="run the model again; raise hive.txn.timeout if this happens often",
            ) from error

    def _release(self, lock: int, target: TableName) -> None:
        try:
            self._client.unlock(lock)
        except MetastoreError as error:
            logger.warning("the lock on %s was not released, and will time out: %s", target, error)
