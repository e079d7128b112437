"""begin, stage, commit, abort: the plain path and every way off it."""

import pytest

from dbt.adapters.ctas_spark.staging.context import Atomicity, TableLayout
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    JobCanceledError,
    MetastoreError,
    RefusedError,
    StagingError,
    StorageError,
)
from dbt.adapters.ctas_spark.staging.publish.marker import Marker
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from fakes.metastore import entry, losing_the_answer
from fakes.world import TARGET_NAME, World


@pytest.fixture
def world() -> World:
    """A catalog on fakes."""
    return World()


def version_of(world: World) -> str | None:
    """The version that the target shows."""
    marker = Marker.of(world.metastore.tables.get(TARGET_NAME))
    return marker.version if marker else None


def test_a_first_publication_creates_the_target(world: World) -> None:
    """A target that does not exist is created with the staged version and its marker."""
    staged = world.published()
    assert staged.outcome is Outcome.COMMITTED
    assert staged.strategy.name == "create"
    assert version_of(world) == staged.version


def test_a_second_publication_replaces_the_whole_entry(world: World) -> None:
    """A replace shows the new version's location, and its marker names the base."""
    first = world.published()
    second = world.published()
    marker = Marker.of(world.metastore.tables[TARGET_NAME])
    assert marker is not None
    assert (second.strategy.name, marker.version) == ("swap", second.version)
    assert [e.version for e in marker.lineage.entries] == [second.version, first.version]
    assert world.metastore.tables[TARGET_NAME].directory_name == second.version


def test_nothing_of_the_target_is_written_before_the_commit_call(world: World) -> None:
    """Until commit the target's entry is exactly what it was at begin."""
    world.published()
    before = world.metastore.tables[TARGET_NAME]
    world.begun()
    assert world.metastore.tables[TARGET_NAME] is before


def test_settle_refreshes_the_sessions_caches(world: World) -> None:
    """After a commit the session that made it reads the new version."""
    world.published()
    assert world.engine.refreshed == [TARGET_NAME]


def test_an_older_table_without_a_marker_is_taken_over(world: World) -> None:
    """A plain table is replaced, conditional on its transient_lastDdlTime, which moves on."""
    world.metastore.tables[TARGET_NAME] = entry(
        TARGET_NAME, parameters={"transient_lastDdlTime": "9"}
    )
    staged = world.published()
    assert staged.outcome is Outcome.COMMITTED
    assert int(world.metastore.tables[TARGET_NAME].parameters["transient_lastDdlTime"]) > 9


def test_a_view_is_replaced_by_the_same_commit(world: World) -> None:
    """A view in the target's place becomes a table in one call."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, table_type="VIRTUAL_VIEW")
    assert world.published().strategy.name == "swap"
    assert not world.metastore.tables[TARGET_NAME].is_view


def test_the_bases_permissions_are_given_before_the_job_and_after_it(world: World) -> None:
    """Who may read the table is copied to the root before Spark writes, then to the version."""
    first = world.published()
    ours = world.table()
    ours.begin()
    base = first.root.version(first.version)
    assert world.storage.permissions == {str(ours.root): base}
    world.stage(ours)
    ours.verify()
    assert world.storage.permissions[ours.root.version(ours.version)] == base


def test_a_commit_whose_answer_was_lost_counts_as_committed(world: World) -> None:
    """The outcome is what a fresh read shows, not that the call raised."""
    ours = world.begun()
    world.metastore.after = losing_the_answer("create_table")
    ours.commit()
    assert ours.outcome is Outcome.COMMITTED


def test_an_old_marker_after_a_lost_answer_proves_nothing(world: World) -> None:
    """A call that may still be running leaves the outcome unknown, and nothing is deleted."""
    world.published()
    ours = world.begun()

    def connection_breaks(call: str) -> None:
        if call == "alter_table":
            raise MetastoreError("connection reset")

    world.metastore.before = connection_breaks
    with pytest.raises(CommitStateUnknownError):
        ours.commit()
    ours.abort("failed")
    assert ours.outcome is Outcome.UNKNOWN
    assert ours.version in world.versions_on_storage()
    assert ours.record.table in world.records()


def test_an_unreadable_target_after_the_call_is_unknown(world: World) -> None:
    """When the target can't be read after the call, the outcome is unknown."""
    ours = world.begun()

    def metastore_dies(call: str) -> None:
        if "create_table" in world.metastore.calls and call == "get_table":
            raise MetastoreError("connection refused")

    world.metastore.before = metastore_dies
    with pytest.raises(CommitStateUnknownError):
        ours.commit()


