"""A clean-up of what dead, paused and foreign runs left: fenced first, and waited for."""

from collections.abc import Callable
from dataclasses import replace
from unittest.mock import patch

import pytest

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.errors import (
    ConcurrentWriteError,
    EntryModifiedError,
    StagingError,
)
from dbt.adapters.ctas_spark.staging.files.records import STATE
from dbt.adapters.ctas_spark.staging.files.rollback import roll_back
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, Expectation
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseFile
from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.retention.rules import Reason, RetentionRules
from fakes.sweeps import AT_ONCE, NO_SUCH_PID, ROOT, dies, sweep
from fakes.world import STAGING_SCHEMA, TARGET_NAME, KilledError, World, killed


@pytest.fixture
def world() -> World:
    """One metastore and one storage."""
    return World()


def state(world: World, staged: StagedFileTable) -> str:
    """What the version's record says of itself."""
    return world.metastore.tables[staged.record].parameters[STATE]


@pytest.mark.parametrize("known", [True, False])
def test_a_dead_run_is_fenced_and_swept(world: World, known: bool) -> None:  # noqa: FBT001
    """Nothing of a run that died before its commit is left but the target as it was."""
    live = world.published()
    dead = world.begun()
    dies(world, known=known)
    sweep(world)
    assert world.versions_on_storage() == {live.version}
    assert world.records() == {live.record.table}
    with pytest.raises(StagingError):
        dead.commit()
    assert world.metastore.tables[TARGET_NAME].location == ROOT.version(live.version)


