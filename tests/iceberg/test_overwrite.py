"""``on_conflict: overwrite`` goes over a rival's write, which the history keeps."""

import pytest

from ctas_spark.context import OnConflict
from ctas_spark.errors import ConcurrentWriteError
from iceberg.place import Place
from iceberg.rivals import NEW, NEW_ROWS, OLD, WRITES, rival


def test_overwrite_goes_over_more_columns_than_the_version_has(jdbc: Place) -> None:
    """A column that the rival adds later has an id that no other ever had."""
    jdbc.publish(OLD)
    staged = jdbc.stage(OLD, jdbc.context(on_conflict=OnConflict.OVERWRITE))
    rival(jdbc, WRITES["alter"])
    rival(jdbc, ["INSERT INTO {table} VALUES (7, 'theirs', 1)"])
    staged.commit()
    staged.settle()
    assert (jdbc.columns(), len(jdbc.rows())) == (["id", "name"], 3)
    rival(jdbc, WRITES["alter"])
    assert set(jdbc.rows("theirs")) == {(None,)}


@pytest.mark.parametrize("kind", ["insert", "replace", "alter", "property"])
def test_overwrite_puts_the_version_over_a_rivals(jdbc: Place, kind: str) -> None:
    """Whole: its columns and rows, on top of the rival's commit, which the history keeps."""
    jdbc.publish(OLD)
    staged = jdbc.stage(NEW, jdbc.context(on_conflict=OnConflict.OVERWRITE))
    rival(jdbc, WRITES[kind])
    theirs = jdbc.rows("snapshot_id", ".snapshots")
    staged.commit()
    staged.settle()
    assert jdbc.rows() == NEW_ROWS
    assert jdbc.columns() == ["id", "name", "more"]
    assert set(theirs) < set(jdbc.rows("snapshot_id", ".snapshots"))
    jdbc.spark.sql(f"INSERT INTO {jdbc.table} VALUES (5, 'user', 5)")
    current = jdbc.rows("snapshot_id", ".history ORDER BY made_current_at")
    assert len(jdbc.rows()) == 3
    for (snapshot,) in current:
        assert jdbc.rows("*", f" VERSION AS OF {snapshot}")


def test_overwrite_over_another_partitioning_is_refused(jdbc: Place) -> None:
    """The staged files' partitions would be read by the rival's rules: nothing is published."""
    jdbc.publish(OLD)
    context = jdbc.context(on_conflict=OnConflict.OVERWRITE, partition_by=("id",))
    staged = jdbc.stage(NEW, context)
    rival(jdbc, ["ALTER TABLE {table} ADD PARTITION FIELD name"])
    with pytest.raises(ConcurrentWriteError, match="partitioning"):
        staged.commit()
    staged.abort("failed")
    assert len(jdbc.rows()) == 3
    assert jdbc.staged() == []
