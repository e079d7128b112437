"""What runs that died leave of an Iceberg table, and when it goes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ctas_spark.errors import (
    CommitStateUnknownError,
    ConcurrentWriteError,
    MetastoreError,
    StagedVersionGoneError,
)
from ctas_spark.iceberg.base import IcebergBase
from ctas_spark.iceberg.version import IcebergVersion
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import Reason, RetentionRules
from iceberg.place import Place
from long import long

OLD = "SELECT id, 'old' AS name FROM range(3)"
NEW = "SELECT id, 'new' AS name, 1 AS more FROM range(2)"
OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]
RULES = RetentionRules()
AT_ONCE = RetentionRules(orphan_age_ms=0)
FENCES = RetentionRules(orphan_age_ms=0, fences=True)

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


def test_an_orphan_goes_with_all_that_it_staged(place: Place) -> None:
    """Files that no metadata knows, too; the table and its history stay as they are."""
    place.publish(OLD)
    before = place.files()
    lost = place.stage(NEW)
    written = next(path for path in place.files() - before if path.endswith(".parquet"))
    Path(written).with_name("half-written.parquet").write_text("PAR1")
    place.publish(OLD)
    history = place.rows("snapshot_id", ".snapshots")
    assert place.staging.clean_up(place.context(), RULES).kept[lost.version] is Reason.YOUNG
    assert place.files_of(lost.version)
    assert len(place.staging.clean_up(place.context(), AT_ONCE).freed) == 1
    assert place.files_of(lost.version) == set()
    assert place.staged() == []
    assert (place.rows(), place.rows("snapshot_id", ".snapshots")) == (OLD_ROWS, history)


def test_a_young_version_is_left_alone(jdbc: Place) -> None:
    """Its fork stays, and it commits."""
    jdbc.publish(OLD)
    staged = jdbc.stage(NEW)
    swept = jdbc.another_run().staging.clean_up(jdbc.context(), RULES)
    assert swept.kept[staged.version] is Reason.YOUNG
    staged.commit()
    staged.settle()
    assert len(jdbc.rows()) == 2


@pytest.mark.on_every_catalog
def test_a_version_that_may_land_goes_by_a_fence_alone(place: Place) -> None:
    """A writer that lived all the same publishes nothing, and the table is what it was."""
    place.publish(OLD)
    staged = place.stage(NEW)
    swept = place.staging.clean_up(place.context(), AT_ONCE)
    assert swept.kept[staged.version] is Reason.MAY_LAND
    place.staging.clean_up(place.context(), FENCES)
    assert (place.files_of(staged.version), place.staged()) == (set(), [])
    with pytest.raises(StagedVersionGoneError, match="is gone"):
        staged.commit()
    staged.abort("failed")
    assert place.rows() == OLD_ROWS


def test_a_writer_that_wakes_up_while_its_fork_is_taken_publishes_nothing(jdbc: Place) -> None:
    """The sweeper's claim stands on the fork, where the writer reads it before it calls."""
    jdbc.publish(OLD)
    staged = jdbc.stage(NEW)
    fork = f"{jdbc.catalog}.{jdbc.staging_schema}.{jdbc.staged()[0]}"
    jdbc.spark.sql(f"ALTER TABLE {fork} SET TBLPROPERTIES ('ctas_spark_state' = 'deleting')")
    with pytest.raises(ConcurrentWriteError, match="a clean-up deleted"):
        staged.commit()
    staged.abort("failed")
    assert jdbc.rows() == OLD_ROWS


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
    """A vacuum makes sure that the old request can't land, and only then deletes its files."""
    place.publish(OLD)
    staged = place.stage(NEW)
    before = place.files()
    answer_is_lost(False)
    with pytest.raises(CommitStateUnknownError):
        staged.commit()
    staged.abort("failed")
    assert staged.outcome is Outcome.UNKNOWN
    assert place.files() > before
    monkeypatch.undo()
    attempt = staged._version  # noqa: SLF001 (its call is on its way)
    assert isinstance(attempt, IcebergVersion)
    place.staging.clean_up(place.context(), FENCES)
    assert place.files_of(staged.version) == set()
    with pytest.raises(MetastoreError):
        attempt.publish(staged.base)
    assert place.rows() == OLD_ROWS


def test_a_run_that_died_after_its_commit_keeps_its_files(
    jdbc: Place, answer_is_lost: Callable[[bool], None]
) -> None:
    """Only the fork's own entry goes, however young it is."""
    jdbc.publish(NEW)
    staged = jdbc.stage(OLD)
    answer_is_lost(True)
    staged.commit()
    assert len(jdbc.staged()) == 1
    (done,) = jdbc.staging.recover(jdbc.context())
    assert staged.version in done
    assert jdbc.staged() == []
    assert jdbc.rows() == OLD_ROWS


