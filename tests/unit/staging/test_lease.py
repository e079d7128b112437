"""The heartbeat of a living run."""

from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from fakes.storage import FakeStorage


def test_a_version_id_leads_to_its_lease() -> None:
    """Version ids of a run begin with its lease's id and are all different."""
    lease = Lease(FakeStorage())
    versions = [lease.new_version() for _ in range(3)]
    assert all(version.startswith(f"{lease.id}_") for version in versions)
    assert len(set(versions)) == 3
    assert versions[0][0].isalnum()  # Hadoop hides names that begin with _ or .


def test_a_beat_tells_the_storages_time() -> None:
    """Ages are measured on the storage's clock, which a beat reads."""
    storage = FakeStorage()
    lease = Lease(storage)
    assert lease.beat("w/leases") == storage.now_ms
    assert storage.files.keys() == {f"w/leases/{lease.id}"}
    lease.close()


def test_a_lease_is_given_back_when_all_is_resolved() -> None:
    """A run that leaves nothing open leaves no lease."""
    storage = FakeStorage()
    lease = Lease(storage)
    version = lease.new_version()
    lease.beat("w/leases")
    lease.resolved(version)
    lease.close()
    assert storage.files == {}


def test_a_lease_stays_behind_an_unresolved_version() -> None:
    """A version whose fate is unknown still leads to a lease after the run."""
    storage = FakeStorage()
    lease = Lease(storage)
    lease.new_version()
    lease.beat("w/leases")
    lease.close()
    assert storage.exists(f"w/leases/{lease.id}")
