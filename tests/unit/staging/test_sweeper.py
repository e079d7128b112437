"""A clean-up deletes what nobody needs, and nothing else."""

from collections.abc import Callable
from dataclasses import replace
from unittest.mock import patch

import pytest

from dbt.adapters.ctas_spark.staging.catalogs.session_catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.directories import VersionRoot
from dbt.adapters.ctas_spark.staging.errors import (
    ConcurrentWriteError,
    EntryModifiedError,
    StagingError,
)
from dbt.adapters.ctas_spark.staging.lease import Lease
from dbt.adapters.ctas_spark.staging.lease_file import EXPIRES_AFTER_MS, LeaseFile
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, Expectation
from dbt.adapters.ctas_spark.staging.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.records import STATE
from dbt.adapters.ctas_spark.staging.retention import Reason, RetentionRules
from dbt.adapters.ctas_spark.staging.rollback import roll_back
from dbt.adapters.ctas_spark.staging.staged_table import StagedTable
from dbt.adapters.ctas_spark.staging.sweeper import Sweep, Sweeper
from fakes.metastore import entry
from fakes.world import STAGING_SCHEMA, TARGET_NAME, KilledError, World, killed

AT_ONCE = RetentionRules(versions_to_keep=0, grace_ms=0, unknown_after_ms=0)
ROOT = VersionRoot.of(TARGET_NAME, "file:/warehouse/shop.db", None)
NO_SUCH_PID = 2**30


@pytest.fixture
def world() -> World:
    """One metastore and one storage."""
    return World()


def catalog(world: World) -> SessionCatalog:
    """The catalog of another run, which sweeps."""
    another = World(single_process=world.single_process)
    another.metastore, another.storage = world.metastore, world.storage
    another.lease = Lease(world.storage)
    return another.catalog()


def sweep(world: World, rules: RetentionRules = AT_ONCE, *, dry_run: bool = False) -> Sweep:
    """What another run deletes of the target."""
    run = catalog(world)
    services = run.services(STAGING_SCHEMA)
    beat = services.lease.beat
    sweeper = Sweeper(services, STAGING_SCHEMA, rules, lambda: beat(ROOT.leases), dry_run=dry_run)
    try:
        return sweeper.sweep(TARGET_NAME, ROOT)
    finally:
        services.lease.close()


def dies(world: World, *, known: bool = True) -> None:
    """The run ends without a word; ``known`` says that its process is seen to be gone."""
    world.lease.close()
    process = ProcessIdentity.current()
    left = replace(process, pid=NO_SUCH_PID, host=process.host if known else "elsewhere")
    text = LeaseFile(world.lease.id, left).to_text()
    world.storage.write(f"{ROOT.leases}/{world.lease.id}", text)
    if not known:
        world.storage.now_ms += EXPIRES_AFTER_MS
    world.lease = Lease(world.storage)


def state(world: World, staged: StagedTable) -> str:
    """What the version's record says of itself."""
    return world.metastore.tables[staged.record].parameters[STATE]


def test_the_live_version_always_stays(world: World) -> None:
    """Whatever the rules, what the target shows is not touched."""
    live = world.published()
    assert sweep(world).kept == {live.version: Reason.LIVE}
    assert world.versions_on_storage() == {live.version}


def test_superseded_versions_go_but_for_those_to_keep(world: World) -> None:
    """The newest superseded ones stay for a rollback; of the others neither file nor record."""
    versions = [world.published().version for _ in range(4)]
    done = sweep(world, replace(AT_ONCE, versions_to_keep=1))
    assert done.kept == {versions[3]: Reason.LIVE, versions[2]: Reason.KEPT}
    assert world.versions_on_storage() == set(versions[2:])
    assert len(world.records()) == 2


def test_grace_runs_from_the_successors_commit(world: World) -> None:
    """A version that stood for days and was replaced just now still has its readers."""
    world.published()
    world.storage.now_ms += 10_000_000
    world.published()
    rules = RetentionRules(versions_to_keep=0, grace_ms=60_000)
    assert list(sweep(world, rules).kept.values()) == [Reason.LIVE, Reason.GRACE]
    world.storage.now_ms += 60_001
    assert list(sweep(world, rules).kept.values()) == [Reason.LIVE]


def test_grace_does_not_run_while_the_successors_call_is_slow(world: World) -> None:
    """A laptop that slept for hours in its commit call takes no grace from who reads just now."""
    world.published()
    ours = world.begun()

    def sleeps(call: str) -> None:
        if call == "alter_table":
            world.storage.now_ms += 10_000_000

    world.metastore.before = sleeps
    ours.commit()
    world.metastore.before = lambda _call: None
    rules = RetentionRules(versions_to_keep=0, grace_ms=60_000)
    assert list(sweep(world, rules).kept.values()) == [Reason.LIVE, Reason.GRACE]
    world.storage.now_ms += 60_000
    assert list(sweep(world, rules).kept.values()) == [Reason.LIVE]


