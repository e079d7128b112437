"""When the lease of a run that died goes: last, and only if the run is over."""

from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoot
from dbt.adapters.ctas_spark.staging.files.records import ATTEMPT_BY, LEASE
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.retention.dead_leases import DeadLeases
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.retention.lease_file import EXPIRES_AFTER_MS, LeaseFile
from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.steps import StepReport
from fakes.metastore import entry
from fakes.world import STAGING_SCHEMA, TARGET_NAME, World

LEASE_OF_THE_DEAD = "20240101t000000x0000000a"
VERSION_OF_THE_DEAD = f"{LEASE_OF_THE_DEAD}_0001"
ROOT = VersionRoot("file:/w/shop/ctas-spark", "shop.orders")
ENDED = replace(ProcessIdentity.current(), pid=2**30)
HOUR_MS = 3_600_000
RULES = RetentionRules(unknown_after_ms=HOUR_MS)


@pytest.fixture
def world() -> World:
    """A world in which another run left its lease."""
    made = World()
    leave_lease(made, ENDED)
    return made


def leave_lease(world: World, process: ProcessIdentity) -> None:
    """A lease that a process of another run wrote last."""
    text = LeaseFile(LEASE_OF_THE_DEAD, process).to_text()
    world.storage.write(f"{ROOT.leases}/{LEASE_OF_THE_DEAD}", text)


def leases_after_cleaning(
    world: World,
    dead: DeadLeases | None = None,
    *,
    after_ms: int = 0,
    root: VersionRoot = ROOT,
) -> set[str]:
    """Clean up ``after_ms`` from now, in an invocation of its own; the leases that stay."""
    services = world.catalog().services(STAGING_SCHEMA)
    now = world.storage.now_ms + after_ms
    (dead or DeadLeases()).delete(services, root, RULES, now, StepReport(TARGET_NAME))
    return set(world.storage.children(root.leases))


def test_the_lease_of_an_ended_run_goes(world: World) -> None:
    """Its process is gone and nothing of it is left."""
    assert leases_after_cleaning(world) == set()


def test_a_lease_stays_for_a_directory_of_any_table(world: World) -> None:
    """A version without a record leads to its run by its lease only, whatever its table."""
    directory = VersionRoot(ROOT.parent, "shop.customers").version(VERSION_OF_THE_DEAD)
    world.storage.write(f"{directory}/part-0.parquet", "rows")
    dead = DeadLeases()
    assert leases_after_cleaning(world, dead) == {LEASE_OF_THE_DEAD}
    assert leases_after_cleaning(world, dead) == {LEASE_OF_THE_DEAD}
    world.storage.delete(directory)
    assert leases_after_cleaning(world, dead) == set()


def test_each_table_is_listed_once_for_all_runs(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A schema has many tables, and a killed cluster leaves many leases."""
    others = VersionRoot(ROOT.parent, "shop.customers")
    world.storage.write(f"{others.version(VERSION_OF_THE_DEAD)}/part-0.parquet", "rows")
    for number in range(3):
        lease = f"20240101t00000{number}x0000000b"
        text = LeaseFile(lease, ENDED).to_text()
        world.storage.write(f"{ROOT.leases}/{lease}", text)
    children, listed = world.storage.children, list[str]()

    def listing(directory: str) -> tuple[str, ...]:
        listed.append(directory)
        return children(directory)

    monkeypatch.setattr(world.storage, "children", listing)
    assert leases_after_cleaning(world) == {LEASE_OF_THE_DEAD}
    assert listed.count(str(others)) == 1


@pytest.mark.parametrize("key", [LEASE, ATTEMPT_BY])
def test_a_lease_stays_for_a_record_in_any_schema(world: World, key: str) -> None:
    """A record without a directory may stand for a creation, or a rollback, still under way."""
    record = TableName("shop", f"orders__{VERSION_OF_THE_DEAD}")
    world.metastore.tables[record] = entry(record, parameters={key: LEASE_OF_THE_DEAD})
    assert leases_after_cleaning(world) == {LEASE_OF_THE_DEAD}
    del world.metastore.tables[record]
    assert leases_after_cleaning(world) == set()


@pytest.mark.parametrize("is_published", [True, False])
def test_a_lease_stays_for_what_was_not_published(*, is_published: bool) -> None:
    """A version in the target's lineage needs its run no more; one that is only staged does."""
    world = World()
    staged = world.published() if is_published else world.begun()
    dead = leave_to_others(world, staged)
    left = leases_after_cleaning(world, root=staged.root)
    assert left == (set() if is_published else {dead})


def leave_to_others(world: World, staged: StagedFileTable) -> str:
    """The run's process ends here; the world's next one is another. The lease that stays."""
    dead = world.lease.id
    record = world.metastore.tables[staged.record]
    world.metastore.tables[staged.record] = replace(
        record, parameters={**record.parameters, LEASE: dead}
    )
    world.storage.write(f"{staged.root.leases}/{dead}", LeaseFile(dead, ENDED).to_text())
    world.lease = Lease(world.storage)
    return dead


def test_the_lease_of_a_paused_run_goes_after_unknown_after(world: World) -> None:
    """A process that is there may wake up: its silence counts, and for long."""
    leave_lease(world, ProcessIdentity.current())
    for silent_ms in (0, EXPIRES_AFTER_MS + 1, HOUR_MS - 1):
        assert leases_after_cleaning(world, after_ms=silent_ms) == {LEASE_OF_THE_DEAD}
    assert leases_after_cleaning(world, after_ms=HOUR_MS) == set()


def test_the_own_lease_and_what_is_none_stay(world: World) -> None:
    """Only leases of others are judged, and nothing that people put beside them."""
    world.lease.beat(ROOT.leases)
    world.storage.write(f"{ROOT.leases}/README", "what is this?")
    assert leases_after_cleaning(world) == {world.lease.id, "README"}
    world.lease.close()
