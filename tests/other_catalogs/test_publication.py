"""A version is staged as a table of its own; one statement that selects from it publishes."""

import dataclasses

import pytest
from pyspark.errors import PySparkException

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import Atomicity, StagingPurpose, TableLayout
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    CommitStateUnknownError,
    NoSuchTableError,
    NoSuchVersionError,
    StagingError,
    TableAlreadyExistsError,
)
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import Reason, RetentionRules
from fakes.clock import FakeClock
from other_catalogs.place import NEW, NEW_ROWS, OLD, OLD_ROWS, Place

BROKEN = "SELECT CAST(raise_error('no') AS INT) AS id FROM range(1)"


def test_it_is_created_and_then_replaced(hadoop: Place) -> None:
    """Rows, columns and marker change together, and nothing that was staged is left."""
    created = hadoop.publish(OLD)
    assert (created.outcome, created.reach.strategy) == (Outcome.COMMITTED, "create")
    assert hadoop.rows() == OLD_ROWS
    replaced = hadoop.publish(NEW)
    assert (replaced.outcome, replaced.reach.strategy) == (Outcome.COMMITTED, "replace")
    assert hadoop.rows() == NEW_ROWS
    assert hadoop.properties()["ctas_spark_version"] == replaced.version
    assert hadoop.staged() == []
    states = [(event.version, event.state) for event in hadoop.staging.history(replaced.context)]
    assert states == [(replaced.version, "last published"), (created.version, "deleted")]


def test_what_is_staged_can_be_read_and_the_target_is_as_it_was(hadoop: Place) -> None:
    """So checks run before anybody sees it."""
    hadoop.publish(OLD)
    before = hadoop.properties()
    staged = hadoop.stage(NEW)
    assert hadoop.rows(str(staged.verify())) == NEW_ROWS
    assert (hadoop.rows(), hadoop.properties()) == (OLD_ROWS, before)
    staged.abort("checks failed")
    assert (hadoop.rows(), hadoop.staged(), staged.left_behind) == (OLD_ROWS, [], [])


def test_a_statement_that_fails_while_it_writes_has_published_nothing(hadoop: Place) -> None:
    """Here: somebody took the staged table's files. The target is as it was."""
    hadoop.publish(OLD)
    staged = hadoop.stage(NEW)
    for file in (hadoop.directory / hadoop.staging_schema).rglob("*.parquet"):
        file.unlink()
    with pytest.raises(StagingError) as failed:
        staged.commit()
    assert not isinstance(failed.value, CommitStateUnknownError)
    staged.abort("failed")
    assert (staged.outcome, hadoop.rows()) == (Outcome.NOT_COMMITTED, OLD_ROWS)
    assert (hadoop.staged(), staged.left_behind) == ([], [])


@pytest.mark.parametrize("exists", [True, False])
def test_a_job_that_fails_leaves_the_target(hadoop: Place, exists: bool) -> None:  # noqa: FBT001 (a case)
    """As it was: old, or absent."""
    if exists:
        hadoop.publish(OLD)
    staged = hadoop.begin()
    with pytest.raises(PySparkException):
        hadoop.spark.sql(staged.statement(BROKEN))
    staged.abort("failed")
    assert hadoop.exists() is exists
    assert not exists or hadoop.rows() == OLD_ROWS
    assert (hadoop.staged(), staged.left_behind) == ([], [])


def test_a_purpose_that_does_not_fit_begins_no_job(hadoop: Place) -> None:
    """create over a table, replace of none; create_if_not_exists keeps what is there."""
    with pytest.raises(NoSuchTableError):
        hadoop.begin(hadoop.context(StagingPurpose.REPLACE))
    hadoop.publish(OLD)
    with pytest.raises(TableAlreadyExistsError):
        hadoop.begin(hadoop.context(StagingPurpose.CREATE))
    kept = hadoop.begin(hadoop.context(StagingPurpose.CREATE_IF_NOT_EXISTS))
    assert (kept.outcome, hadoop.rows()) == (Outcome.KEPT, OLD_ROWS)


