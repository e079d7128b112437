"""Tables in a Nessie catalog: Iceberg's own client, and a server that keeps one commit a time."""

from pathlib import Path

import pytest

from ctas_spark.context import Atomicity, OnConflict
from ctas_spark.errors import ConcurrentWriteError
from ctas_spark.iceberg.loaded import LoadedTable
from ctas_spark.retention.rules import RetentionRules
from iceberg.place import Place

FENCES = RetentionRules(orphan_age_ms=0, fences=True)
OLD, NEW = "SELECT 1 AS old", "SELECT 2 AS new"


def test_models_are_published_at_isolated(place: Place) -> None:
    """Created, then replaced with other columns; the probe leaves no table behind."""
    place.publish(OLD)
    replaced = place.publish(NEW)
    assert (replaced.level, place.rows(), place.staged()) == (Atomicity.ISOLATED, [(2,)], [])
    assert [one.state for one in place.staging.history(replaced.context)] == ["live", "kept"]


def test_rows_alone_are_published_by_branch(place: Place) -> None:
    """A branch of the table, which Nessie knows nothing of."""
    place.publish(OLD)
    replaced = place.publish("SELECT 3 AS old")
    assert (replaced.reach.strategy, place.rows()) == ("fast_forward", [(3,)])
    assert place.rows("name", ".refs") == [("main",)]


@pytest.mark.parametrize("query", [NEW, "SELECT 3 AS old"])
@pytest.mark.parametrize("when", ["since begin", "at the call"])
def test_a_rivals_rows_are_kept(
    place: Place, monkeypatch: pytest.MonkeyPatch, when: str, query: str
) -> None:
    """Nessie refuses the commit over theirs, even where the look before it saw nothing."""
    insert = f"INSERT INTO {place.table} VALUES (7)"
    place.publish(OLD)
    staged = place.stage(query)
    if when == "since begin":
        place.spark.sql(insert)
    else:
        commit = LoadedTable.commit

        def late(table: LoadedTable, metadata: object) -> None:
            place.spark.newSession().sql(insert)
            commit(table, metadata)

        monkeypatch.setattr(LoadedTable, "commit", late)
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("failed")
    assert (place.rows(), place.staged()) == ([(1,), (7,)], [])


def test_a_rivals_rows_are_replaced_if_the_model_says_so(place: Place) -> None:
    """With ``on_conflict: overwrite``."""
    place.publish(OLD)
    staged = place.stage("SELECT 3 AS old", place.context(on_conflict=OnConflict.OVERWRITE))
    place.spark.sql(f"INSERT INTO {place.table} VALUES (7)")
    staged.commit()
    staged.settle()
    assert place.rows() == [(3,)]


def test_the_version_before_is_published_again(place: Place) -> None:
    """With its own columns."""
    before = place.publish(OLD)
    place.publish(NEW)
    place.staging.roll_back(before.context, before.version)
    assert (place.columns(), place.rows()) == (["old"], [(1,)])


def test_what_a_dead_run_has_staged_goes(place: Place) -> None:
    """The table keeps its files, and the staging schema is empty."""
    place.publish(OLD)
    died = place.stage(NEW)
    place.staging.clean_up(place.context(), FENCES)
    assert list(Path(place.facts().location).rglob(f"*{died.version}*/*")) == []
    assert (place.staged(), place.rows()) == ([], [(1,)])


def test_a_new_table_is_kept_from_icebergs_garbage_collection(place: Place) -> None:
    """As Nessie gives it to every table: other branches of the catalog may need its files."""
    place.publish(OLD)
    assert place.properties()["gc.enabled"] == "false"
