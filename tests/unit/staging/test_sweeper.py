"""A clean-up deletes what nobody needs, and nothing else."""

from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.retention.rules import Reason, RetentionRules
from fakes.metastore import entry
from fakes.sweeps import AT_ONCE, ROOT, dies, sweep
from fakes.world import TARGET_NAME, World, killed


@pytest.fixture
def world() -> World:
    """One metastore and one storage."""
    return World()


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