def test_a_missing_schema_is_said_before_any_job(hadoop: Place) -> None:
    """And not after it."""
    context = hadoop.context()
    nowhere = dataclasses.replace(
        context, target=dataclasses.replace(context.target, database="nowhere")
    )
    with pytest.raises(StagingError, match="schema nowhere does not exist"):
        hadoop.begin(nowhere)


def test_layout_comments_and_properties_are_published(hadoop: Place) -> None:
    """Those of the model, and the comments that were put on the staged columns."""
    layout = TableLayout("iceberg", ("bucket(2, id)",), comment="it's", properties={"mine": "yes"})
    staged = hadoop.stage(OLD, hadoop.context(layout=layout))
    record = str(staged.verify())
    hadoop.spark.sql(f"ALTER TABLE {record} ALTER COLUMN id COMMENT 'its number'")
    staged.commit()
    described = {
        row.col_name: row for row in hadoop.spark.sql(f"DESCRIBE EXTENDED {hadoop.table}").collect()
    }
    assert described["id"].comment == "its number"
    assert described["Comment"].data_type == "it's"
    assert "bucket(2, id)" in described["Part 0"].data_type
    properties = hadoop.properties()
    assert properties["mine"] == "yes"
    assert not {"ctas_spark_staged_for", "ctas_spark_staged_as"} & properties.keys()


def test_a_table_that_must_not_be_purged_leaves_no_copy(hadoop: Place) -> None:
    """What the model says of the table, Iceberg would hold the staged one to."""
    layout = TableLayout("iceberg", properties={"gc.enabled": "false"})
    for query, rows in ((OLD, OLD_ROWS), (NEW, NEW_ROWS)):
        hadoop.publish(query, hadoop.context(layout=layout))
        assert (hadoop.rows(), hadoop.staged()) == (rows, [])
    assert hadoop.properties()["gc.enabled"] == "false"
    assert not list((hadoop.directory / hadoop.staging_schema).rglob("*.parquet"))


def test_a_level_that_is_not_reached_is_refused(hadoop: Place) -> None:
    """With the reason, and with the catalogs that reach it."""
    context = hadoop.context(atomicity=Atomicity.ISOLATED)
    assert hadoop.publish(OLD, context).level is Atomicity.ISOLATED
    with pytest.raises(AtomicityNotSupportedError, match="a commit by another writer") as refused:
        hadoop.begin(context).statement(NEW)
    assert "hive, jdbc or rest" in refused.value.remedy
    assert hadoop.rows() == OLD_ROWS


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        (TableLayout(location_root="/x", format_given=False), "places its tables itself"),
        (TableLayout(clustered_by=("id",), buckets=2, format_given=False), "bucket\\(8, id\\)"),
        (TableLayout(options={"a": "b"}, format_given=False), "use tblproperties"),
    ],
)
def test_what_such_a_table_has_not_is_refused(
    hadoop: Place, layout: TableLayout, said: str
) -> None:
    """Before any job, with what to write instead."""
    with pytest.raises(AtomicityNotSupportedError, match=said):
        hadoop.begin(hadoop.context(layout=layout))


def test_there_is_no_way_back(hadoop: Place) -> None:
    """And that is said."""
    staged = hadoop.publish(OLD)
    with pytest.raises(NoSuchVersionError, match="has no statement that restores"):
        hadoop.staging.roll_back(staged.context)


def test_what_a_killed_run_staged_is_dropped_once_it_is_old(hadoop: Place) -> None:
    """Three days later by the clock that a run measures ages by; the target stays."""
    hadoop.publish(OLD)
    died, clock = hadoop.stage(NEW), FakeClock()
    later = dataclasses.replace(hadoop, opened=CatalogsWithJvm(hadoop.spark, clock=clock))
    young = later.staging.clean_up(later.context(), RetentionRules())
    assert (young.freed, young.kept) == ([], {died.version: Reason.YOUNG})
    clock.pass_ms(ORPHAN_AGE_MS)
    done = later.staging.clean_up(later.context(), RetentionRules())
    assert [place.rpartition("__")[2] for place in done.freed] == [died.version]
    with pytest.raises(StagingError, match="is gone"):
        died.commit()
    assert (hadoop.rows(), hadoop.staged()) == (OLD_ROWS, [])