def test_a_foreign_revert_is_reported_and_deletes_nothing(world: World) -> None:
    """A stale entry written over our commit is a ConcurrentWriteError; both versions stay."""
    world.published()
    before = world.metastore.tables[TARGET_NAME]
    ours = world.begun()

    def revert(call: str) -> None:
        if call == "alter_table":
            world.metastore.tables[TARGET_NAME] = before

    world.metastore.after = revert
    with pytest.raises(ConcurrentWriteError, match="reverted"):
        ours.commit()
    ours.abort("reverted")
    assert ours.version in world.versions_on_storage()


def test_an_entry_that_the_metastore_refuses_leaves_the_target(world: World) -> None:
    """A refusal by name is not committed, and the metastore's own words are in the message."""
    world.published()
    before = world.metastore.tables[TARGET_NAME]
    ours = world.begun()

    def refuse(call: str) -> None:
        if call == "alter_table":
            raise RefusedError("no such serde")

    world.metastore.before = refuse
    with pytest.raises(StagingError, match="no such serde"):
        ours.commit()
    assert world.metastore.tables[TARGET_NAME] is before


def test_abort_removes_the_version_and_its_record(world: World) -> None:
    """After an abort neither files nor record of the version are left, and it may be repeated."""
    ours = world.begun()
    ours.abort("failed")
    ours.abort("again")
    assert ours.outcome is Outcome.NOT_COMMITTED
    assert (world.versions_on_storage(), world.records()) == (set(), set())
    assert world.job.stopped == 1


def test_abort_after_a_commit_does_nothing(world: World) -> None:
    """A published version can't be aborted."""
    ours = world.published()
    ours.abort("a post-hook failed")
    assert version_of(world) == ours.version
    assert ours.version in world.versions_on_storage()


def test_abort_never_raises(world: World) -> None:
    """An abort that can't delete says what it left and lets the model's own error through."""
    ours = world.begun()
    world.storage.refuses = True
    ours.abort("disk full")
    assert ours.left_behind == [f"directory {ours.root.version(ours.version)}"]


def test_files_of_a_running_task_are_left(world: World) -> None:
    """While a task of the job still runs, nothing is deleted under it."""
    ours = world.begun()
    world.job.stubborn = True
    ours.abort("cancelled")
    assert ours.version in world.versions_on_storage()
    assert "still runs" in ours.left_behind[0]


def test_a_cancelled_run_publishes_nothing(world: World) -> None:
    """A cancel that comes before the commit call keeps the version from being published."""
    ours = world.begun()
    world.job.canceled = True
    with pytest.raises(JobCanceledError):
        ours.commit()
    assert TARGET_NAME not in world.metastore.tables


def test_a_format_without_its_jar_is_refused_at_plan_time(world: World) -> None:
    """avro's data source is a jar of its own; without it nothing is begun."""
    with pytest.raises(StagingError, match="no data source for file_format avro"):
        world.table(layout=TableLayout(file_format="avro"))


def test_a_missing_schema_is_named(world: World) -> None:
    """A schema that does not exist is an error that names it and the remedy."""
    del world.metastore.databases["shop"]
    with pytest.raises(StagingError, match="schema shop does not exist"):
        world.table().begin()


