"""What every client of a Hive metastore promises of its locks, the fake included."""

from pathlib import Path

import pytest

from contract_clients.places import FakePlace, unused
from contract_clients.server_place import ServerPlace
from ctas_spark.errors import EntryMissingError, MetastoreError
from ctas_spark.metastore.connections import ThriftMetastore
from servers.metastore import running_metastore
from servers.processes import wait_until

WITHIN_SECONDS = 180.0


def test_one_owner_holds_a_lock(place: FakePlace | ServerPlace) -> None:
    """Of two owners the first one is granted the lock, the other one once it is released."""
    name = unused(place)
    first, second = place.client.lock(name, "ann"), place.client.lock(name, "bob")
    assert place.client.is_granted(first)
    assert not place.client.is_granted(second)
    for lock in (first, second):
        place.client.heartbeat(lock)
    place.client.unlock(first)
    assert place.client.is_granted(second)
    place.client.unlock(second)


def test_who_waits_can_stop_waiting(place: FakePlace | ServerPlace) -> None:
    """An owner that no longer waits is not granted the lock, and is not in the next one's way."""
    name = unused(place)
    first, second, third = (place.client.lock(name, owner) for owner in ("ann", "bob", "eve"))
    place.client.unlock(second)
    place.client.unlock(first)
    assert place.client.is_granted(third)
    place.client.unlock(third)


def test_locks_are_shown_with_their_owners(place: FakePlace | ServerPlace) -> None:
    """The lock shows its holder and those who wait for it, on this table and on no other."""
    name, other = unused(place), unused(place)
    first, second = place.client.lock(name, "ann"), place.client.lock(name, "bob")
    elsewhere = place.client.lock(other, "eve")
    shown = {(lock.id, lock.owner) for lock in place.client.locks_on(name)}
    assert shown == {(first, "ann"), (second, "bob")}
    for lock in (first, second, elsewhere):
        place.client.unlock(lock)
    assert place.client.locks_on(name) == ()


def test_asking_for_a_lock_beats_it(place: FakePlace | ServerPlace) -> None:
    """A waiting client learns the server's time from the last beat of its own lock."""
    name = unused(place)
    held, waiting = place.client.lock(name, "ann"), place.client.lock(name, "bob")

    def is_beaten_later() -> bool:
        assert not place.client.is_granted(waiting)
        beaten = {lock.id: lock.beaten_ms for lock in place.client.locks_on(name)}
        return beaten[waiting] > beaten[held]

    wait_until(is_beaten_later, WITHIN_SECONDS, "a later beat")
    for lock in (held, waiting):
        place.client.unlock(lock)


def test_tables_are_locked_one_by_one(place: FakePlace | ServerPlace) -> None:
    """Locks of two tables are granted side by side."""
    locks = [place.client.lock(unused(place), "ann") for _ in range(2)]
    assert all(map(place.client.is_granted, locks))
    for lock in locks:
        place.client.unlock(lock)


def test_a_lock_that_has_ended_is_told(place: FakePlace | ServerPlace) -> None:
    """Beating or asking for an ended lock is EntryMissingError; releasing it is no error."""
    lock = place.client.lock(unused(place), "ann")
    for _ in range(2):
        place.client.unlock(lock)
    with pytest.raises(EntryMissingError):
        place.client.heartbeat(lock)
    with pytest.raises(EntryMissingError):
        place.client.is_granted(lock)


def test_every_client_waits_for_every_other(thrift: ServerPlace, in_jvm: ServerPlace) -> None:
    """A lock that one client holds keeps the other one waiting."""
    name = unused(thrift)
    held, waiting = thrift.client.lock(name, "ann"), in_jvm.client.lock(name, "bob")
    assert thrift.client.is_granted(held)
    assert not in_jvm.client.is_granted(waiting)
    in_jvm.client.unlock(waiting)
    thrift.client.unlock(held)


def test_locks_are_probed_without_a_trace(remote: ServerPlace) -> None:
    """A server with lock tables supports locks, and the probe leaves none behind."""
    assert remote.client.supports_locks()
    assert remote.locks() == []


def test_a_server_without_lock_tables_has_no_locks(tmp_path: Path) -> None:
    """A server without them does not support locks, and answers the next call."""
    with running_metastore(tmp_path / "server", tmp_path / "warehouse") as server:
        client = ThriftMetastore(server.uri)
        assert not client.supports_locks()
        assert client.databases() == ("default",)
        client.close()


def test_a_server_that_is_gone_says_nothing_of_locks(remote: ServerPlace) -> None:
    """A server that can't be reached is an error, and not one without locks."""
    remote.relay.cut()
    try:
        with pytest.raises(MetastoreError):
            remote.client.supports_locks()
    finally:
        remote.relay.resume()
    assert remote.client.supports_locks()


def test_a_fake_can_do_without_locks(fake: FakePlace) -> None:
    """The fake plays a server without lock tables, and one that ends its locks."""
    lock = fake.client.lock(unused(fake), "ann")
    fake.client.expire_locks()
    with pytest.raises(EntryMissingError):
        fake.client.heartbeat(lock)
    fake.client.has_locks = False
    assert not fake.client.supports_locks()
    with pytest.raises(MetastoreError):
        fake.client.lock(unused(fake), "ann")
