"""Other writers between begin and commit: theirs is kept, and never gets our rows."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import OnConflict, StagingPurpose
from ctas_spark.delta import transaction
from ctas_spark.delta.version import DeltaVersion
from ctas_spark.errors import (
    CommitStateUnknownError,
    ConcurrentWriteError,
    MetastoreError,
    NoSuchTableError,
    StagingError,
    TableAlreadyExistsError,
)
from ctas_spark.publish.version import Outcome
from delta.place import Place
from iceberg.sql_alone import SqlAlone
from long import long

OLD = "SELECT id, 'old' AS name FROM range(3)"
OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]
NEW = "SELECT id, 'new' AS name, 1 AS more FROM range(2)"
NEW_ROWS = [(0, "new", 1), (1, "new", 1)]
WRITES = {
    "insert": "INSERT INTO {t} VALUES (9, 'theirs')",
    "delete": "DELETE FROM {t} WHERE id = 1",
    "replace": "CREATE OR REPLACE TABLE {t} USING delta AS SELECT 'theirs' AS x",
    "add column": "ALTER TABLE {t} ADD COLUMNS (theirs INT)",
    "properties": "ALTER TABLE {t} SET TBLPROPERTIES ('theirs' = 'yes')",
}
ALTERED = ("delete", "add column", "properties")


@pytest.mark.parametrize("write", ["insert", "replace", *map(long, ALTERED)])
def test_what_another_wrote_since_begin_is_kept(published: Place, write: str) -> None:
    """The model fails and names who wrote; nothing of it is left."""
    published.sql("INSERT INTO {t} VALUES (7, 'more')")
    files = published.files()
    staged = published.stage(NEW)
    published.sql(WRITES[write])
    after = published.rows(), published.history(), published.properties()
    with pytest.raises(ConcurrentWriteError, match="another program committed"):
        staged.commit()
    staged.abort("refused")
    assert (published.rows(), published.history(), published.properties()) == after
    assert files <= published.files()
    assert not (published.root() / f"stg_{staged.version}").exists()


def test_upkeep_since_begin_is_no_conflict(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compaction, REORG and VACUUM change no row, before our last look as after it."""
    place.publish(OLD, place.context(properties={"delta.enableDeletionVectors": "true"}))
    place.sql("INSERT INTO {t} VALUES (7, 'more')")
    place.sql("DELETE FROM {t} WHERE id = 1")
    staged = place.stage(NEW)
    place.sql("REORG TABLE {t} APPLY (PURGE)")
    place.sql("VACUUM {t}")
    _do_late(monkeypatch, lambda: place.sql("OPTIMIZE {t}"))
    staged.commit()
    staged.settle()
    assert place.rows() == NEW_ROWS
    upkeep = ["OPTIMIZE", "VACUUM END", "VACUUM START", "REORG"]
    assert [made for _, made in place.history()[1:5]] == upkeep


@pytest.mark.long
def test_upkeep_since_begin_is_no_conflict_in_sql_either(published: Place) -> None:
    """As over Spark Connect and Thrift: the history tells what each commit did."""
    run = cast("CatalogsWithJvm", SqlAlone(published.spark, file_format="delta"))
    in_sql = replace(published, opened=run)
    published.sql("INSERT INTO {t} VALUES (7, 'more')")
    staged, refused = in_sql.stage(NEW), in_sql.stage(NEW)
    published.sql("VACUUM {t}")
    published.sql("OPTIMIZE {t}")
    staged.commit()
    staged.settle()
    assert published.rows() == NEW_ROWS
    with pytest.raises(ConcurrentWriteError, match=staged.version):
        refused.commit()
    refused.abort("refused")


@pytest.mark.parametrize("is_late", [long(False), True])
def test_staged_files_that_a_vacuum_took_are_never_published(
    published: Place,
    monkeypatch: pytest.MonkeyPatch,
    is_late: bool,  # noqa: FBT001
) -> None:
    """VACUUM takes them for forgotten ones: the model fails, and the table is as it was."""
    staged = published.stage(NEW)
    session = published.spark.newSession()
    session.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")

    def vacuum() -> object:
        return session.sql(f"VACUUM {published.table} RETAIN 0 HOURS")

    if is_late:
        _do_late(monkeypatch, vacuum)
    else:
        vacuum()
    with pytest.raises(StagingError, match="is incomplete"):
        staged.commit()
    staged.abort("not whole")
    assert published.rows() == OLD_ROWS
    assert published.stages() == []


def test_control_deltas_own_replace_overwrites_what_came_just_before_it(place: Place) -> None:
    """It is conditional on what it finds when it begins, which is not what a run looked at."""
    place.sql("CREATE TABLE {t} USING delta AS SELECT 1 AS a")
    place.sql("INSERT INTO {t} VALUES (2)")
    place.sql("CREATE OR REPLACE TABLE {t} USING delta AS SELECT 3 AS a")
    assert place.rows() == [(3,)]


@pytest.mark.parametrize("write", ["insert", "replace"])
def test_deltas_own_transaction_refuses_what_comes_after_our_last_look(
    published: Place, monkeypatch: pytest.MonkeyPatch, write: str
) -> None:
    """The look at the version is not what holds: it is the transaction that began there."""
    published.sql("INSERT INTO {t} VALUES (7, 'more')")
    staged = published.stage(NEW)
    _do_late(monkeypatch, lambda: published.sql(WRITES[write]))
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    assert len(published.history()) == 3


