"""History, rollback and VACUUM of a Delta table with versions of ours."""

import pytest

from ctas_spark.errors import NoSuchVersionError, StagingError
from ctas_spark.retention.rules import Reason, RetentionRules
from delta.place import Place

OLD_ROWS = [(0, "old"), (1, "old"), (2, "old")]
NEW = "SELECT CAST(id AS STRING) AS name, id * 2 AS twice FROM range(2)"
NEW_ROWS = [("0", 0), ("1", 2)]


def test_a_rollback_brings_back_rows_schema_and_properties(published: Place) -> None:
    """It is one commit, and what users wrote into the version belongs to it; so is the way back."""
    first = published.history()
    created = published.root().name
    published.sql("INSERT INTO {t} VALUES (3, 'old')")
    second = published.publish(NEW, published.context(properties={"mine": "yes"}))
    back = published.staging.roll_back(published.context())
    assert (back.version, back.replaced) == (created, second.version)
    assert published.rows() == [*OLD_ROWS, (3, "old")]
    assert published.columns() == ["id", "name"]
    assert "mine" not in published.properties()
    forth = published.staging.roll_back(published.context(), second.version)
    assert forth.version == second.version
    assert published.rows() == NEW_ROWS
    assert len(published.history()) == len(first) + 4
    third = published.publish("SELECT 3 AS c")
    assert third.base.version == second.version


def test_a_rollback_takes_back_anothers_replace(place: Place) -> None:
    """The version of ours that was there before it, with what users wrote into it.

    The creation stood in the entry, which Delta's replace writes anew; its directory stays.
    """
    creator = place.another_run()
    creator.publish("SELECT 1 AS a")
    creator.close()
    second = place.publish(NEW)
    place.sql("INSERT INTO {t} VALUES ('2', 4)")
    place.sql("CREATE OR REPLACE TABLE {t} USING delta AS SELECT 'theirs' AS x")
    swept = place.staging.clean_up(place.context(), RetentionRules(0, 0, orphan_age_ms=0))
    assert swept.freed == []
    events = place.staging.history(place.context())
    assert [event.state for event in events] == ["kept", "unproven"]
    assert place.staging.roll_back(place.context()).version == second.version
    assert place.rows() == [*NEW_ROWS, ("2", 4)]


def test_history_names_each_publication_newest_first(published: Place) -> None:
    """With its figures; fences and other writers' commits are not among them."""
    staged = published.publish(NEW)
    published.sql("INSERT INTO {t} VALUES ('2', 4)")
    published.staging.roll_back(published.context())
    events = published.staging.history(published.context())
    assert [(event.kind, event.state) for event in events] == [
        ("rollback", "live"),
        ("build", "kept"),
        ("build", "kept"),
    ]
    assert (events[1].version, events[1].rows) == (staged.version, 2)
    assert events[1].bytes


def test_there_is_no_version_before_the_first(published: Place) -> None:
    """And none of another name."""
    with pytest.raises(NoSuchVersionError):
        published.staging.roll_back(published.context())
    published.publish(NEW)
    with pytest.raises(NoSuchVersionError, match="no earlier version nothing"):
        published.staging.roll_back(published.context(), "nothing")


def test_vacuum_keeps_what_is_live_and_reclaims_what_is_not(published: Place) -> None:
    """Published files lie below the table's directory, so they are Delta's own to expire."""
    second = published.publish(NEW)
    published.publish("SELECT 3 AS c")
    swept = published.staging.clean_up(published.context(), RetentionRules(0, 0, orphan_age_ms=0))
    assert swept.freed == []
    assert swept.kept[second.version] is Reason.NATIVE
    assert any(second.version in path for path in published.files())
    session = published.spark.newSession()
    session.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    session.sql(f"VACUUM {published.table} RETAIN 0 HOURS")
    assert not any(second.version in path for path in published.files())
    assert published.rows() == [(3,)]
    ignored = "spark.sql.files.ignoreMissingFiles"
    for value in ("false", "true"):
        published.spark.conf.set(ignored, value)
        with pytest.raises(StagingError, match="VACUUM took its files"):
            published.staging.roll_back(published.context())
    published.spark.conf.unset(ignored)


def test_a_rollback_leaves_another_format_behind(published: Place) -> None:
    """To the Delta table that a parquet version replaced, with all its history."""
    published.publish(NEW)
    parquet = published.context(file_format="parquet")
    published.publish("SELECT 3 AS c", parquet)
    published.opened.catalog_for(parquet).roll_back(parquet)
    assert published.rows() == NEW_ROWS
    assert len(published.history()) == 2
