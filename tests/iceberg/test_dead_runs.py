"""What runs that died leave of an Iceberg table, and what the next ones make of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import (
    CommitStateUnknownError,
    ConcurrentWriteError,
    MetastoreError,
    StagingError,
)
from dbt.adapters.ctas_spark.staging.iceberg.base import IcebergBase
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergTables
from dbt.adapters.ctas_spark.staging.iceberg.version import IcebergVersion
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.retention.rules import Reason, RetentionRules
from iceberg.place import Place

OLD = "SELECT id, 'old' AS name FROM range(3)"
NEW = "SELECT id, 'new' AS name, 1 AS more FROM range(2)"
OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]
RULES = RetentionRules()

Publish = Callable[[IcebergVersion, IcebergBase], None]


@pytest.fixture
def answer_is_lost(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Every commit call ends in an error without a name; it lands, or it does not."""
    publish = IcebergVersion.publish

    def arrange(lands: bool) -> None:  # noqa: FBT001 (said once)
        def lost(self: IcebergVersion, over: IcebergBase) -> None:
            if lands:
                publish(self, over)
            raise MetastoreError("the answer was lost")

        monkeypatch.setattr(IcebergVersion, "publish", lost)

    return arrange


def test_recover_removes_all_that_a_dead_run_staged(place: Place) -> None:
    """Files that no metadata knows, too; the table and its history stay as they are."""
    place.publish(OLD)
    dead = place.another_run()
    before = place.files(), place.rows("snapshot_id", ".snapshots")
    dead.stage(NEW)
    written = next(path for path in place.files() - before[0] if path.endswith(".parquet"))
    Path(written).with_name("half-written.parquet").write_text("PAR1")
    dead.die()
    done = place.staging.recover(place.context(), RULES)
    assert len(done) == 1
    assert (place.files(), place.rows("snapshot_id", ".snapshots")) == before
    assert place.staged() == []
    assert place.rows() == OLD_ROWS


def test_the_next_build_removes_what_a_dead_one_staged(jdbc: Place) -> None:
    """At its begin; the clean-up after it removes the dead run's lease, too."""
    dead = jdbc.another_run()
    lost = dead.stage(NEW)
    dead.die()
    jdbc.publish(OLD)
    assert not any(lost.version in path for path in jdbc.files())
    jdbc.staging.clean_up(jdbc.context(), RULES)
    leases = jdbc.leases()
    assert len(leases) == 1
    assert lost.version.split("_")[0] not in leases


def test_a_living_run_is_left_alone(jdbc: Place) -> None:
    """Its fork stays, and it commits."""
    jdbc.publish(OLD)
    other = jdbc.another_run()
    staged = other.stage(NEW)
    swept = jdbc.staging.clean_up(jdbc.context(), RULES)
    assert swept.kept[staged.version] is Reason.RUNNING
    staged.commit()
    staged.settle()
    other.close()
    assert len(jdbc.rows()) == 2


def test_a_run_that_was_taken_for_dead_publishes_nothing(jdbc: Place) -> None:
    """It wakes up after its fork was taken: its model fails, and the table is what it was."""
    jdbc.publish(OLD)
    sleeper = jdbc.another_run()
    staged = sleeper.stage(NEW)
    sleeper.die()
    jdbc.staging.recover(jdbc.context(), RULES)
    with pytest.raises(Exception, match="is gone"):
        staged.commit()
    staged.abort("failed")
    assert jdbc.rows() == OLD_ROWS


def test_a_writer_that_wakes_up_while_its_fork_is_taken_publishes_nothing(jdbc: Place) -> None:
    """The sweeper's claim stands on the fork, where the writer reads it before it calls."""
    jdbc.publish(OLD)
    staged = jdbc.stage(NEW)
    fork = f"{jdbc.catalog}.{jdbc.staging_schema}.{jdbc.staged()[0]}"
    jdbc.spark.sql(f"ALTER TABLE {fork} SET TBLPROPERTIES ('ctas_spark_state' = 'deleting')")
    with pytest.raises(ConcurrentWriteError, match="a clean-up took"):
        staged.commit()
    staged.abort("failed")
    assert jdbc.rows() == OLD_ROWS


