"""Where one call can't replace an entry, the old one is set aside and the new one created."""

import logging
from collections.abc import Callable

import pytest
from dbt.adapters.ctas_spark.staging.files.set_aside import SET_ASIDE_OF
from dbt.adapters.ctas_spark.staging.retention.lease import Lease

from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    HiveColumns,
    PartitionMetadata,
    TableName,
)
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    ColumnsRefusedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    MetastoreError,
    RefusedError,
    StagingError,
)
from dbt.adapters.ctas_spark.staging.publish.marker import Marker
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from fakes.metastore import entry
from fakes.world import STAGING_SCHEMA, TARGET_NAME, World


class KilledError(Exception):
    """The process ended here."""


@pytest.fixture
def world() -> World:
    """A target without partitions."""
    world = World()
    world.published()
    return world


def dies(at: str) -> Callable[[str], None]:
    """A fault: the process ends with a call."""

    def fault(call: str) -> None:
        if call == at:
            raise KilledError

    return fault


def set_aside(world: World) -> list[TableName]:
    """The entries that are set aside now."""
    return [n for n, found in world.metastore.tables.items() if SET_ASIDE_OF in found.parameters]


def killed(world: World, call: str, when: str) -> None:
    """A run that changes the keys dies before or after a metastore call."""
    ours = world.begun("create_or_replace", "may")
    setattr(world.metastore, when, dies(call))
    with pytest.raises(KilledError):
        ours.commit()
    setattr(world.metastore, when, lambda _call: None)
    world.lease.close()
    world.storage.delete(f"{ours.root.leases}/{world.lease.id}")
    world.lease = Lease(world.storage)


