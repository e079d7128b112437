"""The metastore's own lock, as a holder sees it."""

import threading

import pytest

from ctas_spark.context import TableName
from ctas_spark.errors import LockLostError, MetastoreError
from ctas_spark.metastore.client import CallUnansweredError
from ctas_spark.publish import locks
from ctas_spark.publish.locks import OWNER, MetastoreLock
from fakes.metastore import FakeMetastore
from fakes.world import TARGET_NAME

OURS = f"{OWNER}ours"


def test_silent_locks_of_our_kind_are_released() -> None:
    """Not every server ends a lock that nobody beats: a waiting run does it, on this table only."""
    metastore = FakeMetastore()
    held, waited_for = (metastore.lock(TARGET_NAME, f"{OWNER}{one}") for one in "ab")
    elsewhere = metastore.lock(TableName("shop", "customers"), f"{OWNER}c")
    metastore.server_ms += locks.SILENT_MS
    with MetastoreLock(metastore, OURS).held(TARGET_NAME):
        assert {held, waited_for}.isdisjoint(metastore.locks)
    assert list(metastore.locks) == [elsewhere]


@pytest.mark.parametrize(
    ("silent_ms", "owner"), [(299_000, f"{OWNER}a"), (600_000, "hive"), (600_000, "an-importer")]
)
def test_other_locks_are_left(monkeypatch: pytest.MonkeyPatch, silent_ms: int, owner: str) -> None:
    """One that was beaten within the metastore's timeout, and those of other products."""
    monkeypatch.setattr(locks, "LONGEST_WAIT_SECONDS", 0.0)
    metastore = FakeMetastore()
    theirs = metastore.lock(TARGET_NAME, owner)
    metastore.server_ms += silent_ms
    with (
        pytest.raises(LockLostError, match="not granted"),
        MetastoreLock(metastore, OURS).held(TARGET_NAME),
    ):
        pass
    assert list(metastore.locks) == [theirs]


def test_a_lock_outlives_a_call_that_may_still_land() -> None:
    """Given back, it would let a rival write what the late call then writes over."""
    metastore = FakeMetastore()
    lock = MetastoreLock(metastore, OURS)
    with pytest.raises(CallUnansweredError), lock.held(TARGET_NAME):
        raise CallUnansweredError("timed out")
    assert len(metastore.locks) == 1


def test_a_lock_outlives_an_interrupt() -> None:
    """It may have come during the call, which the JVM makes all the same."""
    metastore = FakeMetastore()
    with pytest.raises(KeyboardInterrupt), MetastoreLock(metastore, OURS).held(TARGET_NAME):
        raise KeyboardInterrupt
    assert len(metastore.locks) == 1


def test_the_first_call_is_one_that_may_be_repeated() -> None:
    """The connection may have died during a long job, and a request for a lock is made once."""
    metastore = FakeMetastore()
    with MetastoreLock(metastore, OURS).held(TARGET_NAME):
        assert metastore.calls[:2] == ["locks_on", "lock"]


def test_a_second_holder_waits_for_the_first() -> None:
    """The lock excludes, and is given back at the end of the block."""
    metastore = FakeMetastore()
    order: list[str] = []
    waits = threading.Event()
    metastore.before = lambda call: waits.set() if call == "is_granted" else None

    def second() -> None:
        with MetastoreLock(metastore, f"{OWNER}second").held(TARGET_NAME):
            order.append("second")

    thread = threading.Thread(target=second)
    with MetastoreLock(metastore, f"{OWNER}first").held(TARGET_NAME):
        waits.clear()
        thread.start()
        assert waits.wait(10)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    assert metastore.locks == {}


def test_a_long_wait_says_whom_it_waits_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Once, and not at once: a run that is killed holds the lock for minutes."""
    monkeypatch.setattr(locks, "POLL_SECONDS", 0.0)
    metastore = FakeMetastore()
    theirs, polls = metastore.lock(TARGET_NAME, f"{OWNER}theirs"), iter(range(1_000))

    def end_theirs(call: str) -> None:
        if call == "is_granted" and next(polls) == 3 * locks.POLLS_BETWEEN_LOOKS:
            metastore.unlock(theirs)

    metastore.before = end_theirs
    with MetastoreLock(metastore, OURS).held(TARGET_NAME):
        pass
    told = [one.getMessage() for one in caplog.records if "waiting for" in one.getMessage()]
    assert len(told) == 1
    assert f"{TARGET_NAME}: waiting for the metastore's lock, which {OWNER}theirs" in told[0]


def test_a_lock_that_the_server_ended_is_noticed() -> None:
    """A check tells the holder that the lock ran out, so that it stops."""
    metastore = FakeMetastore()
    with MetastoreLock(metastore, OURS).held(TARGET_NAME) as check:
        check()
        metastore.expire_locks()
        with pytest.raises(LockLostError, match="ended the lock"):
            check()


def test_a_lock_that_is_never_granted_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wait ends; nobody is left waiting in the metastore's queue."""
    monkeypatch.setattr(locks, "LONGEST_WAIT_SECONDS", 0.0)
    metastore = FakeMetastore()
    others = metastore.lock(TARGET_NAME, "others")
    with (
        pytest.raises(LockLostError, match="not granted"),
        MetastoreLock(metastore, OURS).held(TARGET_NAME),
    ):
        pass
    assert list(metastore.locks) == [others]


def test_a_held_lock_is_beaten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server would end a lock that nobody beats; a missed beat is only said."""
    monkeypatch.setattr(locks, "HEARTBEAT_SECONDS", 0.001)
    metastore = FakeMetastore()
    beaten = threading.Semaphore(0)

    def fail(call: str) -> None:
        if call == "heartbeat":
            beaten.release()
            raise MetastoreError("connection lost")

    with MetastoreLock(metastore, OURS).held(TARGET_NAME):
        metastore.before = fail
        assert beaten.acquire(timeout=10)
        assert beaten.acquire(timeout=10)
        metastore.before = lambda _call: None


def test_a_release_that_fails_does_not_hide_the_work(caplog: pytest.LogCaptureFixture) -> None:
    """What was done under the lock stands; the lock times out by itself."""
    metastore = FakeMetastore()

    def fail(call: str) -> None:
        if call == "unlock":
            raise MetastoreError("connection lost")

    metastore.before = fail
    with MetastoreLock(metastore, OURS).held(TARGET_NAME):
        pass
    assert "will time out" in caplog.text