def test_a_table_that_was_renamed_after_a_lost_answer_keeps_its_files(
    jdbc: Place, answer_is_lost: Callable[[bool], None]
) -> None:
    """It has another name, and the dead run's version: nothing of that is deleted."""
    staged = jdbc.stage(OLD)
    answer_is_lost(True)
    staged.commit()
    jdbc.spark.sql(f"ALTER TABLE {jdbc.table} RENAME TO {jdbc.schema}.elsewhere")
    swept = jdbc.staging.clean_up(jdbc.context(), AT_ONCE)
    assert swept.kept[staged.version] is Reason.REFERENCED
    found = jdbc.spark.sql(f"SELECT count(*) FROM {jdbc.catalog}.{jdbc.schema}.elsewhere")
    assert found.collect()[0][0] == 3


def test_users_writes_keep_the_files_of_a_commit_that_has_expired(
    jdbc: Place, answer_is_lost: Callable[[bool], None]
) -> None:
    """The table's history no longer says that they were published; the table still has them."""
    jdbc.publish(NEW)
    staged = jdbc.stage(OLD)
    answer_is_lost(True)
    staged.commit()
    jdbc.spark.sql(f"INSERT INTO {jdbc.table} VALUES (7, 'user')")
    jdbc.expire_snapshots()
    swept = jdbc.staging.clean_up(jdbc.context(), FENCES)
    assert swept.kept[staged.version] is Reason.NEEDED
    assert jdbc.rows() == [*OLD_ROWS, (7, "user")]


@pytest.mark.parametrize("name", [long("t"), "elsewhere"])
def test_maintenance_of_a_version_that_was_killed_after_its_commit_loses_no_file(
    place: Place, answer_is_lost: Callable[[bool], None], name: str
) -> None:
    """Its marker has expired, and the table may have another name: the manifests still tell."""
    place.publish(NEW)
    staged = place.stage(OLD)
    answer_is_lost(True)
    staged.commit()
    place.spark.sql(f"INSERT INTO {place.table} VALUES (7, 'user')")
    place.spark.sql(f"CALL {place.catalog}.system.rewrite_manifests(table => '{place.schema}.t')")
    place.expire_snapshots()
    found = f"{place.catalog}.{place.schema}.{name}"
    if name != "t":
        place.spark.sql(f"ALTER TABLE {place.table} RENAME TO {place.schema}.{name}")
    for rules in (AT_ONCE, FENCES):
        swept = place.another_run().staging.clean_up(place.context(), rules)
        assert swept.kept[staged.version] is Reason.NEEDED
    assert place.spark.newSession().sql(f"SELECT * FROM {found}").count() == 4


def test_a_snapshot_without_its_marker_keeps_its_files(
    jdbc: Place, answer_is_lost: Callable[[bool], None]
) -> None:
    """A user has tagged the staged rows' own snapshot, and what came after it has expired."""
    jdbc.publish(NEW)
    staged = jdbc.stage(OLD)
    answer_is_lost(True)
    staged.commit()
    (marked,) = jdbc.rows("max_by(snapshot_id, made_current_at)", ".history")[0]
    parent = jdbc.rows("parent_id", f".snapshots WHERE snapshot_id = {marked}")[0][0]
    jdbc.spark.sql(f"ALTER TABLE {jdbc.table} CREATE TAG kept AS OF VERSION {parent}")
    jdbc.spark.sql(f"CREATE OR REPLACE TABLE {jdbc.table} USING iceberg AS SELECT 1 AS one")
    jdbc.expire_snapshots()
    swept = jdbc.staging.clean_up(jdbc.context(), FENCES)
    assert swept.kept[staged.version] is Reason.NEEDED
    assert jdbc.rows("*", " VERSION AS OF 'kept'") == OLD_ROWS


def test_a_creation_whose_fate_is_unknown_is_waited_for(
    jdbc: Place, answer_is_lost: Callable[[bool], None]
) -> None:
    """Its files stay while it is young, and go after that."""
    staged = jdbc.stage(OLD)
    answer_is_lost(False)
    with pytest.raises(CommitStateUnknownError):
        staged.commit()
    swept = jdbc.staging.clean_up(jdbc.context(), RULES)
    assert swept.kept[staged.version] is Reason.YOUNG
    jdbc.staging.clean_up(jdbc.context(), AT_ONCE)
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


def test_a_fence_is_another_commit_to_a_living_writer(jdbc: Place) -> None:
    """Its version may be deleted already, so that it may not publish."""
    jdbc.publish(OLD)
    staged = jdbc.stage(NEW)
    jdbc.fence()
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("failed")
    assert (jdbc.rows(), jdbc.staged()) == (OLD_ROWS, [])
