"""The lock around a commit call, or around partition bookkeeping, where one is needed.

Source: HiveLock and its null object NoLock in Apache Iceberg's HiveTableOperations.

A server whose housekeeper runs (``hive.compactor.initiator.on``) ends a lock that nobody beats for
``hive.txn.timeout`` (300 s by default); any other server keeps it for good. So a waiting run
releases locks of this adapter that were silent for that long.
"""

import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from ..context import TableName
from ..errors import CommitStateUnknownError, EntryMissingError, LockLostError, MetastoreError
from ..metastore.client import CallUnansweredError, TableLockClient

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 30.0
POLL_SECONDS = 0.2
POLLS_BETWEEN_LOOKS = 50
SILENT_MS = 300_000
OWNER = "ctas-spark-"
LONGEST_WAIT_SECONDS = 600.0
AS_IT_IS = "what is published stays as it is"

HeldCheck = Callable[[], None]
"""Raises LockLostError when the lock is not held any more."""


class CommitLock(Protocol):
    """Held while the base is compared and the commit call is made."""

    can_run_out: bool
    """True if others may get the lock while its holder is paused, before it was given back."""

    def held(self, target: TableName) -> AbstractContextManager[HeldCheck]:
        """Hold the lock on ``target`` while the block runs."""


class NoLock:
    """Where the metastore compares and swaps by itself."""

    can_run_out = False

    def held(self, target: TableName) -> AbstractContextManager[HeldCheck]:  # noqa: ARG002 (none)
        return nullcontext(lambda: None)


class ProcessLock:
    """One lock for each target: enough where no other Spark can be a writer.

    Every catalog of a process has to use the same one. ``alone`` holds a name among the processes
    that share one Spark, where there can be several.
    """

    can_run_out = False

    def __init__(
        self, alone: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()
    ) -> None:
        self._alone = alone
        self._locks: dict[TableName, threading.Lock] = {}

    @contextmanager
    def held(self, target: TableName) -> Iterator[HeldCheck]:
        lock = self._locks.setdefault(target, threading.Lock())  # setdefault is atomic
        with lock, self._alone(str(target)):
            yield lambda: None


class MetastoreLock:
    """The metastore's exclusive lock; ``owner`` begins with ``OWNER``, which marks ours."""

    can_run_out = True

    def __init__(self, client: TableLockClient, owner: str) -> None:
        self._client = client
        self._owner = owner

    @contextmanager
    def held(self, target: TableName) -> Iterator[HeldCheck]:
        """Wait for the lock, beat it, give it back.

        It is kept after a call of unknown outcome, until it runs out: the call may still land,
        over what the next holder would have written by then.

        Raises:
            LockLostError: it was not granted in time, or its server ended it.
        """
        self._client.locks_on(target)  # a connection that died during the job is made again here
        lock, may_land = self._client.lock(target, self._owner), False
        try:
            self._await(lock, target)
            with self._beaten(lock, target):
                yield lambda: self._check(lock, target)
        except (CommitStateUnknownError, CallUnansweredError, KeyboardInterrupt):
            may_land = True
            logger.warning("%s: the metastore's lock is kept until it runs out", target)
            raise
        finally:
            if not may_land:
                self._release(lock, target)

    def _await(self, lock: int, target: TableName) -> None:
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        for poll in itertools.count():
            if self._client.is_granted(lock):
                return
            if poll % POLLS_BETWEEN_LOOKS == 0:
                others = self._release_silent(lock, target)
                if poll == POLLS_BETWEEN_LOOKS:
                    _say_who_is_first(others, target)
            if time.monotonic() > deadline:
                what = f"the metastore's lock was not granted within {LONGEST_WAIT_SECONDS:.0f} s"
                remedy = "SHOW LOCKS in Hive shows who holds it"
                raise LockLostError(what, table=target, left=AS_IT_IS, remedy=remedy)
            time.sleep(POLL_SECONDS)

    def _release_silent(self, ours: int, target: TableName) -> list[str]:
        """The owners of the other locks from before ours, which stay.

        The server's time is that of our own last beat, which was just now.
        """
        shown, first = self._client.locks_on(target), list[str]()
        now_ms = max((lock.beaten_ms for lock in shown if lock.id == ours), default=0)
        for lock in shown:
            is_silent = now_ms - lock.beaten_ms >= SILENT_MS
            if lock.id != ours and is_silent and lock.owner.startswith(OWNER):
                self._client.unlock(lock.id)
                logger.info(
                    "%s: a lock that was no longer renewed (%s) was released", target, lock.owner
                )
            elif lock.id < ours:
                first.append(lock.owner)
        return first

    @contextmanager
    def _beaten(self, lock: int, target: TableName) -> Iterator[None]:
        ended = threading.Event()

        def beat() -> None:
            while not ended.wait(HEARTBEAT_SECONDS):
                self._renew(lock, target)

        heart = threading.Thread(target=beat, daemon=True)
        heart.start()
        try:
            yield
        finally:
            ended.set()
            heart.join()

    def _renew(self, lock: int, target: TableName) -> None:
        """A failure is only logged: the holder's next check decides."""
        try:
            self._client.heartbeat(lock)
        except MetastoreError as error:
            logger.warning("the lock on %s was not renewed: %s", target, error)

    def _check(self, lock: int, target: TableName) -> None:
        try:
            self._client.heartbeat(lock)
        except EntryMissingError as error:
            what = "the metastore ended the lock while it was held"
            remedy = "run the model again; raise hive.txn.timeout if this happens often"
            raise LockLostError(what, table=target, left=AS_IT_IS, remedy=remedy) from error

    def _release(self, lock: int, target: TableName) -> None:
        try:
            self._client.unlock(lock)
        except MetastoreError as error:
            logger.warning("the lock on %s was not released, and will time out: %s", target, error)


def _say_who_is_first(owners: Sequence[str], target: TableName) -> None:
    logger.warning(
        "%s: waiting for the metastore's lock, which %s asked for earlier; a run that died, or "
        "that "
        "does not know what became of its commit, keeps it for up to %d minutes",
        target,
        " and ".join(sorted({*owners})) or "another",
        SILENT_MS // 60_000,
    )
