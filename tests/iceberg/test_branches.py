"""Publication by branch, in SQL alone, on each kind of catalog."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    OnConflict,
    StagingContext,
)
from dbt.adapters.ctas_spark.staging.errors import ConcurrentWriteError, StagingError
from dbt.adapters.ctas_spark.staging.publish.version import Outcome
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.statement.base import StatementBase
from dbt.adapters.ctas_spark.staging.statement.version import StatementVersion
from formats.run_place import open_run
from iceberg.place import Place
from long import long

OLD = "SELECT id, 'old' AS name FROM range(2)"
NEW = "SELECT id, 'new' AS name FROM range(5)"
NEW_ROWS = [(number, "new") for number in range(5)]
INSERT = "INSERT INTO {table} VALUES (7, 'theirs')"
REPLACE = "CREATE OR REPLACE TABLE {table} USING iceberg AS SELECT 7L AS id, 'theirs' AS name"
RIVALS = {
    "insert": [INSERT],
    "delete": ["DELETE FROM {table} WHERE id = 0"],
    "replace": [REPLACE],
    "add column": ["ALTER TABLE {table} ADD COLUMN theirs INT"],
    "property": ["ALTER TABLE {table} SET TBLPROPERTIES ('theirs' = 'yes')"],
    "drop and create": ["DROP TABLE {table}", REPLACE],
}
ON_JDBC = pytest.mark.parametrize("by_sql", ["jdbc"], indirect=True)
"""For what the kind of catalog has no part in."""
UPKEEP = {
    "compaction": "rewrite_data_files(table => '{path}', options => map('rewrite-all', 'true'))",
    "manifests": "rewrite_manifests('{path}')",
    "expiry": "expire_snapshots(table => '{path}', older_than => timestamp '2100-01-01')",
}


def run(place: Place, *statements: str) -> None:
    """What somebody else's session does."""
    session = place.spark.newSession()
    for statement in statements:
        session.sql(statement.format(table=place.table, path=f"{place.schema}.t"))


def refs(place: Place) -> list[object]:
    """The names of the target's branches and tags."""
    found = place.spark.newSession().sql(f"SELECT name FROM {place.table}.refs").collect()
    return sorted(row.name for row in found)


