"""What lasts from version to version: the user's own things, the marker, and the way back."""

import pytest

from ctas_spark.context import StagingPurpose
from ctas_spark.errors import (
    NoSuchTableError,
    NoSuchVersionError,
    StagingError,
    TableAlreadyExistsError,
)
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import Reason, RetentionRules
from iceberg.place import Place

OLD = "SELECT id, 'old' AS name FROM range(3)"
NEW = "SELECT 'new' AS name, id * 1.5 AS id, 1 AS more FROM range(2)"
OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]


def test_a_rollback_over_a_changed_schema_restores_rows_and_columns(place: Place) -> None:
    """And partitions; it is a publication like any other, and can be rolled back itself."""
    first = place.publish(OLD, place.context(partition_by=("truncate(1, name)",)))
    place.spark.sql(f"INSERT INTO {place.table} VALUES (9, 'user')")
    second = place.publish(NEW)
    done = place.staging.roll_back(place.context())
    assert (done.version, done.replaced) == (first.version, second.version)
    assert place.rows() == [*OLD_ROWS, (9, "user")]
    assert place.columns() == ["id", "name"]
    place.spark.sql(f"INSERT INTO {place.table} VALUES (5, 'later')")
    assert set(place.rows("partition.name_trunc", ".files")) == {("o",), ("u",), ("l",)}
    events = place.staging.history(place.context())
    assert [(e.version, e.kind, e.state) for e in events] == [
        (first.version, "rollback", "live"),
        (second.version, "build", "kept"),
        (first.version, "build", "kept"),
    ]
    assert events[1].schema_change == "+ more int, id: bigint -> decimal(23, 1)"
    assert [e.rows for e in events] == [4, 2, 3]
    assert place.staged() == []
    assert place.staging.roll_back(place.context()).version == second.version
    assert place.columns() == ["name", "id", "more"]


def test_a_version_that_iceberg_has_expired_is_no_way_back(jdbc: Place) -> None:
    """The error says which versions are left; the table is unchanged."""
    first = jdbc.publish(OLD)
    jdbc.publish(NEW)
    jdbc.expire_snapshots()
    for to in (None, first.version):
        with pytest.raises(NoSuchVersionError):
            jdbc.staging.roll_back(jdbc.context(), to)
    assert len(jdbc.rows()) == 2
    jdbc.publish(OLD)
    assert jdbc.rows() == OLD_ROWS


def test_the_marker_stands_in_the_history_and_not_in_properties(jdbc: Place) -> None:
    """Users' INSERT, MERGE and expiry keep it, and none of them copies it."""
    staged = jdbc.publish(OLD)
    jdbc.spark.sql(f"INSERT INTO {jdbc.table} VALUES (7, 'user')")
    jdbc.spark.sql(
        f"MERGE INTO {jdbc.table} t USING (SELECT 7L id, 'merged' name) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET name = s.name"
    )
    marked = jdbc.rows("snapshot_id", ".snapshots WHERE summary['ctas_spark_commit'] IS NOT NULL")
    assert len(marked) == 1
    assert not [key for key in jdbc.properties() if key.startswith("ctas_spark")]
    again = jdbc.publish(NEW)
    assert again.base.version == staged.version
    parents = jdbc.rows("parent_id", ".snapshots WHERE parent_id IS NOT NULL")
    assert set(parents) <= set(jdbc.rows("snapshot_id", ".snapshots"))


