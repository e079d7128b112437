"""What runs that died leave of a Delta table, and what later ones make of it."""

from dataclasses import replace

import pytest

from ctas_spark.delta import transaction
from ctas_spark.delta.facts import CommitMarker
from ctas_spark.delta.tables import DeltaTables, LoadedTable
from ctas_spark.errors import (
    ConcurrentWriteError,
    EntryModifiedError,
    StagingError,
)
from ctas_spark.files.version import FileVersion
from ctas_spark.publish.marker import PublicationKind
from ctas_spark.retention.rules import Reason, RetentionRules
from delta.place import Place

OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]
NEW = "SELECT id, 'new' AS name, 1 AS more FROM range(2)"
NEW_ROWS = [(0, "new", 1), (1, "new", 1)]
AT_ANY_AGE = RetentionRules(versions_to_keep=0, grace_ms=0, orphan_age_ms=0)
FENCED = RetentionRules(versions_to_keep=0, grace_ms=0, orphan_age_ms=0, fences=True)


def test_what_a_dead_run_staged_goes_once_the_table_has_moved_on(published: Place) -> None:
    """Files and entries, when they are old; until the next publication it may still land."""
    before = published.files(), published.staged()
    dead = published.another_run()
    staged = dead.stage(NEW)
    dead.close()
    swept = published.staging.clean_up(published.context(), AT_ANY_AGE)
    assert swept.kept[staged.version] is Reason.MAY_LAND
    newer = published.publish(NEW)
    young = published.staging.clean_up(published.context(), RetentionRules())
    assert young.kept[staged.version] is Reason.YOUNG
    swept = published.staging.clean_up(published.context(), AT_ANY_AGE)
    assert [path.rpartition("/")[2] for path in swept.freed] == [f"stg_{staged.version}"]
    new_files = {path for path in published.files() if newer.version in path}
    assert (published.files() - new_files, published.staged()) == before
    assert published.rows() == NEW_ROWS


def test_a_fence_lets_it_go_at_once(published: Place) -> None:
    """One commit that changes nothing; rows and version stay."""
    before = published.files(), published.staged()
    dead = published.another_run()
    staged = dead.stage(NEW)
    dead.close()
    swept = published.staging.clean_up(published.context(), FENCED)
    assert [path.rpartition("/")[2] for path in swept.freed] == [f"stg_{staged.version}"]
    assert (published.files(), published.staged()) == before
    assert published.rows() == OLD_ROWS
    assert published.history()[0][0] == 1


def test_a_run_that_died_before_its_job_leaves_only_its_record(published: Place) -> None:
    """It is there before the first file, and goes as one with files does."""
    before = published.staged()
    dead = published.another_run()
    dead.begin()
    dead.close()
    published.publish(NEW)
    published.staging.clean_up(published.context(), AT_ANY_AGE)
    assert published.staged() == before
    assert published.rows() == NEW_ROWS


def test_a_living_run_is_left_alone(published: Place) -> None:
    """Its version stays at any age while the table is what it expects, and it commits."""
    other = published.another_run()
    staged = other.stage(NEW)
    swept = published.staging.clean_up(published.context(), AT_ANY_AGE)
    assert swept.kept[staged.version] is Reason.MAY_LAND
    staged.commit()
    staged.settle()
    other.close()
    assert published.rows() == NEW_ROWS


def test_a_writer_whose_version_was_taken_publishes_nothing(published: Place) -> None:
    """It wakes up after its files were deleted: refused, and the table is what it was."""
    sleeper = published.another_run()
    staged = sleeper.stage(NEW)
    published.staging.clean_up(published.context(), FENCED)
    with pytest.raises(StagingError):
        staged.commit()
    staged.abort("refused")
    sleeper.close()
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
        assert published.staging.clean_up(published.context(), FENCED).freed
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
    refused = []

    def late(tables: DeltaTables, over: LoadedTable, *rest: object) -> None:
        marker = CommitMarker("c1", "", "", "", "", PublicationKind.FENCE, 0)
        transaction.fence(tables, over, marker)
        try:
            publish(tables, over, *rest)  # type: ignore[arg-type]
        except EntryModifiedError as error:
            refused.append(error)
            raise

    monkeypatch.setattr(transaction, "publish", late)
    with pytest.raises(ConcurrentWriteError, match="a clean-up closed the table"):
        staged.commit()
    assert len(refused) == 1
    assert published.rows() == OLD_ROWS


def test_a_run_that_died_after_its_commit_is_published(published: Place) -> None:
    """Its files stay; only the staged table's own log and the entries go, whatever their age."""
    before = published.staged()
    dead = published.another_run()
    staged = dead.stage(NEW)
    staged.commit()
    dead.close()
    assert published.stages() == [f"stg_{staged.version}"]
    (done,) = published.staging.recover(published.context())
    assert staged.version in done
    assert published.stages() == []
    assert published.staged() == before
    assert published.rows() == NEW_ROWS
    assert published.staging.recover(published.context()) == ()


def test_a_publication_is_kept_though_another_replaced_the_table_since(published: Place) -> None:
    """A native replace gives it a new identity; its history still refers to the staged files."""
    dead = published.another_run()
    staged = dead.stage(NEW)
    staged.commit()
    dead.close()
    published.sql("CREATE OR REPLACE TABLE {t} USING delta AS SELECT 1 AS a")
    published.staging.clean_up(published.context(), FENCED)
    assert published.stages() == []
    assert published.rows(" VERSION AS OF 1") == NEW_ROWS


def test_a_dead_creation_is_removed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that died between its CTAS and the call that marks its record."""
    dead = place.another_run()
    monkeypatch.setattr(FileVersion, "check_staged", _dies)
    with pytest.raises(KeyboardInterrupt):
        dead.stage("SELECT 1 AS a")
    monkeypatch.undo()
    dead.close()
    before = place.staged()
    assert len([name for name in before if name.startswith("t__")]) == 1
    place.staging.clean_up(place.context(), replace(AT_ANY_AGE, thorough=True))
    assert [name for name in place.staged() if name.startswith("t__")] == []


def test_what_a_dropped_table_had_staged_is_removed(published: Place) -> None:
    """The directory is there without an entry."""
    dead = published.another_run()
    staged = dead.stage(NEW)
    dead.close()
    root = published.root()
    published.sql("DROP TABLE {t}")
    published.staging.clean_up(published.context(), FENCED)
    assert not (root / f"stg_{staged.version}").exists()
    assert [name for name in published.staged() if staged.version in name] == []


def _dies(*_: object) -> None:
    raise KeyboardInterrupt
