"""Publication by branch, with a JVM and in SQL alone, on each kind of catalog."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from ctas_spark.context import (
    Atomicity,
    OnConflict,
    StagingContext,
)
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConcurrentWriteError,
    StagingError,
)
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import Reason, RetentionRules
from formats.run_place import open_run
from iceberg.branches import INSERT, NEW, NEW_ROWS, OLD, RIVALS, UPKEEP, refs, run
from iceberg.place import Place
from long import long

ON_JDBC = pytest.mark.parametrize("branched", [long("jdbc"), "jdbc in SQL"], indirect=True)
"""For what the kind of catalog has no part in."""
IN_SQL = pytest.mark.parametrize("branched", ["jdbc in SQL"], indirect=True)


@pytest.mark.on_every_catalog
def test_rows_are_published_by_branch(branched: Place) -> None:
    """Isolated, and readers see nothing of what is staged; no branch or table is left."""
    created = branched.publish(OLD)
    staged = branched.stage(NEW)
    assert branched.rows(source=f".branch_ctas_{staged.version}") == NEW_ROWS
    assert (len(branched.rows()), branched.staged()) == (2, [])
    staged.commit()
    staged.settle()
    assert (staged.level, staged.reach.strategy) == (Atomicity.ISOLATED, "fast_forward")
    assert (branched.rows(), staged.figures.rows, refs(branched)) == (NEW_ROWS, 5, ["main"])
    events = branched.staging.history(staged.context)
    assert [event.version for event in events] == [staged.version, created.version]


@ON_JDBC
def test_every_row_is_replaced_whatever_the_session_says(branched: Place) -> None:
    """Partitions that the query has no rows for go, too; transforms and comments are as before."""
    spark = branched.spark
    context = branched.context(partition_by=("bucket(4, id)", "name"))
    context = replace(context, layout=replace(context.layout, comment="it's", column_comments={}))
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        branched.publish(OLD, context)
        staged = branched.publish(NEW, context)
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert (staged.reach.strategy, branched.rows()) == ("fast_forward", NEW_ROWS)
    nothing = branched.publish(f"{NEW} WHERE false", context)
    assert (nothing.reach.strategy, branched.rows()) == ("fast_forward", [])


@IN_SQL
def test_more_than_rows_goes_by_a_copy(branched: Place) -> None:
    """Other columns, partitions, comments: atomic; what a copy would drop is refused."""
    branched.publish(OLD)
    ways = []
    for query, change in [
        ("SELECT 1 AS id, 'x' AS name", None),
        (OLD, "ALTER TABLE {table} ALTER COLUMN name COMMENT 'theirs'"),
    ]:
        if change:
            run(branched, change)
        ways.append(branched.publish(query).reach.strategy)
    other = branched.publish(OLD, branched.context(partition_by=("name",)))
    assert (ways, other.level) == (["replace"] * 2, Atomicity.ATOMIC)
    run(branched, "ALTER TABLE {table} WRITE ORDERED BY id")
    with pytest.raises(AtomicityNotSupportedError, match="WRITE ORDERED BY"):
        branched.begin()


@ON_JDBC
@pytest.mark.parametrize(
    "rival", [one if one in ("insert", "add column") else long(one) for one in RIVALS]
)
def test_a_rival_since_begin_is_kept(branched: Place, rival: str) -> None:
    """Rows, columns and properties of somebody else's; nothing of ours is left."""
    branched.publish(OLD)
    staged = branched.stage(NEW)
    run(branched, *RIVALS[rival])
    theirs = branched.rows()
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("refused")
    assert (branched.rows(), refs(branched), staged.left_behind) == (theirs, ["main"], [])


