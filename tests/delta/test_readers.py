"""What readers that follow a table see of a publication: streams, change feeds, time travel."""

from pathlib import Path

import pytest
from pyspark.errors import PySparkException, StreamingQueryException

from delta.place import Place

NEW = "SELECT id, 'new' AS name FROM range(2)"
NEW_ROWS = [(0, "new"), (1, "new")]
FEED = {"delta.enableChangeDataFeed": "true"}


def test_a_stream_ends_at_a_publication_unless_it_says_what_to_do(
    published: Place, tmp_path: Path
) -> None:
    """With ignoreChanges it gets the new version whole, with skipChangeCommits nothing of it."""
    options = ("ignoreDeletes", "ignoreChanges", "skipChangeCommits")
    for option in options:
        assert len(published.followed(tmp_path / option, option)) == 3
    published.publish(NEW)
    with pytest.raises(StreamingQueryException, match="DELTA_SOURCE_TABLE_IGNORE_CHANGES"):
        published.followed(tmp_path / options[0], options[0])
    assert published.followed(tmp_path / options[1], options[1]) == NEW_ROWS
    assert published.followed(tmp_path / options[2], options[2]) == []


def test_a_change_feed_has_all_old_rows_deleted_and_all_new_ones_inserted(
    place: Place, tmp_path: Path
) -> None:
    """Under the publication's number, in a query as in a stream."""
    context = place.context(properties=FEED)
    place.publish("SELECT id, 'old' AS name FROM range(2)", context)
    place.followed(tmp_path, "readChangeFeed")
    place.publish(NEW, context)
    changes = [
        (0, "new", "insert", 1),
        (0, "old", "delete", 1),
        (1, "new", "insert", 1),
        (1, "old", "delete", 1),
    ]
    told = place.sql(f"SELECT * FROM table_changes('{place.table}', 1)")
    assert sorted(row[:4] for row in told) == changes
    assert [row[:4] for row in place.followed(tmp_path, "readChangeFeed")] == changes


def test_a_stream_goes_on_with_more_columns_and_ends_at_a_lost_one(
    place: Place, tmp_path: Path
) -> None:
    """It reads on with a new checkpoint, and the change feed from the loss on."""
    context, feed = place.context(properties=FEED), f"table_changes('{place.table}', "
    place.publish(NEW, context)
    assert place.followed(tmp_path / "0", "ignoreChanges") == NEW_ROWS
    place.publish("SELECT id, 'new' AS name, 1 AS more FROM range(2)", context)
    wider = [(0, "new", 1), (1, "new", 1)]
    assert place.followed(tmp_path / "0", "ignoreChanges") == wider
    place.publish("SELECT id FROM range(2)", context)
    with pytest.raises(StreamingQueryException, match="DELTA_SCHEMA_CHANGED_WITH_VERSION"):
        place.followed(tmp_path / "0", "ignoreChanges")
    assert place.followed(tmp_path / "1", "ignoreChanges") == [(0,), (1,)]
    for before_the_loss in ("1)", "1, 1)"):
        with pytest.raises(PySparkException, match="INCOMPATIBLE"):
            place.sql(f"SELECT * FROM {feed}{before_the_loss}")
    assert len(place.sql(f"SELECT * FROM {feed}2)")) == 4


def test_a_stream_ends_at_deltas_own_replace(published: Place, tmp_path: Path) -> None:
    """That gives the table another id; a publication of ours does not."""
    assert len(published.followed(tmp_path, "ignoreChanges")) == 3
    published.sql(f"CREATE OR REPLACE TABLE {{t}} USING delta AS {NEW}")
    with pytest.raises(StreamingQueryException, match="DIFFERENT_DELTA_TABLE_READ"):
        published.followed(tmp_path, "ignoreChanges")


def test_earlier_versions_are_read_with_their_own_columns(published: Place) -> None:
    """By number and by time, until VACUUM takes their files."""
    published.publish("SELECT 'x' AS other")
    history = published.spark.sql(f"DESCRIBE HISTORY {published.table}")
    ((moment,),) = history.where("version = 0").select("timestamp").collect()
    old = [(0, "old"), (1, "old"), (2, "old")]
    assert published.rows(" VERSION AS OF 0") == old
    assert published.rows(f" TIMESTAMP AS OF '{moment}'") == old
    assert published.rows() == [("x",)]