def test_other_partition_keys_are_published_by_rename(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """auto goes down to atomic for that run and says so; owner and lineage are carried on."""
    before = Marker.of(world.metastore.tables[TARGET_NAME])
    ours = world.begun("create_or_replace", "may")
    assert "find no table for a moment" in caplog.text
    ours.commit()
    after = Marker.of(world.metastore.tables[TARGET_NAME])
    assert after is not None
    assert before is not None
    assert (ours.outcome, ours.level) == (Outcome.COMMITTED, Atomicity.ATOMIC)
    assert (after.version, after.base, after.level) == (ours.version, before.commit, "atomic")
    assert world.metastore.tables[TARGET_NAME].partition_keys == ("month",)
    assert set_aside(world) == []


def test_isolated_by_name_refuses_other_keys_before_the_job(world: World) -> None:
    """The reason and the way out stand in the message."""
    with pytest.raises(AtomicityNotSupportedError, match="month") as caught:
        world.begun(
            "create_or_replace",
            "may",
            atomicity=Atomicity.ISOLATED,
            partition_metadata=PartitionMetadata.AUTO,
        )
    assert "atomicity: auto" in str(caught.value)


def test_a_rivals_commit_is_not_renamed_away(world: World) -> None:
    """The rename itself is conditional on the base."""
    ours = world.begun("create_or_replace", "may")
    theirs = world.begun()
    reads = world.metastore.before

    def rival(call: str) -> None:
        if call == "rename_table":
            world.metastore.before = reads
            theirs.commit()

    world.metastore.before = rival
    with pytest.raises(ConcurrentWriteError):
        ours.commit()
    assert theirs.outcome is Outcome.COMMITTED
    assert set_aside(world) == []


def test_a_managed_table_is_made_external_before_its_rename(world: World) -> None:
    """The rename of a managed table would move its data; put back, it is managed again."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, table_type="MANAGED_TABLE")
    killed(world, "rename_table", "after")
    (aside,) = set_aside(world)
    assert world.metastore.tables[aside].parameters["EXTERNAL"] == "TRUE"
    world.table().begin()
    assert "EXTERNAL" not in world.metastore.tables[TARGET_NAME].parameters


def test_a_refused_entry_puts_the_old_one_back(world: World) -> None:
    """What the metastore does not take leaves the table as it was."""
    before = world.metastore.tables[TARGET_NAME]
    ours = world.begun("create_or_replace", "may")

    def refuse(call: str) -> None:
        if call == "create_table":
            raise RefusedError("no such serde")

    world.metastore.before = refuse
    with pytest.raises(StagingError, match="no such serde"):
        ours.commit()
    assert world.metastore.tables[TARGET_NAME].location == before.location
    assert set_aside(world) == []


def test_a_lost_answer_is_unknown_and_nothing_is_put_back(world: World) -> None:
    """The creation may still be running on the server, so its writer leaves everything."""
    ours = world.begun("create_or_replace", "may")

    def lose(call: str) -> None:
        if call == "create_table":
            raise MetastoreError("connection lost")

    world.metastore.before = lose
    with pytest.raises(CommitStateUnknownError):
        ours.commit()
    assert len(set_aside(world)) == 1


def test_a_commit_whose_answer_was_lost_tidies_up_when_it_settles(world: World) -> None:
    """What stayed set aside would come back once somebody drops the table."""
    ours = world.begun("create_or_replace", "may")

    def lose(call: str) -> None:
        if call == "create_table":
            world.metastore.after = lambda _call: None
            raise MetastoreError("connection lost")

    world.metastore.after = lose
    ours.commit()
    assert len(set_aside(world)) == 1
    ours.settle()
    assert set_aside(world) == []


@pytest.mark.parametrize("purpose", ["replace", "create_or_replace"])
def test_a_crash_in_the_window_is_undone_by_the_next_begin(
    world: World, purpose: str, caplog: pytest.LogCaptureFixture
) -> None:
    """After a kill between the two calls the old version is back before anything else."""
    before = world.metastore.tables[TARGET_NAME]
    killed(world, "rename_table", "after")
    assert TARGET_NAME not in world.metastore.tables
    world.table(purpose).begin()
    assert world.metastore.tables[TARGET_NAME].location == before.location
    assert "its old version is back" in caplog.text
    assert set_aside(world) == []


def test_a_crash_after_the_window_is_tidied_by_the_next_begin(world: World) -> None:
    """The new version stays, the entry that was set aside goes."""
    killed(world, "create_table", "after")
    after = world.metastore.tables[TARGET_NAME]
    world.table().begin()
    assert world.metastore.tables[TARGET_NAME].location == after.location
    assert set_aside(world) == []


def test_a_living_renamer_is_left_alone(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """Another run's begin does not put back what a living run has just set aside."""
    caplog.set_level(logging.INFO)
    ours = world.begun("create_or_replace", "may")
    world.metastore.after = dies("rename_table")
    with pytest.raises(KilledError):
        ours.commit()
    world.metastore.after = lambda _call: None
    world.lease.beat(ours.root.leases)
    world.table().begin()
    assert len(set_aside(world)) == 1
    assert "right now" in caplog.text


def test_a_table_of_nearly_the_same_name_is_not_touched(world: World) -> None:
    """What is set aside belongs to the target that it names."""
    killed(world, "rename_table", "after")
    (aside,) = set_aside(world)
    found = world.metastore.tables[aside]
    other = {**found.parameters, SET_ASIDE_OF: "shop.another"}
    world.metastore.tables[aside] = entry(aside, parameters=other)
    world.table().begin()
    assert TARGET_NAME not in world.metastore.tables
    assert aside.database == STAGING_SCHEMA


def refuses_columns(world: World) -> None:
    """A server that does not let columns change their types, but by its old ones."""
    alter = world.metastore.alter_table

    def strict(change: object, expected: object) -> None:
        kept = change.hive_columns == "base"  # type: ignore[attr-defined]
        if change.target == TARGET_NAME and not kept:  # type: ignore[attr-defined]
            raise ColumnsRefusedError("types incompatible with the existing columns")
        alter(change, expected)  # type: ignore[arg-type]

    world.metastore.alter_table = strict  # type: ignore[method-assign]


def test_refused_columns_are_published_by_rename(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """auto falls to rename for that run, and says which setting of the server made it."""
    ours = world.begun()
    refuses_columns(world)
    ours.commit()
    assert (ours.outcome, ours.level) == (Outcome.COMMITTED, Atomicity.ATOMIC)
    assert ours.strategy.name == "rename"
    assert "disallow.incompatible.col.type.changes" in caplog.text


def test_refused_columns_are_an_error_at_isolated_by_name(world: World) -> None:
    """The setting and hive_columns are named, and the target is as it was."""
    before = world.metastore.tables[TARGET_NAME]
    ours = world.begun(atomicity=Atomicity.ISOLATED)
    refuses_columns(world)
    with pytest.raises(AtomicityNotSupportedError, match="types incompatible") as caught:
        ours.commit()
    assert "hive_columns: keep_old" in str(caught.value)
    assert world.metastore.tables[TARGET_NAME] is before


def test_old_hive_columns_keep_the_swap(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """hive_columns: keep_old stays isolated: other engines see the old columns, which is said."""
    ours = world.begun(atomicity=Atomicity.ISOLATED, hive_columns=HiveColumns.KEEP_OLD)
    refuses_columns(world)
    ours.commit()
    assert (ours.outcome, ours.strategy.name) == (Outcome.COMMITTED, "swap")
    assert "other engines see the old ones" in caplog.text