@pytest.fixture
def at_the_call(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Do something once, between the last look and the call."""

    def arrange(action: Callable[[], object]) -> None:
        publish = StatementVersion.publish

        def published(version: StatementVersion, over: StatementBase) -> None:
            monkeypatch.setattr(StatementVersion, "publish", publish)
            action()
            publish(version, over)

        monkeypatch.setattr(StatementVersion, "publish", published)

    return arrange


@pytest.mark.on_every_catalog
def test_rows_are_published_by_branch(by_sql: Place) -> None:
    """Isolated, and readers see nothing of what is staged; no branch or table is left."""
    created = by_sql.publish(OLD)
    staged = by_sql.stage(NEW)
    assert by_sql.rows(source=f".branch_ctas_{staged.version}") == NEW_ROWS
    assert (len(by_sql.rows()), by_sql.staged()) == (2, [])
    staged.commit()
    staged.settle()
    assert (staged.level, staged.reach.strategy) == (Atomicity.ISOLATED, "fast_forward")
    assert (by_sql.rows(), staged.figures.rows, refs(by_sql)) == (NEW_ROWS, 5, ["main"])
    events = by_sql.staging.history(staged.context)
    assert [event.version for event in events] == [staged.version, created.version]


@ON_JDBC
def test_every_row_is_replaced_whatever_the_session_says(by_sql: Place) -> None:
    """Partitions that the query has no rows for go, too; transforms and comments are as before."""
    spark = by_sql.spark
    context = by_sql.context(partition_by=("bucket(4, id)", "name"))
    context = replace(context, layout=replace(context.layout, comment="it's", column_comments={}))
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        by_sql.publish(OLD, context)
        staged = by_sql.publish(NEW, context)
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert (staged.reach.strategy, by_sql.rows()) == ("fast_forward", NEW_ROWS)
    nothing = by_sql.publish(f"{NEW} WHERE false", context)
    assert (nothing.reach.strategy, by_sql.rows()) == ("fast_forward", [])


@ON_JDBC
def test_more_than_rows_goes_by_a_copy(by_sql: Place) -> None:
    """Other columns, partitions, properties, a sort order, NOT NULL: atomic."""
    by_sql.publish(OLD)
    ways = []
    for query, change in [
        ("SELECT 1 AS id, 'x' AS name", None),
        (OLD, "ALTER TABLE {table} WRITE ORDERED BY id"),
        (OLD, "ALTER TABLE {table} ALTER COLUMN name COMMENT 'theirs'"),
    ]:
        if change:
            run(by_sql, change)
        ways.append(by_sql.publish(query).reach.strategy)
    other = by_sql.publish(OLD, by_sql.context(partition_by=("name",)))
    assert (ways, other.level) == (["replace"] * 3, Atomicity.ATOMIC)


@ON_JDBC
@pytest.mark.parametrize("rival", RIVALS)
def test_a_rival_since_begin_is_kept(by_sql: Place, rival: str) -> None:
    """Rows, columns and properties of somebody else's; nothing of ours is left."""
    by_sql.publish(OLD)
    staged = by_sql.stage(NEW)
    run(by_sql, *RIVALS[rival])
    theirs = by_sql.rows()
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("refused")
    assert (by_sql.rows(), refs(by_sql), staged.left_behind) == (theirs, ["main"], [])


@pytest.mark.on_every_catalog
@pytest.mark.parametrize("rival", ["replace", long("insert"), long("drop and create")])
def test_a_rival_at_the_call_is_kept(
    by_sql: Place, rival: str, at_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Nothing is lost where nobody looks any more: Iceberg compares main."""
    by_sql.publish(OLD)
    staged = by_sql.stage(NEW)
    at_the_call(lambda: run(by_sql, *RIVALS[rival]))
    with pytest.raises(StagingError):
        staged.commit()
    assert (7, "theirs") in by_sql.rows()
    assert (0, "new") not in by_sql.rows()


def test_an_alter_at_the_call_and_our_rows_both_stay(
    by_sql: Place, at_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Columns are the table's, rows the branch's: neither is lost."""
    by_sql.publish(OLD)
    staged = by_sql.stage(NEW)
    at_the_call(lambda: run(by_sql, *RIVALS["add column"]))
    staged.commit()
    assert by_sql.rows() == [(*row, None) for row in NEW_ROWS]


@pytest.mark.on_every_catalog
def test_a_drop_takes_what_was_staged(by_sql: Place) -> None:
    """The model fails, and nothing is created."""
    by_sql.publish(OLD)
    staged = by_sql.stage(NEW)
    run(by_sql, "DROP TABLE {table}")
    with pytest.raises(ConcurrentWriteError, match="is gone"):
        staged.commit()
    staged.abort("gone")
    assert (staged.outcome, staged.left_behind) == (Outcome.NOT_COMMITTED, [])


@ON_JDBC
@pytest.mark.parametrize("rival", ["insert", "replace"])
def test_a_rivals_rows_are_replaced_by_name_only(
    by_sql: Place, rival: str, at_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Of one before the last look, and of one after it."""
    by_sql.publish(OLD)
    staged = by_sql.stage(NEW, by_sql.context(on_conflict=OnConflict.OVERWRITE))
    run(by_sql, *RIVALS[rival])
    at_the_call(lambda: run(by_sql, INSERT))
    staged.commit()
    staged.settle()
    assert (by_sql.rows(), refs(by_sql)) == (NEW_ROWS, ["main"])


@ON_JDBC
@pytest.mark.parametrize("upkeep", UPKEEP)
def test_ordinary_maintenance_is_no_conflict(by_sql: Place, upkeep: str) -> None:
    """Main's rows are the same; a tag more is no change either."""
    by_sql.publish(OLD)
    run(by_sql, "INSERT INTO {table} VALUES (5, 'more')")
    staged = by_sql.stage(NEW)
    call = f"CALL {by_sql.catalog}.system.{UPKEEP[upkeep]}"
    run(by_sql, call, "ALTER TABLE {table} CREATE TAG theirs")
    staged.commit()
    staged.settle()
    assert (staged.outcome, by_sql.rows()) == (Outcome.COMMITTED, NEW_ROWS)
    assert refs(by_sql) == ["main", "theirs"]


def test_of_racers_from_one_base_one_wins(by_sql: Place) -> None:
    """Each in a session of its own; the table is the winner's, whole."""
    by_sql.publish(OLD)
    racers = [by_sql.stage(f"SELECT id, '{number}' AS name FROM range(3)") for number in range(4)]
    barrier, lost = threading.Barrier(len(racers)), []

    def commit(number: int) -> None:
        barrier.wait()
        try:
            racers[number].commit()
        except ConcurrentWriteError:
            lost.append(number)

    threads = [threading.Thread(target=commit, args=(number,)) for number in range(len(racers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = {0, 1, 2, 3} - set(lost)
    assert by_sql.rows() == [(number, str(winner)) for number in range(3)]
    assert racers[winner].outcome is Outcome.COMMITTED


def test_an_abandoned_branch_is_dropped(by_sql: Place) -> None:
    """Its snapshots go when Iceberg expires them; main stays."""
    by_sql.publish(OLD)
    died = by_sql.stage(NEW)
    assert refs(by_sql) == [f"ctas_{died.version}", "main"]
    kept = by_sql.staging.clean_up(died.context, RetentionRules())
    assert (kept.freed, list(kept.kept)) == ([], [died.version])
    done = by_sql.staging.clean_up(died.context, RetentionRules(orphan_age_ms=0))
    assert (len(done.freed), refs(by_sql), len(by_sql.rows())) == (1, ["main"], 2)
    by_sql.expire_snapshots()
    assert len(by_sql.rows()) == 2


@pytest.mark.parametrize(
    "by_sql", ["jdbc", long("hive"), long("spark_catalog"), "rest"], indirect=True
)
def test_sessions_with_a_jvm_and_without_take_turns(by_sql: Place) -> None:
    """The history of one is the other's, and what a branch published can be rolled back to."""
    jvm = replace(by_sql, opened=open_run(by_sql.spark))
    first = jvm.publish(OLD)
    by_branch = by_sql.publish(NEW)
    assert (by_branch.reach.strategy, by_branch.base.version) == ("fast_forward", first.version)
    by_fork = jvm.publish("SELECT 1 AS other")
    assert by_fork.base.version == by_branch.version
    events = jvm.staging.history(jvm.context())
    assert [one.version for one in events] == [by_fork.version, by_branch.version, first.version]
    jvm.staging.roll_back(jvm.context(), by_branch.version)
    assert by_sql.rows() == NEW_ROWS
    jvm.close()


@ON_JDBC
def test_format_version_three(by_sql: Place) -> None:
    """Rows are numbered there; a branch numbers its own."""
    context: StagingContext = by_sql.context(properties={"format-version": "3"})
    by_sql.publish(OLD, context)
    staged = by_sql.publish(NEW, context)
    assert (staged.reach.strategy, by_sql.rows()) == ("fast_forward", NEW_ROWS)
