"""What others conclude from a lease."""

from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.errors import StorageError
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.retention.lease_file import (
    EXPIRES_AFTER_MS,
    LeaseFile,
    LeaseState,
    state_of,
)
from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity
from fakes.storage import FakeStorage

NO_SUCH_PID = 2**30
LEASES = "w/leases"


def left_by(storage: FakeStorage, process: ProcessIdentity) -> str:
    """The id of a lease that a process wrote."""
    storage.write(f"{LEASES}/another", LeaseFile("another", process).to_text())
    return "another"


def test_a_run_that_beats_is_alive() -> None:
    """A fresh heartbeat of a process that runs says "living"."""
    storage = FakeStorage()
    lease = Lease(storage)
    now = lease.beat(LEASES)
    assert state_of(storage, LEASES, lease.id, now) is LeaseState.LIVING
    lease.close()


def test_a_lease_that_was_given_back_has_ended() -> None:
    """No lease, no open version: its run removed it last."""
    state = state_of(FakeStorage(), LEASES, "another", 0)
    assert state is LeaseState.GIVEN_BACK
    assert state.is_over


@pytest.mark.parametrize("change", [{"pid": NO_SUCH_PID}, {"started": 1.0}])
def test_a_process_that_is_gone_has_ended(change: dict[str, float]) -> None:
    """On the same host a missing pid, or a reused one, is certain, however fresh the heartbeat."""
    storage = FakeStorage()
    lease = left_by(storage, replace(ProcessIdentity.current(), **change))  # type: ignore[arg-type]
    assert state_of(storage, LEASES, lease, storage.now_ms) is LeaseState.ENDED


def test_the_pid_of_another_host_proves_nothing() -> None:
    """A run elsewhere is judged by its heartbeat alone."""
    storage = FakeStorage()
    elsewhere = replace(ProcessIdentity.current(), host="elsewhere", pid=NO_SUCH_PID)
    lease = left_by(storage, elsewhere)
    now = storage.now_ms
    assert state_of(storage, LEASES, lease, now + EXPIRES_AFTER_MS) is LeaseState.LIVING
    assert state_of(storage, LEASES, lease, now + EXPIRES_AFTER_MS + 1) is LeaseState.EXPIRED


def test_a_paused_process_expires_but_has_not_ended() -> None:
    """A process that runs and does not beat may wake up."""
    storage = FakeStorage()
    lease = left_by(storage, ProcessIdentity.current())
    later = storage.now_ms + EXPIRES_AFTER_MS + 1
    assert state_of(storage, LEASES, lease, later) is LeaseState.EXPIRED


def test_a_clock_that_stepped_back_keeps_a_run_alive() -> None:
    """A heartbeat from the future is no age."""
    storage = FakeStorage()
    lease = left_by(storage, ProcessIdentity.current())
    earlier = storage.now_ms - EXPIRES_AFTER_MS
    assert state_of(storage, LEASES, lease, earlier) is LeaseState.LIVING


def test_what_could_not_be_found_out_is_an_error() -> None:
    """A storage that refuses is never "dead"."""
    storage = FakeStorage()
    storage.refuses = True
    with pytest.raises(StorageError):
        state_of(storage, LEASES, "another", storage.now_ms)


def test_a_lease_that_was_cut_short_lives_and_expires() -> None:
    """It is read in the middle of a heartbeat; a kill there keeps no version for ever."""
    storage = FakeStorage()
    storage.write(f"{LEASES}/another", "half a lea")
    assert state_of(storage, LEASES, "another", storage.now_ms) is LeaseState.LIVING
    later = storage.now_ms + EXPIRES_AFTER_MS + 1
    assert state_of(storage, LEASES, "another", later) is LeaseState.EXPIRED
