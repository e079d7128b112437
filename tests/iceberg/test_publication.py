"""What a publication does to an Iceberg table, and to nothing else, on every kind of catalog."""

import pytest
from pyspark.errors import AnalysisException

from ctas_spark.context import Atomicity
from ctas_spark.publish.version import Outcome
from iceberg.place import Place

OLD = "SELECT id, 'old' AS name FROM range(3)"
NEW = "SELECT 'new' AS name, id * 1.5 AS price, id FROM range(2)"
OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]


def test_a_first_build_creates_the_table(place: Place) -> None:
    """The table has the query's rows, and nothing is left in the staging schema."""
    staged = place.publish(OLD)
    assert staged.outcome is Outcome.COMMITTED
    assert staged.level is Atomicity.ISOLATED
    assert place.rows() == OLD_ROWS
    assert place.staged() == []


@pytest.mark.on_every_catalog
def test_readers_see_the_old_table_until_the_commit(place: Place) -> None:
    """Rows, history and properties are those of before, until one commit changes all."""
    place.publish(OLD)
    before = place.properties(), place.rows("snapshot_id", ".snapshots"), place.files()
    staged = place.stage(NEW, place.context(partition_by=("bucket(4, id)",)))
    assert place.rows() == OLD_ROWS
    assert (place.properties(), place.rows("snapshot_id", ".snapshots")) == before[:2]
    assert place.files() > before[2]
    staged.commit()
    staged.settle()
    assert place.columns() == ["name", "price", "id"]
    assert place.rows("id, name") == [(0, "new"), (1, "new")]
    assert set(place.rows("partition.id_bucket IS NULL", ".files")) == {(False,)}


def test_a_query_that_a_commit_overtakes_has_the_rows_of_one_version(
    jdbc: Place, rest: Place
) -> None:
    """Those that the catalog's cache has; without it, the new ones, or Spark refuses the query."""
    assert _overtaken(rest, NEW) == OLD_ROWS
    assert _overtaken(jdbc, NEW) == [(0, "new"), (1, "new")]
    with pytest.raises(AnalysisException, match="INCOMPATIBLE_TABLE_CHANGE_AFTER_ANALYSIS"):
        _overtaken(jdbc, "SELECT 1 AS other")


def _overtaken(place: Place, query: str) -> list[tuple[object, ...]]:
    """The rows of a query that was analysed over ``OLD`` and runs after the next commit."""
    place.publish(OLD)
    analysed = place.spark.newSession().table(place.table)
    place.publish(query)
    return sorted(map(tuple, analysed.collect()))


def test_an_abort_removes_exactly_what_was_staged(place: Place) -> None:
    """Not even where the table deletes its old metadata after each commit."""
    cleaning = {
        "write.metadata.delete-after-commit.enabled": "true",
        "write.metadata.previous-versions-max": "1",
    }
    place.publish(OLD, place.context(properties=cleaning))
    before = place.files()
    staged = place.stage(NEW)
    place.spark.sql(
        f"INSERT INTO {place.catalog}.{place.staging_schema}.{place.staged()[0]} "
        "VALUES ('more', 1.5, 9)"
    )
    assert place.files() > before
    staged.abort("the test says so")
    assert place.files() == before
    assert place.staged() == []
    assert staged.left_behind == []
    assert place.rows() == OLD_ROWS
    place.spark.sql(f"INSERT INTO {place.table} VALUES (9, 'user')")
    assert len(place.rows()) == 4


def test_an_aborted_first_build_leaves_nothing(place: Place) -> None:
    """Neither table, nor fork, nor file."""
    before = place.files()
    place.stage(OLD).abort("the test says so")
    assert (place.files(), place.staged()) == (before, [])
    assert not place.spark.catalog.tableExists(place.table)


def test_a_model_that_raises_leaves_the_old_table(jdbc: Place) -> None:
    """The job fails in the middle; the abort removes what its tasks have written."""
    jdbc.publish(OLD)
    before = jdbc.data_files()
    staged = jdbc.begin(jdbc.context())
    failing = "SELECT id, CAST(raise_error('no ' || id) AS string) AS name FROM range(3)"
    with pytest.raises(Exception, match="no 0"):
        jdbc.spark.sql(staged.statement(failing)).collect()
    staged.abort("failed")
    assert (jdbc.data_files(), jdbc.staged()) == (before, [])
    assert jdbc.rows("name", ".refs") == [("main",)]
    assert jdbc.rows() == OLD_ROWS


def test_a_publication_leaves_no_metadata_of_its_fork(place: Place) -> None:
    """Every metadata file that is there is in the table's own log, or is the current one."""
    place.publish(OLD)
    place.publish(NEW)
    there = {path for path in place.files() if path.endswith(".metadata.json")}
    logged = {
        str(row[0]).removeprefix("file:") for row in place.rows("file", ".metadata_log_entries")
    }
    assert there == logged