def test_a_paused_writer_that_wakes_up_in_its_commit_is_refused(world: World) -> None:
    """Its lease ran out, its version was deleted, it makes the call: the target is intact."""
    live = world.published()
    paused = world.begun()
    before = world.metastore.before

    def slept(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = before
            dies(world, known=False)
            sweep(world)

    world.metastore.before = slept
    with pytest.raises(ConcurrentWriteError):
        paused.commit()
    assert world.metastore.tables[TARGET_NAME].location == ROOT.version(live.version)
    assert world.versions_on_storage() == {live.version}


def test_a_paused_creation_that_wakes_up_is_undone(world: World) -> None:
    """No fence stops a creation: its writer finds its record gone and takes its entry back."""
    paused = world.begun()
    before = world.metastore.before

    def slept(call: str) -> None:
        if call == "create_table":
            world.metastore.before = before
            dies(world, known=False)
            sweep(world)

    world.metastore.before = slept
    with pytest.raises(ConcurrentWriteError, match="clean-up"):
        paused.commit()
    assert TARGET_NAME not in world.metastore.tables


def test_a_creation_of_a_dead_run_is_waited_for(world: World) -> None:
    """A creation may still land on the server, so its version stays for unknown_after."""
    ours = world.begun()

    def lost(call: str) -> None:
        if call == "create_table":
            raise KeyboardInterrupt

    world.metastore.before = lost
    with pytest.raises(KeyboardInterrupt):
        ours.commit()
    world.metastore.before = lambda _call: None
    dies(world)
    rules = RetentionRules(versions_to_keep=0, grace_ms=0, unknown_after_ms=60_000)
    assert sweep(world, rules).kept == {ours.version: Reason.MAY_LAND}
    world.storage.now_ms += 60_000
    assert sweep(world, rules).kept == {}
    assert world.versions_on_storage() == set()


def test_a_directory_without_a_record_gets_a_tombstone(world: World) -> None:
    """A CTAS that died leaves files only; a sleeping one would fail on the name that is taken."""
    ours = world.table()
    ours.begin()
    world.storage.write(f"{ROOT.version(ours.version)}/part-0.parquet", "half")
    dies(world, known=False)
    sweep(world, replace(AT_ONCE, unknown_after_ms=60_000))
    assert world.versions_on_storage() == set()
    assert world.metastore.tables[ours.record].is_view
    assert state(world, ours) == "deleting"
    world.storage.write(f"{ROOT.version(ours.version)}/part-1.parquet", "late")
    world.storage.now_ms += 60_001
    sweep(world)
    assert world.versions_on_storage() == set()
    assert world.records() == set()


@pytest.mark.parametrize("known", [True, False])
def test_a_rollback_of_a_dead_run_is_fenced(world: World, known: bool) -> None:  # noqa: FBT001
    """Its call reaches the server after the clean-up: the table would show deleted files."""
    old, live = world.published(), world.published()
    late: list[Callable[[], None]] = []
    services = world.catalog().services(STAGING_SCHEMA)

    def lost(change: EntryChange, expected: Expectation | None) -> None:
        if change.target != TARGET_NAME:
            alter(change, expected)
            return
        late.append(lambda: alter(change, expected))
        raise KilledError

    alter = world.metastore.alter_table
    with patch.object(world.metastore, "alter_table", lost), pytest.raises(KilledError):
        roll_back(StagingContext(TARGET_NAME, STAGING_SCHEMA), services)
    assert sweep(world).kept[old.version] is Reason.RUNNING
    dies(world, known=known)
    sweep(world)
    assert world.versions_on_storage() == {live.version}
    with pytest.raises(EntryModifiedError):
        late[0]()


def test_a_version_of_another_catalog_stays(world: World) -> None:
    """Two catalogs may share a root: without a record or a lease, it may be the other's table."""
    live = world.published()
    theirs = "20260101t000000x0123abcd_0001"
    world.storage.write(f"{ROOT.version(theirs)}/part-0.parquet", "theirs")
    assert sweep(world).kept == {live.version: Reason.LIVE, theirs: Reason.FOREIGN}
    assert theirs in world.versions_on_storage()


def test_a_version_of_a_dead_run_on_another_catalog_stays(world: World) -> None:
    """Killed or not, what that run published is in a metastore that this one can't ask."""
    live = world.published()
    theirs = Lease(world.storage, catalog="thrift://another:9083")
    version = theirs.new_version()
    world.storage.write(f"{ROOT.version(version)}/part-0.parquet", "theirs")
    gone = replace(ProcessIdentity.current(), pid=NO_SUCH_PID)
    text = LeaseFile(theirs.id, gone, theirs.catalog).to_text()
    world.storage.write(f"{ROOT.leases}/{theirs.id}", text)
    assert sweep(world).kept == {live.version: Reason.LIVE, version: Reason.FOREIGN}
    assert version in world.versions_on_storage()


def test_without_a_way_to_tell_writers_apart_all_is_waited_for(world: World) -> None:
    """Where no fence stands, a dead run's call may still land: unknown_after has to pass."""
    world.metastore.compares = world.metastore.has_locks = False
    world.published()
    dead = world.begun()
    dies(world)
    rules = RetentionRules(versions_to_keep=0, grace_ms=0, unknown_after_ms=60_000)
    assert sweep(world, rules).kept[dead.version] is Reason.MAY_LAND


def test_what_a_dead_run_has_set_aside_stays(world: World) -> None:
    """The next begin puts the entry back: its files are needed, though no table shows them now."""
    live = world.published()
    world.lease.close()
    world.lease = Lease(world.storage)
    ours = world.begun("create_or_replace", "may")
    with killed(world.metastore, "rename_table", after=True):
        ours.commit()
    dies(world)
    assert sweep(world).kept[live.version] is Reason.REFERENCED
    world.table().begin()
    assert world.metastore.tables[TARGET_NAME].location == ROOT.version(live.version)
    assert live.version in world.versions_on_storage()


def test_the_creation_in_a_rename_of_a_dead_run_is_waited_for(world: World) -> None:
    """It may land once the target's name is free again, and no fence stops it."""
    world.published()
    world.lease.close()
    world.lease = Lease(world.storage)
    ours = world.begun("create_or_replace", "may")
    with killed(world.metastore, "create_table"):
        ours.commit()
    dies(world)
    world.table().begin()
    rules = replace(AT_ONCE, unknown_after_ms=60_000)
    assert sweep(world, rules).kept[ours.version] is Reason.MAY_LAND
    assert ours.version in world.versions_on_storage()
