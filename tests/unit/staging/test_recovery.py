"""What crashes left half done is finished or reverted, without a build."""

from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseFile
from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.world import TARGET_NAME, World, killed

RULES = RetentionRules(versions_to_keep=0, grace_ms=0, unknown_after_ms=0)


@pytest.fixture
def world() -> World:
    """A table with one superseded version."""
    world = World()
    world.published()
    world.published()
    return world


def dead(world: World, staged: StagedFileTable) -> None:
    """The run's process is gone, and its lease is there."""
    world.lease.close()
    gone = LeaseFile(world.lease.id, replace(ProcessIdentity.current(), pid=2**30))
    world.storage.write(f"{staged.root.leases}/{world.lease.id}", gone.to_text())
    world.lease = Lease(world.storage)


def recover(world: World, context: StagingContext) -> tuple[str, ...]:
    """What another run mends."""
    return world.catalog().recover(context, RULES)


def test_where_nothing_is_left_nothing_is_done(world: World) -> None:
    """Published versions stay, however old; a second run changes nothing either."""
    tables, files = dict(world.metastore.tables), set(world.storage.files)
    assert recover(world, world.table().context) == ()
    assert dict(world.metastore.tables) == tables
    assert {f for f in world.storage.files if "/leases/" not in f} == {
        f for f in files if "/leases/" not in f
    }


def test_a_dead_runs_version_is_deleted(world: World) -> None:
    """What it staged goes, and what was published stays."""
    published = world.versions_on_storage()
    ours = world.begun()
    dead(world, ours)
    (done,) = recover(world, ours.context)
    assert ours.version in done
    assert world.versions_on_storage() == published


def test_a_living_run_is_not_touched(world: World) -> None:
    """Somebody's build goes on while another recovers."""
    ours = world.begun()
    assert recover(world, ours.context) == ()
    ours.commit()
    assert world.metastore.tables[TARGET_NAME].directory_name == ours.version


def test_a_rename_that_a_crash_cut_is_undone(world: World) -> None:
    """The old version is back, and what the dead run staged is gone."""
    before = world.metastore.tables[TARGET_NAME]
    ours = world.begun("create_or_replace", "may")
    with killed(world.metastore, "rename_table", after=True):
        ours.commit()
    dead(world, ours)
    assert "a publication by rename was undone, or its old entry removed" in recover(
        world, ours.context
    )
    assert world.metastore.tables[TARGET_NAME].location == before.location


def test_pending_partitions_are_tracked(world: World) -> None:
    """The bookkeeping of a run that died after its commit is done."""
    ours = world.begun("create_or_replace", "may")
    ours.commit()
    dead(world, ours)
    assert "its partitions are tracked now" in recover(world, ours.context)
    assert world.months() == {("may", ours.version)}
