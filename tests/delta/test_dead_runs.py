"""What runs that died leave of a Delta table, and what the next ones make of it."""

import pytest

from dbt.adapters.ctas_spark.staging.delta import transaction
from dbt.adapters.ctas_spark.staging.delta.marker import CommitMarker
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, LoadedTable
from dbt.adapters.ctas_spark.staging.errors import (
    ConcurrentWriteError,
    EntryModifiedError,
    StagingError,
)
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from dbt.adapters.ctas_spark.staging.publish.protocol import StagedTable
from dbt.adapters.ctas_spark.staging.retention.rules import Reason, RetentionRules
from delta.place import Place

OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]
NEW = "SELECT id, 'new' AS name, 1 AS more FROM range(2)"
NEW_ROWS = [(0, "new", 1), (1, "new", 1)]
RULES = RetentionRules()
WITHOUT_GRACE = RetentionRules(versions_to_keep=0, grace_ms=0)


def test_recover_removes_all_that_a_dead_run_staged(published: Place) -> None:
    """Files, entries and lease; rows and history stay, but for the fence."""
    before = published.files(), published.staged()
    dead = published.another_run()
    staged = dead.stage(NEW)
    dead.die()
    done = published.staging.recover(published.context(), RULES)
    assert len(done) == 1
    assert staged.version in done[0]
    assert (published.files(), published.staged()) == before
    assert published.rows() == OLD_ROWS
    assert published.history()[0][0] == 1
    assert published.staging.recover(published.context(), RULES) == ()
    published.staging.clean_up(published.context(), RULES)
    assert published.leases() == {published.opened.lease.id}


def test_a_run_that_died_before_its_job_leaves_nothing_either(published: Place) -> None:
    """Its record is there before the first file."""
    before = published.staged()
    dead = published.another_run()
    dead.begin()
    dead.die()
    published.publish(NEW)
    assert len(published.staged()) == len(before)
    assert published.rows() == NEW_ROWS


def test_a_living_run_is_left_alone(published: Place) -> None:
    """Its version stays, and it commits."""
    other = published.another_run()
    staged = other.stage(NEW)
    swept = published.staging.clean_up(published.context(), RULES)
    assert swept.kept[staged.version] is Reason.RUNNING
    staged.commit()
    staged.settle()
    other.close()
    assert published.rows() == NEW_ROWS


def test_a_writer_that_was_taken_for_dead_publishes_nothing(published: Place) -> None:
    """It wakes up after its files were swept: refused, and the table is what it was."""
    sleeper = published.another_run()
    staged = sleeper.stage(NEW)
    sleeper.die()
    published.staging.recover(published.context(), RULES)
    with pytest.raises(StagingError):
        staged.commit()
    staged.abort("refused")
    assert published.rows() == OLD_ROWS


def test_the_fence_refuses_a_writer_that_has_looked_already(
    published: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sleeps just before its transaction, while its record is taken and its table fenced."""
    sleeper = published.another_run()
    staged = sleeper.stage(NEW)
    publish = transaction.publish

    def late(*arguments: object) -> None:
        monkeypatch.undo()
        sleeper.seem_dead()
        assert len(published.staging.recover(published.context(), RULES)) == 1
        publish(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(transaction, "publish", late)
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    assert published.rows() == OLD_ROWS
    sleeper.close()


def test_the_fence_by_itself_refuses_an_attempt(
    published: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Delta's transaction does, with all staged files there: no look of ours is what holds."""
    staged = published.stage(NEW)
    publish = transaction.publish

    def late(tables: DeltaTables, over: LoadedTable, *rest: object) -> None:
        monkeypatch.undo()
        marker = CommitMarker("c1", "", "", "", "", Kind.FENCE, 0)
        transaction.fence(tables, over, marker)
        with pytest.raises(EntryModifiedError):
            publish(tables, over, *rest)  # type: ignore[arg-type]
        raise EntryModifiedError("seen")

    monkeypatch.setattr(transaction, "publish", late)
    staged.commit()
    staged.settle()
    assert published.rows() == NEW_ROWS
    assert len(published.history()) == 3


def test_another_writer_takes_a_fence_as_its_new_base(published: Place) -> None:
    """The version under it is the same."""
    dead = published.another_run()
    dead.stage("SELECT 5 AS five")
    dead.die()
    staged = published.another_run()
    living = staged.stage(NEW)
    # begin has swept the dead one; fence the table once more
    again = published.another_run()
    again.stage("SELECT 6 AS six")
    again.die()
    published.staging.recover(published.context(), RULES)
    living.commit()
    living.settle()
    staged.close()
    assert published.rows() == NEW_ROWS


def test_a_run_that_died_after_its_commit_is_published(published: Place) -> None:
    """Its files stay; only the staged table's own log and the entries go."""
    before = published.staged()
    dead = published.another_run()
    staged = dead.stage(NEW)
    staged.commit()
    dead.die()
    assert published.stages() == [f"stg_{staged.version}"]
    published.staging.recover(published.context(), RULES)
    assert published.stages() == []
    assert published.staged() == before
    assert published.rows() == NEW_ROWS


def test_a_publication_is_kept_though_another_replaced_the_table_since(published: Place) -> None:
    """A native replace gives it a new identity; its history still refers to the staged files."""
    dead = published.another_run()
    staged = dead.stage(NEW)
    staged.commit()
    dead.die()
    published.sql("CREATE OR REPLACE TABLE {t} USING delta AS SELECT 1 AS a")
    published.staging.recover(published.context(), RULES)
    assert published.stages() == []
    assert published.rows(" VERSION AS OF 1") == NEW_ROWS


def test_a_dead_creation_is_removed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that died between its CTAS and the call that marks its record."""
    dead = place.another_run()
    monkeypatch.setattr(StagedFileTable, "_mark_record", _dies)
    with pytest.raises(KeyboardInterrupt):
        dead.stage("SELECT 1 AS a")
    monkeypatch.undo()
    dead.die()
    assert len(place.staged()) == 1
    place.staging.recover(place.context(), WITHOUT_GRACE)
    place.staging.clean_up(place.context(), WITHOUT_GRACE)
    assert place.staged() == []
    assert place.leases() == {place.opened.lease.id}


def test_what_a_dropped_table_had_staged_is_removed(published: Place) -> None:
    """The directory is there without an entry."""
    dead = published.another_run()
    staged: StagedTable = dead.stage(NEW)
    dead.die()
    root = published.root()
    published.sql("DROP TABLE {t}")
    published.staging.recover(published.context(), RULES)
    assert not (root / f"stg_{staged.version}").exists()
    assert [name for name in published.staged() if staged.version in name] == []


def _dies(_: StagedFileTable) -> None:
    raise KeyboardInterrupt