@pytest.mark.parametrize(
    "rival", ["merge", long("replace"), long("insert"), long("drop and create")]
)
def test_a_rival_at_the_call_is_kept(
    branched: Place, rival: str, at_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Nothing is lost where nobody looks any more: Iceberg compares main."""
    branched.publish(OLD)
    staged = branched.stage(NEW)
    at_the_call(lambda: run(branched, *RIVALS[rival]))
    with pytest.raises(StagingError):
        staged.commit()
    assert (7, "theirs") in branched.rows()
    assert (0, "new") not in branched.rows()


@IN_SQL
def test_an_alter_at_the_call_and_our_rows_both_stay(
    branched: Place, at_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Columns are the table's, rows the branch's: neither is lost."""
    branched.publish(OLD)
    staged = branched.stage(NEW)
    at_the_call(lambda: run(branched, *RIVALS["add column"]))
    staged.commit()
    assert branched.rows() == [(*row, None) for row in NEW_ROWS]


def test_a_drop_takes_what_was_staged(branched: Place) -> None:
    """The model fails, and nothing is created."""
    branched.publish(OLD)
    staged = branched.stage(NEW)
    run(branched, "DROP TABLE {table}")
    with pytest.raises(ConcurrentWriteError, match="is gone"):
        staged.commit()
    staged.abort("gone")
    assert (staged.outcome, staged.left_behind) == (Outcome.NOT_COMMITTED, [])


@ON_JDBC
@pytest.mark.parametrize("rival", ["insert", long("replace")])
def test_a_rivals_rows_are_replaced_by_name_only(
    branched: Place, rival: str, at_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Of one before the last look, and of one after it."""
    branched.publish(OLD)
    staged = branched.stage(NEW, branched.context(on_conflict=OnConflict.OVERWRITE))
    run(branched, *RIVALS[rival])
    at_the_call(lambda: run(branched, INSERT))
    staged.commit()
    staged.settle()
    assert (branched.rows(), refs(branched)) == (NEW_ROWS, ["main"])


@pytest.mark.parametrize("upkeep", ["compaction", long("manifests"), long("expiry")])
def test_ordinary_maintenance_is_no_conflict(branched: Place, upkeep: str) -> None:
    """Main's rows are the same; a tag more is no change either."""
    branched.publish(OLD)
    run(branched, "INSERT INTO {table} VALUES (5, 'more')")
    staged = branched.stage(NEW)
    call = f"CALL {branched.catalog}.system.{UPKEEP[upkeep]}"
    run(branched, call, "ALTER TABLE {table} CREATE TAG theirs")
    staged.commit()
    staged.settle()
    assert (staged.outcome, branched.rows()) == (Outcome.COMMITTED, NEW_ROWS)
    assert refs(branched) == ["main", "theirs"]


@pytest.mark.parametrize("branched", ["jdbc", long("jdbc in SQL")], indirect=True)
def test_commits_without_end_fail_no_rebuild(branched: Place) -> None:
    """Somebody moves a tag, again and again: none of that is a conflict, whenever it comes."""
    branched.publish(OLD)
    done = threading.Event()

    def move_a_tag() -> None:
        while not done.is_set():
            with suppress(Exception):  # ours may come first, and nobody tries again for theirs
                run(branched, "ALTER TABLE {table} CREATE OR REPLACE TAG theirs")

    thread = threading.Thread(target=move_a_tag)
    thread.start()
    try:
        outcomes = [branched.publish(NEW).outcome for _ in range(5)]
    finally:
        done.set()
        thread.join()
    assert (set(outcomes), branched.rows()) == ({Outcome.COMMITTED}, NEW_ROWS)
    assert refs(branched) == ["main", "theirs"]


def test_of_racers_from_one_base_one_wins(branched: Place) -> None:
    """Each in a session of its own; the table is the winner's, whole."""
    branched.publish(OLD)
    racers = [branched.stage(f"SELECT id, '{number}' AS name FROM range(3)") for number in range(4)]
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
    assert branched.rows() == [(number, str(winner)) for number in range(3)]
    assert racers[winner].outcome is Outcome.COMMITTED


def test_an_abandoned_branch_is_dropped(branched: Place) -> None:
    """Its snapshots go when Iceberg expires them; main stays."""
    branched.publish(OLD)
    died = branched.stage(NEW)
    assert refs(branched) == [f"ctas_{died.version}", "main"]
    kept = branched.staging.clean_up(died.context, RetentionRules())
    assert (kept.freed, kept.kept[died.version]) == ([], Reason.YOUNG)
    done = branched.staging.clean_up(died.context, RetentionRules(orphan_age_ms=0))
    assert (len(done.freed), refs(branched), len(branched.rows())) == (1, ["main"], 2)
    branched.expire_snapshots()
    assert len(branched.rows()) == 2


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
def test_format_version_three(branched: Place) -> None:
    """Rows are numbered there; a branch numbers its own."""
    context: StagingContext = branched.context(properties={"format-version": "3"})
    branched.publish(OLD, context)
    staged = branched.publish(NEW, context)
    assert (staged.reach.strategy, branched.rows()) == ("fast_forward", NEW_ROWS)
