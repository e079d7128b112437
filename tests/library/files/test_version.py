"""A version of a table of files, from its statement to its end."""

from dataclasses import replace

import pytest
from pyspark.errors import PySparkException

from ctas_spark.context import Atomicity, TableLayout
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConcurrentWriteError,
    JobCanceledError,
    NoSuchSchemaError,
    StagedVersionGoneError,
    StorageError,
)
from ctas_spark.files import publication
from ctas_spark.files.record import Record
from ctas_spark.publish.marker import VERSION_ID, Marker
from ctas_spark.publish.version import Outcome
from fakes.clock import START_MS
from fakes.metastore import entry
from fakes.world import BY_MONTH, CONTEXT, TARGET_NAME, Staged, World, version_of

START = START_MS // 1000


def test_a_session_that_can_not_forget_fails_no_published_model(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The commit stands, and the log says what the session may show."""

    def refused(_name: object) -> None:
        raise PySparkException("the cache is away")

    ours = world.committed()
    monkeypatch.setattr(world.engine, "refresh", refused)
    ours.settle()
    assert "this session may still show its old version" in caplog.text
    assert ours.outcome is Outcome.COMMITTED


def plain(world: World, second: int, **also: str) -> None:
    """The target is a table that is not ours, last written in that second."""
    written = {"transient_lastDdlTime": str(second), **also}
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, parameters=written)


class Sleeps:
    """A sleep turns the world's clock on; ``slept`` has the seconds of each."""

    def __init__(self, world: World) -> None:
        self.slept: list[float] = []
        self._world = world

    def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._world.clock.pass_ms(round(seconds * 1000))


def test_a_first_publication_creates_and_a_second_replaces(world: World) -> None:
    """Each shows its own directory; the marker names its base."""
    first, second = world.published(), world.published()
    marker = Marker.of(world.target)
    assert marker is not None
    assert [one.reach.strategy for one in (first, second)] == ["create", "swap"]
    assert [e.version for e in marker.lineage.entries] == [second.version, first.version]
    assert world.target.directory_name == second.version


def test_nothing_of_the_target_is_written_before_the_commit_call(world: World) -> None:
    """Until then its entry is exactly what it was at begin."""
    world.published()
    before = world.target
    world.begun()
    assert world.target is before


def test_a_version_is_named_by_its_start(world: World) -> None:
    """In UTC, with eight random digits; it names directory and record."""
    ours = world.begun()
    assert VERSION_ID.fullmatch(ours.version)
    assert ours.version.startswith("20231114t221320x")
    assert version_of(ours).directory.endswith(f"/shop.orders/{ours.version}")
    assert version_of(ours).record.table == f"orders__{ours.version}"


def test_the_record_is_born_with_the_ctas(world: World) -> None:
    """Base and root stand in its properties, so that no moment is without them."""
    statement = world.plan().begin().statement("select 1 as id")
    assert statement.startswith("CREATE TABLE `spark_catalog`.`shop__ctas_spark`.`orders__")
    assert "USING `parquet`" in statement
    assert '"bases":[["absent",1700000000000,null]]' in statement
    world.published()
    base = Marker.of(world.target)
    assert base is not None
    assert f'"bases":[["commit:{base.commit}",' in world.plan().begin().statement("select 1 as id")


def test_a_record_that_a_format_keeps_in_its_log_is_written_after_the_job(world: World) -> None:
    """Delta's properties are not in the entry that its CTAS makes."""
    ours = world.plan(layout=TableLayout(file_format="delta")).begin()
    assert "ctas_spark_record" not in ours.statement("select 1 as id")
    world.stage(ours)
    name = version_of(ours).record
    bare = replace(world.metastore.tables[name], parameters={"team": "core"})
    world.metastore.tables[name] = bare
    ours.verify()
    record = Record.of(world.metastore.tables[name])
    assert record is not None
    assert (record.is_deleting, record.base) == (False, "absent")
    assert world.metastore.tables[name].parameters["team"] == "core"


def test_the_directory_of_a_managed_table_is_remembered(world: World) -> None:
    """Its files become nobody's with the commit, and only ctas_vacuum deletes them."""
    managed = entry(TARGET_NAME, table_type="MANAGED_TABLE")
    world.metastore.tables[TARGET_NAME] = managed
    ours = world.published()
    record = Record.of(world.metastore.tables[version_of(ours).record])
    assert record is not None
    assert record.took_over == managed.location
    assert not world.target.is_managed


def test_settle_refreshes_the_sessions_caches(world: World) -> None:
    """After a commit the session that made it reads the new version."""
    world.published()
    assert world.engine.refreshed == [TARGET_NAME]


def test_statistics_of_the_old_version_are_dropped(world: World) -> None:
    """The metastore's statistics of columns describe other rows."""
    world.published()
    counted = {**world.target.parameters, "COLUMN_STATS_ACCURATE": "{}"}
    world.metastore.tables[TARGET_NAME] = replace(world.target, parameters=counted)
    world.metastore.column_statistics.add(TARGET_NAME)
    world.published()
    assert world.metastore.column_statistics == set()


def test_the_bases_permissions_are_given_to_the_version(world: World) -> None:
    """The rights on the table are copied to the directory of the next version."""
    first, ours = world.published(), world.begun()
    assert world.storage.permissions[version_of(ours).directory] == version_of(first).directory


def test_a_first_version_gets_the_permissions_of_its_root(world: World) -> None:
    """Those of the schema's directory, which other users of the group may write in."""
    ours = version_of(world.begun())
    assert world.storage.permissions[ours.directory] == ours.directory.rpartition("/")[0]


def test_a_partitioned_version_is_staged_statically(world: World) -> None:
    """Whatever the session's mode is; an option of the model's own goes first."""
    ours = version_of(world.plan(layout=BY_MONTH).begin())
    assert "'PARTITIONOVERWRITEMODE' = 'static'" in ours.statement("select 1")
    named = replace(BY_MONTH, options={"partitionOverwriteMode": "dynamic"})
    theirs = version_of(world.plan(layout=named).begin())
    assert "static" not in theirs.statement("select 1")
    plain = version_of(world.plan().begin())
    assert "static" not in plain.statement("select 1")


def test_what_is_not_there_is_not_said_to_be_left(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HDFS refuses to delete a directory that is not there, for the sake of its parent."""
    dead = world.plan().begin()
    dead.statement("select 1")

    def refuse(_path: str) -> None:
        raise StorageError("Permission denied")

    monkeypatch.setattr(world.storage, "delete", refuse)
    dead.abort("failed")
    assert dead.left_behind == []


def test_refused_permissions_are_a_warning(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A storage without owners does not fail a model."""
    world.published()

    def refuse(_source: str, _directory: str) -> None:
        raise StorageError("not the owner")

    monkeypatch.setattr(world.storage, "copy_permissions", refuse)
    ours = world.begun()
    ours.commit()
    assert ours.outcome is Outcome.COMMITTED
    assert "it keeps the permissions that Spark gave it" in caplog.text


def test_a_table_without_our_marker_is_taken_over(world: World) -> None:
    """Conditional on its transient_lastDdlTime, which moves on to now."""
    plain(world, 9)
    ours = world.published()
    assert ours.outcome is Outcome.COMMITTED
    assert world.target.parameters["transient_lastDdlTime"] == str(START)


def test_the_time_of_a_takeover_never_goes_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A base from the future is expected one second later the next time."""
    monkeypatch.setattr(publication, "LONGEST_WAIT_SECONDS", 0.0)
    plain(world, START + 500)
    world.published()
    assert world.target.parameters["transient_lastDdlTime"] == str(START + 501)


def test_a_takeover_waits_until_the_expected_second_is_over(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An INSERT after a rival's commit could set the very second again."""
    sleeps = Sleeps(world)
    monkeypatch.setattr("time.sleep", sleeps)
    plain(world, START)
    ours = world.begun()
    ours.commit()
    assert sleeps.slept == [1]
    assert int(world.target.parameters["transient_lastDdlTime"]) == START + 1


def test_what_is_written_while_a_takeover_waits_is_a_conflict(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sets the very second that the call expects, so that no server would refuse it."""
    sleeps = Sleeps(world)

    def alter(seconds: float) -> None:
        if not sleeps.slept:
            plain(world, START, team="core")
        sleeps(seconds)

    monkeypatch.setattr("time.sleep", alter)
    plain(world, START)
    ours = world.begun()
    with pytest.raises(ConcurrentWriteError, match="another program"):
        ours.commit()
    assert world.target.parameters == {"transient_lastDdlTime": str(START), "team": "core"}


def test_a_record_that_was_made_later_is_proof_enough(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The metastore's own clock has passed the second: nothing is waited for."""
    sleeps = Sleeps(world)
    monkeypatch.setattr("time.sleep", sleeps)
    plain(world, START - 1)
    world.begun().commit()
    world.begun().commit()  # and a base with our marker expects no time at all
    assert sleeps.slept == []


@pytest.mark.parametrize("is_altered", [True, False])
def test_a_rival_without_a_marker_is_found_by_the_time(world: World, *, is_altered: bool) -> None:
    """Compare-and-swap on it refuses what was written after our look, which is then repeated.

    An ALTER is a conflict; of an INSERT a rebuild that does not read the table takes no notice.
    """
    plain(world, 9)
    ours = world.begun()

    def write(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            plain(world, START, **({"team": "core"} if is_altered else {}))

    world.metastore.before = write
    if not is_altered:
        ours.commit()
        assert world.shown == ours.version
        return
    with pytest.raises(ConcurrentWriteError, match="another program"):
        ours.commit()
    assert world.target.parameters == {"transient_lastDdlTime": str(START), "team": "core"}


@pytest.mark.parametrize(
    ("single_process", "level"), [(True, Atomicity.ISOLATED), (False, Atomicity.ATOMIC)]
)
def test_a_lock_replaces_compare_and_swap(*, single_process: bool, level: Atomicity) -> None:
    """This process's carries isolated, the metastore's own only atomic: it can run out."""
    world = World(single_process=single_process)
    world.metastore.compares = False
    world.published()
    ours, theirs = world.begun(), world.begun()
    theirs.commit()
    with pytest.raises(ConcurrentWriteError):
        ours.commit()
    assert ours.level is level
    assert world.metastore.locks == {}


def test_a_lock_that_ran_out_is_no_fence(world: World) -> None:
    """A writer that was paused with it commits over the next holder's version: atomic says so."""
    world.metastore.compares = False
    world.published()
    ours, theirs = world.begun(), world.begun()

    def run_out(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            world.metastore.locks.clear()
            theirs.commit()

    world.metastore.before = run_out
    ours.commit()
    assert world.shown == ours.version
    assert (ours.level, theirs.level) == (Atomicity.ATOMIC, Atomicity.ATOMIC)
    with pytest.raises(AtomicityNotSupportedError, match="can run out"):
        world.plan(atomicity=Atomicity.ISOLATED)


def test_with_neither_the_last_writer_wins(world: World) -> None:
    """atomic, and the result says that nobody checks for conflicts at the call."""
    world.metastore.compares = world.metastore.has_locks = False
    assert world.published().level is Atomicity.ATOMIC
    assert world.catalog().capabilities(CONTEXT.staging_schema).conflict_check.value == "none"


def test_level_none_publishes_an_empty_version_to_be_filled(world: World) -> None:
    """The staged query has no rows, and an INSERT by name fills the target afterwards."""
    ours = world.plan(atomicity=Atomicity.NONE).begin()
    assert "LIMIT 0" in ours.statement("select 1 as id")
    filled = ours.fill_statement("select 1 as id")
    assert filled is not None
    assert filled.startswith("INSERT INTO `spark_catalog`.`shop`.`orders` BY NAME")
    assert world.engine.refreshed == [TARGET_NAME]


def test_a_cancelled_run_publishes_nothing(world: World) -> None:
    """A cancel that comes before the commit call."""
    ours = world.begun()
    world.job.canceled = True
    with pytest.raises(JobCanceledError):
        ours.commit()
    assert TARGET_NAME not in world.metastore.tables


def gone(world: World, ours: Staged) -> None:
    """Somebody dropped the record."""
    world.metastore.drop_entry(version_of(ours).record)


def test_a_version_whose_record_was_dropped_is_not_published(world: World) -> None:
    """Nobody knows its schema any more."""
    ours = world.begun()
    gone(world, ours)
    with pytest.raises(
        StagedVersionGoneError, match=r"record shop__ctas_spark\.orders__.* is gone"
    ):
        ours.commit()


def test_a_missing_schema_is_named(world: World) -> None:
    """With the remedy, before any job."""
    del world.metastore.databases["shop"]
    with pytest.raises(NoSuchSchemaError, match="create schema shop"):
        world.plan().begin()


def test_an_unwritable_warehouse_is_found_before_the_job(world: World) -> None:
    """The file of the staging id is written first, so that a full or forbidden disk stops it."""
    plan = world.plan()
    world.storage.refuses = True
    with pytest.raises(StorageError):
        plan.begin()


def test_publish_needs_a_marker_for_that_base(world: World) -> None:
    """One that was made for another base would expect the wrong commit."""
    version = version_of(world.begun())
    with pytest.raises(RuntimeError, match=r"mark\(\) was not called"):
        version.publish(version.look())