def test_a_dry_run_changes_nothing(world: World) -> None:
    """It names the directories that a real one would free, and writes nothing."""
    old, _ = world.published(), world.published()
    tables, files = dict(world.metastore.tables), set(world.storage.files)
    assert sweep(world, dry_run=True).freed == [ROOT.version(old.version)]
    assert dict(world.metastore.tables) == tables
    assert set(world.storage.files) == files


def test_a_living_run_is_left_alone(world: World) -> None:
    """A staged version whose run beats is nobody else's."""
    ours = world.begun()
    assert sweep(world).kept == {ours.version: Reason.RUNNING}
    ours.commit()
    assert sweep(world).kept == {ours.version: Reason.LIVE}


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


def test_a_renamed_target_keeps_its_version(world: World) -> None:
    """A table found by its version id in any database that we may list keeps the files."""
    live = world.published()
    dies(world)
    renamed = replace(TARGET_NAME, table="moved")
    found = world.metastore.tables.pop(TARGET_NAME)
    world.metastore.tables[renamed] = replace(found, name=renamed)
    assert sweep(world).kept == {live.version: Reason.REFERENCED}
    assert live.version in world.versions_on_storage()


def test_a_clone_in_the_same_database_keeps_its_version(world: World) -> None:
    """SHOW CREATE TABLE copies the marker and the location: the clone's files stay."""
    old = world.published()
    clone = replace(TARGET_NAME, table="copied")
    world.metastore.tables[clone] = replace(world.metastore.tables[TARGET_NAME], name=clone)
    live = world.published()
    assert sweep(world).kept == {live.version: Reason.LIVE, old.version: Reason.REFERENCED}


def test_what_a_dropped_target_held_goes_after_its_grace(world: World) -> None:
    """A drop takes no data along; the next clean-ups see it unowned, wait, and delete it."""
    world.published()
    world.lease.close()
    world.lease = Lease(world.storage)
    del world.metastore.tables[TARGET_NAME]
    rules = RetentionRules(versions_to_keep=0, grace_ms=60_000)
    assert list(sweep(world, rules).kept.values()) == [Reason.GRACE]
    world.storage.now_ms += 60_000
    assert sweep(world, rules).kept == {}
    assert world.versions_on_storage() == set()


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


def test_a_kill_in_the_middle_is_taken_up_again(world: World) -> None:
    """Whatever call of a sweep is its last, the next one leaves nothing and loses nothing."""
    world.published()
    live = world.published()
    calls = 0
    while True:
        calls += 1
        left = calls

        def die(_call: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise KeyboardInterrupt

        world.metastore.before = die
        try:
            sweep(world)
        except KeyboardInterrupt:
            continue
        finally:
            world.metastore.before = lambda _call: None
        break
    assert calls > 5
    assert world.versions_on_storage() == {live.version}
    assert world.records() == {live.record.table}


def test_a_half_deleted_version_is_none_of_those_to_keep(world: World) -> None:
    """A sweep died while it deleted the previous version: the one before takes its place."""
    versions = [world.published().version for _ in range(3)]
    with killed(world.metastore, "alter_table", after=True):
        sweep(world)
    done = sweep(world, replace(AT_ONCE, versions_to_keep=1))
    assert done.kept == {versions[2]: Reason.LIVE, versions[0]: Reason.KEPT}
    assert world.versions_on_storage() == {versions[0], versions[2]}


def test_what_can_not_be_found_out_deletes_nothing(world: World) -> None:
    """A storage or metastore that does not answer is an error, never a "no"."""
    world.published()
    world.published()
    files = set(world.storage.files)
    world.storage.refuses = True
    with pytest.raises(StagingError):
        sweep(world)
    assert set(world.storage.files) == files


def test_only_names_of_versions_are_versions(world: World) -> None:
    """What people put into the root by hand is not ours."""
    live = world.published()
    world.storage.write(f"{ROOT}/backup/part-0.parquet", "theirs")
    assert sweep(world).kept == {live.version: Reason.LIVE}
    assert "backup" in world.versions_on_storage()


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


def test_a_table_of_a_longer_name_is_not_ours(world: World) -> None:
    """Records of ``orders__old`` begin like those of ``orders`` and belong to another."""
    live = world.published()
    other = replace(live.record, table=f"orders__old__{live.version}")
    found = world.metastore.tables[live.record]
    parameters = {**found.parameters, "ctas_spark_target": "shop.orders__old"}
    world.metastore.tables[other] = entry(other, parameters=parameters)
    assert sweep(world).kept == {live.version: Reason.LIVE}
    assert other in world.metastore.tables


def test_a_drop_and_a_new_creation_take_no_grace_away(world: World) -> None:
    """A lineage that began anew does not know the version that was the table a moment ago."""
    old = world.published()
    world.lease.close()
    world.lease = Lease(world.storage)
    del world.metastore.tables[TARGET_NAME]
    live = world.published()
    rules = RetentionRules(versions_to_keep=0, grace_ms=60_000)
    assert sweep(world, rules).kept == {live.version: Reason.LIVE, old.version: Reason.GRACE}
    world.storage.now_ms += 60_000
    assert sweep(world, rules).kept == {live.version: Reason.LIVE}


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