def test_a_creation_that_was_swept_in_its_sleep_leaves_no_entry(
    jdbc: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No fence stops it: it looks at its fork again after it has created the table."""
    staged = jdbc.stage(OLD)
    fork = f"{jdbc.catalog}.{jdbc.staging_schema}.{jdbc.staged()[0]}"
    register = IcebergTables.register

    def registered(self: IcebergTables, name: TableName, metadata_location: str) -> None:
        register(self, name, metadata_location)
        jdbc.spark.sql(f"ALTER TABLE {fork} SET TBLPROPERTIES ('ctas_spark_state' = 'deleting')")

    monkeypatch.setattr(IcebergTables, "register", registered)
    with pytest.raises(StagingError, match="a clean-up took the version"):
        staged.commit()
    staged.abort("failed")
    assert not jdbc.spark.catalog.tableExists(jdbc.table)
    assert (jdbc.files(), jdbc.staged()) == (set(), [])


def test_an_answer_that_was_lost_after_the_commit_is_a_success(
    place: Place, answer_is_lost: Callable[[bool], None]
) -> None:
    """The table's own history decides, not the error."""
    place.publish(OLD)
    staged = place.stage(NEW)
    answer_is_lost(True)
    staged.commit()
    staged.settle()
    assert staged.outcome is Outcome.COMMITTED
    assert len(place.rows()) == 2


def test_an_unknown_outcome_deletes_nothing_until_it_is_fenced(
    place: Place, answer_is_lost: Callable[[bool], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run makes sure that the old request can't land, and only then deletes its files."""
    place.publish(OLD)
    dead = place.another_run()
    staged = dead.stage(NEW)
    before = place.files()
    answer_is_lost(False)
    with pytest.raises(CommitStateUnknownError):
        staged.commit()
    staged.abort("failed")
    assert staged.outcome is Outcome.UNKNOWN
    assert place.files() > before
    version, over = staged._version, staged._begun  # type: ignore[attr-defined]  # noqa: SLF001
    monkeypatch.undo()
    late = version.fork()
    dead.die()
    place.staging.recover(place.context(), RULES)
    assert not any(staged.version in path for path in place.files())
    monkeypatch.setattr(version, "fork", lambda: late)
    with pytest.raises(MetastoreError):
        version.publish(over)
    assert place.rows() == OLD_ROWS


def test_a_dead_run_that_had_published_keeps_its_files(
    jdbc: Place, answer_is_lost: Callable[[bool], None]
) -> None:
    """It died between its commit and its clean-up: only the fork's own entry goes."""
    dead = jdbc.another_run()
    staged = dead.stage(OLD)
    answer_is_lost(True)
    staged.commit()
    dead.die()
    assert len(jdbc.staged()) == 1
    jdbc.staging.recover(jdbc.context(), RULES)
    assert jdbc.staged() == []
    assert jdbc.rows() == OLD_ROWS


def test_a_table_that_was_renamed_after_a_lost_answer_keeps_its_files(
    jdbc: Place, answer_is_lost: Callable[[bool], None]
) -> None:
    """It has another name, and the dead run's version: nothing of that is deleted."""
    dead = jdbc.another_run()
    staged = dead.stage(OLD, dead.context(unknown_after=0))
    answer_is_lost(True)
    staged.commit()
    dead.die()
    jdbc.spark.sql(f"ALTER TABLE {jdbc.table} RENAME TO {jdbc.schema}.elsewhere")
    swept = jdbc.staging.clean_up(jdbc.context(), RetentionRules(unknown_after_ms=0))
    assert swept.kept[staged.version] is Reason.REFERENCED
    found = jdbc.spark.sql(f"SELECT count(*) FROM {jdbc.catalog}.{jdbc.schema}.elsewhere")
    assert found.collect()[0][0] == 3


def test_a_creation_whose_fate_is_unknown_is_waited_for(
    jdbc: Place, answer_is_lost: Callable[[bool], None]
) -> None:
    """No fence stops a creation: its files stay for unknown_after, and go after that."""
    dead = jdbc.another_run()
    staged = dead.stage(OLD)
    answer_is_lost(False)
    with pytest.raises(CommitStateUnknownError):
        staged.commit()
    dead.die()
    swept = jdbc.staging.clean_up(jdbc.context(), RULES)
    assert swept.kept[staged.version] is Reason.MAY_LAND
    jdbc.staging.clean_up(jdbc.context(), RetentionRules(unknown_after_ms=0))
    assert (jdbc.files(), jdbc.staged()) == (set(), [])


def test_an_ok_that_did_nothing_is_no_success(jdbc: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a REST catalog answers a commit that it takes for none."""
    jdbc.publish(OLD)
    staged = jdbc.stage(NEW)
    monkeypatch.setattr(IcebergVersion, "publish", lambda *_: None)
    with pytest.raises((CommitStateUnknownError, ConcurrentWriteError)):
        staged.commit()
    assert staged.outcome is Outcome.UNKNOWN
    assert jdbc.rows() == OLD_ROWS


def test_a_fence_does_not_fail_a_living_writer(jdbc: Place) -> None:
    """Its version is the same, so that the writer takes it for its new base."""
    jdbc.publish(OLD)
    dead, living = jdbc.another_run(), jdbc.another_run()
    dead.stage(NEW)
    staged = living.stage(NEW)
    dead.die()
    jdbc.fence()
    staged.commit()
    staged.settle()
    living.close()
    assert len(jdbc.rows()) == 2
