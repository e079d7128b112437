"""Others who write the table: what is noticed, and what is not."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from ctas_spark.context import Atomicity, OnConflict, StagingPurpose
from ctas_spark.errors import (
    ConcurrentWriteError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from ctas_spark.publish.version import Outcome
from ctas_spark.statement.base import StatementBase
from ctas_spark.statement.version import StatementVersion
from other_catalogs.place import NEW, NEW_ROWS, OLD, Place
from servers.processes import wait_until

FAILURES = (PySparkException, Py4JError)
THEIRS = "SELECT 7 AS theirs"
WRITES = {
    "insert": ["INSERT INTO {table} VALUES (7, 'theirs')"],
    "replace": ["REPLACE TABLE {table} AS SELECT 7 AS theirs"],
    "property": ["ALTER TABLE {table} SET TBLPROPERTIES ('theirs' = 'yes')"],
    "drop and create": ["DROP TABLE {table}", "CREATE TABLE {table} AS SELECT 7 AS theirs"],
}


def rival(hadoop: Place, statements: list[str]) -> None:
    """Somebody who knows nothing of the protocol."""
    for statement in statements:
        hadoop.spark.sql(statement.format(table=hadoop.table))


@pytest.fixture
def before_the_call(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Do something after the last look at the target."""
    mark = StatementVersion.mark

    def arrange(action: Callable[[], object]) -> None:
        def marked(self: StatementVersion, over: StatementBase, level: Atomicity) -> str:
            commit = mark(self, over, level)
            monkeypatch.setattr(StatementVersion, "mark", mark)
            action()
            return commit

        monkeypatch.setattr(StatementVersion, "mark", marked)

    return arrange


@pytest.mark.parametrize("kind", WRITES)
def test_a_write_since_begin_is_kept(hadoop: Place, kind: str) -> None:
    """The look before the statement sees it; the model fails and says so."""
    hadoop.publish(OLD)
    staged = hadoop.stage(NEW)
    rival(hadoop, WRITES[kind])
    after = hadoop.rows(), hadoop.properties()
    with pytest.raises(ConcurrentWriteError, match="another writer changed"):
        staged.commit()
    staged.abort("failed")
    assert (hadoop.rows(), hadoop.properties(), hadoop.staged()) == (*after, [])


def test_a_write_is_replaced_by_name_only(hadoop: Place) -> None:
    """on_conflict: overwrite."""
    hadoop.publish(OLD)
    staged = hadoop.stage(NEW, hadoop.context(on_conflict=OnConflict.OVERWRITE))
    rival(hadoop, WRITES["replace"])
    staged.commit()
    assert hadoop.rows() == NEW_ROWS


def test_another_run_is_named(hadoop: Place) -> None:
    """The version that came first, and when."""
    hadoop.publish(OLD)
    staged, first = hadoop.stage(NEW), hadoop.another_run()
    other = first.publish(THEIRS)
    first.close()
    with pytest.raises(ConcurrentWriteError, match=f"version {other.version} was committed at"):
        staged.commit()
    staged.abort("failed")


def test_a_write_after_the_last_look_is_lost_on_a_hadoop_catalog(
    hadoop: Place, before_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Nothing notices it: so it is atomic, and not isolated."""
    hadoop.publish(OLD)
    staged = hadoop.stage(NEW)
    before_the_call(lambda: rival(hadoop, WRITES["insert"]))
    staged.commit()
    assert (staged.outcome, hadoop.rows()) == (Outcome.COMMITTED, NEW_ROWS)


def test_a_drop_during_the_statement_fails_the_commit_of_a_hadoop_catalog(hadoop: Place) -> None:
    """There is no table then, as the rival wanted."""
    hadoop.publish(OLD)
    with pytest.raises(FAILURES):
        replace_during(hadoop, ["DROP TABLE {table}"])
    assert not hadoop.exists()


def test_a_drop_and_create_during_the_statement_breaks_a_hadoop_catalogs_table(
    hadoop: Place,
) -> None:
    """The commit succeeds over the rival's table, and its own files went with the first one."""
    hadoop.publish(OLD)
    replace_during(hadoop, ["DROP TABLE {table}", "CREATE TABLE {table} (theirs INT)"])
    with pytest.raises(FAILURES):
        hadoop.rows()


def replace_during(hadoop: Place, statements: list[str]) -> None:
    """A REPLACE TABLE of two tasks, the second of three seconds, and a rival during that one."""
    slow = "if(id = 1, java_method('java.lang.Thread', 'sleep', 3000L), '') AS slept"
    text = f"REPLACE TABLE {hadoop.table} AS SELECT id, {slow} FROM range(0, 2, 1, 2)"
    data = hadoop.directory / hadoop.schema / "t" / "data"
    before = set(data.rglob("*.parquet"))

    def has_written() -> bool:
        return any(file.stat().st_size for file in {*data.rglob("*.parquet")} - before)

    with ThreadPoolExecutor(1) as pool:
        replaced = pool.submit(hadoop.spark.sql, text)
        wait_until(has_written, 60.0, "the first task's file")
        rival(hadoop, statements)
        replaced.result()


def test_a_creation_has_one_winner(
    hadoop: Place, before_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Spark's CREATE TABLE refuses what is there by then."""
    staged = hadoop.stage(NEW, hadoop.context(StagingPurpose.CREATE))
    before_the_call(lambda: rival(hadoop, WRITES["drop and create"][1:]))
    with pytest.raises(TableAlreadyExistsError, match="that table is untouched"):
        staged.commit()
    staged.abort("failed")
    assert (hadoop.rows(), hadoop.staged()) == ([(7,)], [])


def test_another_creation_is_kept_where_that_was_asked_for(hadoop: Place) -> None:
    """create_if_not_exists."""
    staged = hadoop.stage(NEW, hadoop.context(StagingPurpose.CREATE_IF_NOT_EXISTS))
    rival(hadoop, WRITES["drop and create"][1:])
    staged.commit()
    assert (staged.outcome, hadoop.rows(), hadoop.staged()) == (Outcome.KEPT, [(7,)], [])


def test_a_dropped_target_is_created_or_not_as_the_purpose_says(
    hadoop: Place, before_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Even if the drop comes after the last look: REPLACE TABLE needs a table."""
    hadoop.publish(OLD)
    staged = hadoop.stage(NEW, hadoop.context(StagingPurpose.REPLACE))
    before_the_call(lambda: rival(hadoop, ["DROP TABLE {table}"]))
    with pytest.raises(NoSuchTableError):
        staged.commit()
    staged.abort("failed")
    assert not hadoop.exists()
    again = hadoop.publish(NEW)
    assert (again.reach.strategy, hadoop.rows()) == ("create", NEW_ROWS)


@pytest.mark.long
def test_readers_of_a_hadoop_catalog_see_whole_versions(hadoop: Place) -> None:
    """A table is there at each read, and its rows are all of one version."""
    query = "SELECT {version} AS version FROM range(50)"
    hadoop.publish(query.format(version=0))
    enough, seen, reader = threading.Event(), [], hadoop.spark.newSession()

    def read() -> None:
        while not enough.is_set():
            found = reader.sql(f"SELECT version, count(*) FROM {hadoop.table} GROUP BY 1").collect()
            seen.append([row[1] for row in found])

    thread = threading.Thread(target=read)
    thread.start()
    for version in range(1, 4):
        hadoop.publish(query.format(version=version))
    enough.set()
    thread.join()
    assert seen
    assert all(counts == [50] for counts in seen)