def test_of_two_runs_from_one_base_one_wins(published: Place) -> None:
    """The other is told which version was committed."""
    other = published.another_run()
    first, second = published.stage(NEW), other.stage("SELECT 5 AS five")
    first.commit()
    first.settle()
    with pytest.raises(ConcurrentWriteError, match=first.version):
        second.commit()
    second.abort("refused")
    other.close()
    assert published.rows() == NEW_ROWS


def test_overwrite_publishes_over_what_another_wrote(published: Place) -> None:
    """Whole: nothing of theirs is left in the table, and it is in its history."""
    staged = published.stage(NEW, published.context(on_conflict=OnConflict.OVERWRITE))
    published.sql(WRITES["insert"])
    staged.commit()
    staged.settle()
    assert published.rows() == NEW_ROWS
    assert (9, "theirs") in published.rows(" VERSION AS OF 1")


@pytest.mark.parametrize("owner", ["a user", "us"])
@pytest.mark.parametrize("on_conflict", list(OnConflict))
def test_a_table_that_another_dropped_is_not_made_anew(
    place: Place, owner: str, on_conflict: OnConflict
) -> None:
    """The version was staged in its directory; the next run creates it."""
    _created(place, owner)
    staged = place.stage(NEW, place.context(on_conflict=on_conflict))
    place.sql("DROP TABLE {t}")
    with pytest.raises(ConcurrentWriteError, match="it was dropped"):
        staged.commit()
    staged.abort("refused")
    assert place.sql(f"SHOW TABLES IN {place.schema} LIKE 't'") == []
    assert staged.left_behind == []
    with pytest.raises(NoSuchTableError):
        place.begin(place.context(purpose=StagingPurpose.REPLACE))


def test_replace_says_that_the_table_is_gone(published: Place) -> None:
    """Nothing is created."""
    staged = published.stage(NEW, published.context(purpose=StagingPurpose.REPLACE))
    published.sql("DROP TABLE {t}")
    with pytest.raises(NoSuchTableError, match="does not exist"):
        staged.commit()
    staged.abort("refused")


@pytest.mark.parametrize("owner", ["a user", "us"])
@pytest.mark.parametrize("on_conflict", list(OnConflict))
def test_a_table_that_was_dropped_and_created_anew_never_gets_our_rows(
    place: Place, owner: str, on_conflict: OnConflict
) -> None:
    """In the same directory or another: it is another table."""
    _created(place, owner)
    staged = place.stage(NEW, place.context(on_conflict=on_conflict))
    place.sql("DROP TABLE {t}")
    place.sql("CREATE TABLE {t} USING delta AS SELECT 'theirs' AS x")
    with pytest.raises(ConcurrentWriteError, match="created again"):
        staged.commit()
    staged.abort("refused")
    assert place.rows() == [("theirs",)]
    assert len(place.history()) == 1


def test_the_first_creation_wins(place: Place) -> None:
    """Two runs find no table; the loser's version is discarded."""
    other = place.another_run()
    first = place.stage(NEW)
    second = other.stage("SELECT 5 AS five")
    third = other.stage("SELECT 6 AS six", place.context(purpose=StagingPurpose.CREATE))
    first.commit()
    first.settle()
    with pytest.raises(ConcurrentWriteError):
        second.commit()
    second.abort("refused")
    with pytest.raises(TableAlreadyExistsError):
        third.commit()
    third.abort("refused")
    other.close()
    assert place.rows() == NEW_ROWS


def test_a_commit_whose_answer_is_lost_is_found_in_the_history(
    published: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is committed, whatever the call raised."""
    publish = DeltaVersion.publish

    def lost(self: DeltaVersion, over: object) -> None:
        publish(self, over)  # type: ignore[arg-type]
        raise MetastoreError("the answer was lost")

    monkeypatch.setattr(DeltaVersion, "publish", lost)
    staged = published.publish(NEW)
    assert staged.outcome is Outcome.COMMITTED
    assert published.rows() == NEW_ROWS


def test_a_fate_that_cant_be_told_deletes_nothing(
    published: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The staged files stay for the next run, which finds out."""
    staged = published.stage(NEW)

    def lost(*_: object) -> None:
        raise MetastoreError("storage did not answer")

    monkeypatch.setattr(transaction, "publish", lost)
    with pytest.raises(CommitStateUnknownError):
        staged.commit()
    staged.abort("unknown")
    assert staged.outcome is Outcome.UNKNOWN
    assert published.stages() == [f"stg_{staged.version}"]


def _do_late(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
    """Do it once, between a run's last look at the table and its transaction."""
    publish = transaction.publish

    def late(*arguments: object) -> None:
        monkeypatch.undo()
        do()
        publish(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(transaction, "publish", late)


def _created(place: Place, owner: str) -> None:
    if owner == "a user":
        place.sql("CREATE TABLE {t} USING delta AS SELECT 1 AS a")
    else:
        place.publish("SELECT 1 AS a")
