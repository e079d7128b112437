"""Publication by branch in a session with a JVM, where forks are the other way."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from ctas_spark.context import OnConflict
from ctas_spark.errors import ConcurrentWriteError
from iceberg.branches import INSERT, NEW, NEW_ROWS, OLD, RIVALS, UPKEEP, refs, run
from iceberg.place import Place
from long import long

WITH_JVM = pytest.mark.parametrize("place", ["jdbc", long("hive"), "rest"], indirect=True)
BEFORE_THE_CALL = pytest.mark.parametrize(
    "place", [long("jdbc"), long("hive"), "rest"], indirect=True
)
"""For what happens before the catalog is called."""


@pytest.mark.on_every_catalog
def test_a_table_with_its_own_columns_and_partitions_is_published_by_branch(place: Place) -> None:
    """Nested columns, comments, transforms and properties: what a rebuild has again, it keeps."""
    context = place.context(
        partition_by=("days(at)", "bucket(4, id)"), properties={"format-version": "2", "a": "b"}
    )
    layout = replace(context.layout, comment="its own", column_comments={"id": "it's a key"})
    context = replace(context, layout=layout)
    query = (
        "SELECT {} AS id, CAST('x' AS varchar(9)) AS Name, named_struct('a', 1, 'B', array(2)) "
        "AS s, map('k', 1.5D) AS m, timestamp '2026-01-02' AS at"
    )
    first = place.publish(query.format(1), context)
    place.spark.sql(f"""ALTER TABLE {place.table} ALTER COLUMN id COMMENT "it's a key" """)
    specs = place.facts().document["partition-specs"]
    second = place.publish(query.format(2), context)
    assert (first.reach.strategy, second.reach.strategy) == ("create", "fast_forward")
    assert (place.rows("id"), place.facts().document["partition-specs"]) == ([(2,)], specs)


@WITH_JVM
@pytest.mark.parametrize("rival", ["add column", "property"])
def test_an_alter_at_the_call_is_not_merged(
    place: Place, rival: str, at_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """The call expects the table as it was looked at; a server compares no properties."""
    place.publish(OLD)
    staged = place.stage(NEW)
    at_the_call(lambda: run(place, *RIVALS[rival]))
    if (place.catalog, rival) == ("rest", "property"):
        staged.commit()
        assert place.properties()["theirs"] == "yes"
        return
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("failed")
    assert (len(place.rows()), refs(place)) == (2, ["main"])


@BEFORE_THE_CALL
@pytest.mark.parametrize("rival", ["add column", "property", "drop column", "partition"])
def test_overwrite_brings_the_rows_and_their_rules(place: Place, rival: str) -> None:
    """The columns, properties and partitions of begin, which a rival has changed since."""
    changes = {
        "drop column": ["ALTER TABLE {table} DROP COLUMN name"],
        "partition": ["ALTER TABLE {table} ADD PARTITION FIELD name", INSERT],
    }
    place.publish(OLD)
    staged = place.stage(NEW, place.context(on_conflict=OnConflict.OVERWRITE))
    run(place, *changes.get(rival, RIVALS.get(rival, [])))
    staged.commit()
    staged.settle()
    assert (place.rows(), place.columns()) == (NEW_ROWS, ["id", "name"])
    assert (staged.reach.strategy, refs(place)) == ("fast_forward", ["main"])
    assert "theirs" not in place.properties()
    assert place.facts().spec.get("fields") == []
    run(place, INSERT)
    assert len(place.rows()) == 6


def test_every_version_can_be_rolled_back_to(place: Place) -> None:
    """Whether a fork or a branch has published it, with its columns, rows and partitions."""
    by_fork = place.publish("SELECT 1 AS other, 2 AS more")
    by_another = place.publish(OLD, place.context(partition_by=("name",)))
    by_branch = place.publish(NEW, place.context(partition_by=("name",)))
    ways = [one.reach.strategy for one in (by_fork, by_another, by_branch)]
    assert ways == ["create", "swap", "fast_forward"]
    place.staging.roll_back(place.context(), by_fork.version)
    assert (place.rows(), place.columns()) == ([(1, 2)], ["other", "more"])
    assert place.facts().spec.get("fields") == []
    assert place.staging.roll_back(place.context(), by_branch.version).replaced == by_fork.version
    assert (place.rows(), refs(place), place.staged()) == (NEW_ROWS, ["main"], [])
    run(place, INSERT)
    assert place.rows("id, name")[-1] == (7, "theirs")
    events = place.staging.history(place.context())
    assert [event.kind for event in events] == ["rollback", "rollback", "build", "build", "build"]


def test_format_version_one(place: Place) -> None:
    """It numbers no commits; a branch is published and rolled back all the same."""
    context = place.context(properties={"format-version": "1"})
    first = place.publish(OLD, context)
    assert place.publish(NEW, context).reach.strategy == "fast_forward"
    assert place.rows() == NEW_ROWS
    assert place.staging.roll_back(context).version == first.version
    assert len(place.rows()) == 2


@BEFORE_THE_CALL
def test_rows_of_format_version_three_keep_numbers_apart(place: Place) -> None:
    """Compaction and a write to a branch in between are no conflict; no number comes twice."""
    context = place.context(properties={"format-version": "3"})
    place.publish(OLD, context)
    run(place, INSERT)
    staged = place.stage(NEW, context)
    run(
        place,
        f"CALL {place.catalog}.system.{UPKEEP['compaction']}",
        "ALTER TABLE {table} CREATE BRANCH theirs",
        "INSERT INTO {table}.branch_theirs VALUES (8, 'theirs')",
    )
    staged.commit()
    staged.settle()
    run(place, INSERT)
    assert len(set(place.rows("_row_id"))) == len(place.rows()) == 6