def test_an_unwritable_warehouse_is_found_before_the_job(world: World) -> None:
    """The lease is written before anything else, so a full or forbidden disk stops the model."""
    staged = world.table()
    world.storage.refuses = True
    with pytest.raises(StorageError):
        staged.begin()


def test_an_entry_without_a_ddl_time_has_no_compare_and_swap(world: World) -> None:
    """A target to which no expectation can be tied is refused, not overwritten blindly."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, parameters={})
    with pytest.raises(AtomicityNotSupportedError, match="transient_lastDdlTime"):
        world.table().begin()


def test_a_lock_replaces_compare_and_swap_in_a_single_process() -> None:
    """An embedded metastore without compare-and-swap is guarded by this process's lock."""
    world = World(single_process=True)
    world.metastore.compares = False
    world.published()
    ours, theirs = world.begun(), world.begun()
    theirs.commit()
    with pytest.raises(ConcurrentWriteError):
        ours.commit()


def test_a_metastores_own_lock_replaces_compare_and_swap(world: World) -> None:
    """A remote metastore without compare-and-swap, but with lock tables, still isolates."""
    world.metastore.compares = False
    world.published()
    ours, theirs = world.begun(), world.begun()
    theirs.commit()
    with pytest.raises(ConcurrentWriteError):
        ours.commit()
    assert ours.level is Atomicity.ISOLATED
    assert world.metastore.locks == {}


def test_a_metastore_with_neither_reaches_atomic_and_no_more(world: World) -> None:
    """Without compare-and-swap and lock tables auto is atomic, and isolated by name is refused."""
    world.metastore.compares = world.metastore.has_locks = False
    with pytest.raises(AtomicityNotSupportedError, match="HIVE-26882"):
        world.table(atomicity=Atomicity.ISOLATED)
    assert world.published().level is Atomicity.ATOMIC


def test_level_none_publishes_an_empty_version_to_be_filled(world: World) -> None:
    """At level none the staged query has no rows, and an INSERT by name fills the target."""
    staged = world.table(atomicity=Atomicity.NONE)
    staged.begin()
    assert "LIMIT 0" in staged.statement("select 1 as id")
    assert staged.fill_statement("select 1 as id").startswith("INSERT INTO `shop`.`orders` BY NAME")


def test_a_weaker_level_than_the_last_is_said(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """A table that was isolated and is now built in place is warned about."""
    world.published()
    world.table(atomicity=Atomicity.NONE).begin()
    assert "was last published at atomicity isolated, and is now at none" in caplog.text


def test_untracked_partitions_over_tracked_ones_are_said(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """A taken-over table whose partitions were in the metastore is warned about."""
    world.metastore.tables[TARGET_NAME] = entry(
        TARGET_NAME,
        partition_keys=("month",),
        parameters={"transient_lastDdlTime": "9", "spark.sql.partitionProvider": "catalog"},
    )
    world.metastore.has_locks = False
    world.table(layout=TableLayout(partition_by=("month",))).begin()
    assert "SHOW PARTITIONS is refused" in caplog.text


def test_a_directory_that_keeps_filling_is_given_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A delete that does not take effect ends in a sentence, not in a loop."""
    ours = world.begun()
    monkeypatch.setattr(world.storage, "delete", lambda _path: None)
    ours.abort("failed")
    assert ours.left_behind


def test_a_commit_call_that_is_broken_off_is_unknown(world: World) -> None:
    """Ctrl-C inside the call says nothing of its fate: no abort deletes what may be live."""
    world.published()
    ours = world.begun()

    def press_ctrl_c(call: str) -> None:
        if call == "alter_table":
            raise KeyboardInterrupt

    world.metastore.after = press_ctrl_c
    with pytest.raises(KeyboardInterrupt):
        ours.commit()
    assert ours.outcome is Outcome.UNKNOWN
    ours.abort("cancelled")
    assert version_of(world) == ours.version
    assert ours.version in world.versions_on_storage()
