"""What readers that follow a table see of a publication: streams, change feeds, time travel."""

from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException

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


def test_earlier_versions_are_read_with_their_own_columns(published: Place) -> None:
    """By number and by time, until VACUUM takes their files."""
    published.publish("SELECT 'x' AS other")
    history = published.spark.sql(f"DESCRIBE HISTORY {published.table}")
    ((moment,),) = history.where("version = 0").select("timestamp").collect()
    old = [(0, "old"), (1, "old"), (2, "old")]
    assert published.rows(" VERSION AS OF 0") == old
    assert published.rows(f" TIMESTAMP AS OF '{moment}'") == old
    assert published.rows() == [("x",)]