def test_what_a_user_gave_the_table_survives(jdbc: Place) -> None:
    """Branches, tags and properties, as with Iceberg's own replace; the format version, too."""
    jdbc.publish(OLD, jdbc.context(properties={"format-version": "3"}))
    jdbc.spark.sql(f"ALTER TABLE {jdbc.table} CREATE TAG before")
    jdbc.spark.sql(f"ALTER TABLE {jdbc.table} CREATE BRANCH audit")
    jdbc.spark.sql(
        f"ALTER TABLE {jdbc.table} SET TBLPROPERTIES "
        "('theirs' = 'kept', 'gc.enabled' = 'true', 'write.metadata.previous-versions-max' = '7')"
    )
    more = "SELECT id, name, 1 AS more FROM VALUES (1L, 'new') AS t(id, name)"
    jdbc.publish(more, jdbc.context(properties={"ours": "set"}))
    found = jdbc.properties()
    assert (found["theirs"], found["ours"], found["gc.enabled"]) == ("kept", "set", "true")
    assert found["write.metadata.previous-versions-max"] == "7"
    assert "write.data.path" not in found
    assert found["format-version"] == "3"
    assert jdbc.rows("*", " VERSION AS OF 'before'") == OLD_ROWS
    # a branch is read with the table's columns, a tag with its own
    assert jdbc.rows("id, name, more", " VERSION AS OF 'audit'") == [
        (*row, None) for row in OLD_ROWS
    ]


def test_rows_of_format_version_3_keep_their_numbers_apart(jdbc: Place) -> None:
    """A user's row after a publication gets a number that no row has."""
    jdbc.publish(OLD, jdbc.context(properties={"format-version": "3"}))
    jdbc.publish(OLD)
    jdbc.spark.sql(f"INSERT INTO {jdbc.table} VALUES (9, 'user')")
    numbers = jdbc.rows("_row_id")
    assert len(set(numbers)) == 4


def test_expiry_is_icebergs_own(jdbc: Place) -> None:
    """A clean-up keeps every version that was published, and says whose they are."""
    first, second = jdbc.publish(OLD), jdbc.publish(NEW)
    swept = jdbc.staging.clean_up(jdbc.context(), RetentionRules(versions_to_keep=0, grace_ms=0))
    assert swept.freed == []
    assert swept.kept == {first.version: Reason.NATIVE, second.version: Reason.LIVE}


def test_purposes_that_do_not_fit_start_no_job(jdbc: Place) -> None:
    """Nothing is staged for them."""
    with pytest.raises(NoSuchTableError):
        jdbc.begin(jdbc.context(purpose=StagingPurpose.REPLACE))
    jdbc.publish(OLD)
    with pytest.raises(TableAlreadyExistsError):
        jdbc.begin(jdbc.context(purpose=StagingPurpose.CREATE))
    kept = jdbc.begin(jdbc.context(purpose=StagingPurpose.CREATE_IF_NOT_EXISTS))
    assert kept.outcome is Outcome.KEPT
    assert jdbc.staged() == []


@pytest.mark.parametrize(
    "what", ["VIEW {table} AS SELECT 1 AS one", "TABLE {table} USING parquet AS SELECT 1 AS one"]
)
def test_what_is_no_table_of_icebergs_is_not_replaced(spark_catalog: Place, what: str) -> None:
    """No single commit could: the error says what is there and what to do."""
    spark_catalog.spark.sql(f"CREATE {what.format(table=f'{spark_catalog.schema}.t')}")
    with pytest.raises(StagingError, match="in the place of the table"):
        spark_catalog.begin(spark_catalog.context())
    assert spark_catalog.rows() == [(1,)]
    assert spark_catalog.staged() == []


def test_an_iceberg_view_is_not_replaced(jdbc: Place) -> None:
    """A jdbc catalog keeps views of its own."""
    jdbc.spark.sql(f"CREATE VIEW {jdbc.table} AS SELECT 1 AS one")
    with pytest.raises(StagingError, match="a view is in the place"):
        jdbc.begin(jdbc.context())


def test_a_table_of_files_does_not_replace_an_iceberg_table(spark_catalog: Place) -> None:
    """Its entry would still name Iceberg's metadata."""
    spark_catalog.publish(OLD)
    with pytest.raises(StagingError, match="Iceberg"):
        spark_catalog.begin(spark_catalog.files_context())
    assert spark_catalog.rows() == OLD_ROWS
