"""What readers that follow a table see of a publication: streams, change views, time travel."""

from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException

from iceberg.place import Place

OLD = "SELECT id, 'old' AS name FROM range(2)"
NEW = "SELECT id, 'new' AS name FROM range(2)"
WIDER = "SELECT id, 'new' AS name, 1 AS more FROM range(2)"
OLD_ROWS = [(0, "old"), (1, "old")]
OVERWRITE = "Cannot process overwrite snapshot"
SKIPS = "streaming-skip-overwrite-snapshots"
NO_PARENT = r"Snapshot\.parentId\(\)"


def changes(place: Place) -> list[tuple[object, ...]]:
    """What Iceberg's procedure tells of the target's whole history."""
    call = f"create_changelog_view(table => '{place.schema}.t', changelog_view => 'changes')"
    place.spark.sql(f"CALL {place.catalog}.system.{call}")
    told = "SELECT id, name, _change_type, _change_ordinal FROM changes"
    return sorted(map(tuple, place.spark.sql(told).collect()), key=str)


@pytest.mark.parametrize("replaces", ["dbt", "CREATE OR REPLACE"])
def test_a_stream_ends_at_a_fork_as_at_a_replace(
    jdbc: Place, tmp_path: Path, replaces: str
) -> None:
    """The new version has no parent, so that a stream that was there does not find its way."""
    jdbc.spark.sql(f"CREATE TABLE {jdbc.table} USING iceberg AS {OLD}")
    assert jdbc.followed(tmp_path, SKIPS) == OLD_ROWS
    if replaces == "dbt":
        jdbc.publish(WIDER)
    else:
        jdbc.spark.sql(f"CREATE OR REPLACE TABLE {jdbc.table} USING iceberg AS {NEW}")
    with pytest.raises(StreamingQueryException, match=NO_PARENT):
        jdbc.followed(tmp_path, SKIPS)


def test_a_stream_that_begins_after_a_fork_gets_what_others_append(
    jdbc: Place, tmp_path: Path
) -> None:
    """From a new checkpoint, and nothing of the version itself; Iceberg calls that an overwrite."""
    jdbc.publish(OLD)
    jdbc.publish(WIDER)
    assert jdbc.followed(tmp_path / "skips", SKIPS) == []
    jdbc.spark.sql(f"INSERT INTO {jdbc.table} VALUES (7, 'user', 2)")
    assert jdbc.followed(tmp_path / "skips", SKIPS) == [(7, "user", 2)]
    with pytest.raises(StreamingQueryException, match=OVERWRITE):
        jdbc.followed(tmp_path / "plain")


def test_a_stream_skips_a_branch_if_it_says_so(branched: Place, tmp_path: Path) -> None:
    """It goes on, and gets no row of the new version; one that does not say so ends."""
    branched.spark.sql(f"CREATE TABLE {branched.table} USING iceberg AS {OLD}")
    for options in ((), (SKIPS,)):
        assert branched.followed(tmp_path / str(len(options)), *options) == OLD_ROWS
    branched.publish(NEW)
    with pytest.raises(StreamingQueryException, match=OVERWRITE):
        branched.followed(tmp_path / "0")
    assert branched.followed(tmp_path / "1", SKIPS) == []
    branched.spark.sql(f"INSERT INTO {branched.table} VALUES (7, 'user')")
    assert branched.followed(tmp_path / "1", SKIPS) == [(7, "user")]


def test_the_changes_of_a_branch_go_back_to_the_first_version(branched: Place) -> None:
    """All old rows are deleted, and all new ones inserted."""
    branched.spark.sql(f"CREATE TABLE {branched.table} USING iceberg AS {OLD}")
    branched.publish(NEW)
    assert changes(branched) == [
        (0, "new", "INSERT", 1),
        (0, "old", "DELETE", 1),
        (0, "old", "INSERT", 0),
        (1, "new", "INSERT", 1),
        (1, "old", "DELETE", 1),
        (1, "old", "INSERT", 0),
    ]


def test_the_changes_of_a_fork_begin_with_it(jdbc: Place) -> None:
    """As after Iceberg's own replace: the rows before are no part of main's history."""
    jdbc.publish(OLD)
    jdbc.publish(WIDER)
    assert changes(jdbc) == [(0, "new", "INSERT", 0), (1, "new", "INSERT", 0)]


def test_earlier_versions_are_read_with_their_own_columns(jdbc: Place) -> None:
    """By snapshot and by time, until the snapshots expire."""
    jdbc.publish(OLD)
    snapshots = jdbc.spark.sql(f"SELECT * FROM {jdbc.table}.history ORDER BY made_current_at")
    first = snapshots.collect()[-1]
    jdbc.publish("SELECT 'x' AS other")
    assert jdbc.rows("*", f" VERSION AS OF {first.snapshot_id}") == OLD_ROWS
    assert jdbc.rows("*", f" TIMESTAMP AS OF '{first.made_current_at}'") == OLD_ROWS
    assert jdbc.rows() == [("x",)]
