"""Others who write the table: what is noticed, and what is not."""

import threading
from collections.abc import Callable

import pytest

from dbt.adapters.ctas_spark.staging.context import Atomicity, OnConflict, StagingPurpose, TableName
from dbt.adapters.ctas_spark.staging.errors import (
    ConcurrentWriteError,
    MetastoreError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.statement.base import StatementBase
from dbt.adapters.ctas_spark.staging.statement.staged_change import Stage, StagedChange
from dbt.adapters.ctas_spark.staging.statement.tables import CatalogTables
from dbt.adapters.ctas_spark.staging.statement.version import StatementVersion
from other_catalogs.place import Place
from other_catalogs.test_publication import NEW, NEW_ROWS, OLD

THEIRS = "SELECT 7 AS theirs"
WRITES = {
    "insert": ["INSERT INTO {table} VALUES (7, 'theirs')"],
    "replace": ["REPLACE TABLE {table} AS SELECT 7 AS theirs"],
    "property": ["ALTER TABLE {table} SET TBLPROPERTIES ('theirs' = 'yes')"],
    "drop and create": ["DROP TABLE {table}", "CREATE TABLE {table} AS SELECT 7 AS theirs"],
}


def rival(place: Place, statements: list[str]) -> None:
    """Somebody who knows nothing of the protocol."""
    for statement in statements:
        place.spark.sql(statement.format(table=place.table))


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


def test_a_write_is_replaced_by_name_only(place: Place) -> None:
    """on_conflict: overwrite."""
    place.publish(OLD)
    staged = place.stage(NEW, place.context(on_conflict=OnConflict.OVERWRITE))
    rival(place, WRITES["replace"])
    staged.commit()
    assert place.rows() == NEW_ROWS


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


@pytest.mark.parametrize(
    ("kind", "staged_already"),
    [("insert", True), ("replace", False), ("drop", True), ("drop and create", False)],
)
def test_a_write_after_the_last_look_is_kept_where_it_is_isolated(
    isolated: Place,
    kind: str,
    staged_already: bool,  # noqa: FBT001 (a case)
    before_the_call: Callable[[Callable[[], object]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before the stage the second look sees it, and after it the catalog refuses."""
    isolated.publish(OLD)
    staged = isolated.stage(NEW, isolated.context(StagingPurpose.REPLACE))
    assert staged.level is Atomicity.ISOLATED
    statements = {**WRITES, "drop": ["DROP TABLE {table}"]}[kind]
    if staged_already:
        write = StagedChange.write

        def written(self: StagedChange) -> None:
            write(self)
            rival(isolated, statements)

        monkeypatch.setattr(StagedChange, "write", written)
    else:
        before_the_call(lambda: rival(isolated, statements))
    with pytest.raises((ConcurrentWriteError, NoSuchTableError)):
        staged.commit()
    staged.abort("failed")
    assert staged.outcome is Outcome.NOT_COMMITTED
    assert isolated.exists() is (kind != "drop")
    assert kind == "drop" or isolated.rows() != NEW_ROWS


def test_a_drop_during_the_statement_fails_the_commit_of_a_hadoop_catalog(hadoop: Place) -> None:
    """There is no table then, as the rival wanted."""
    change = staged_in_the_catalog(hadoop)
    rival(hadoop, ["DROP TABLE {table}"])
    with pytest.raises(MetastoreError):
        change.commit()
    assert not hadoop.exists()


def test_a_drop_and_create_during_the_statement_breaks_a_hadoop_catalogs_table(
    hadoop: Place,
) -> None:
    """The commit succeeds over the rival's table, and its own files went with the first one."""
    change = staged_in_the_catalog(hadoop)
    rival(hadoop, WRITES["drop and create"])
    change.commit()
    with pytest.raises(MetastoreError):
        CatalogTables(hadoop.spark, "hadoop").rows(TableName(hadoop.schema, "t", "hadoop"))


def staged_in_the_catalog(place: Place) -> StagedChange:
    """What REPLACE TABLE has done when it is about to commit."""
    place.publish(OLD)
    name = TableName(place.schema, "t", place.catalog)
    change = CatalogTables(place.spark, place.catalog).stage(Stage.REPLACE, name, NEW, None, {})
    change.write()
    return change


def test_a_creation_has_one_winner(
    place: Place, before_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Spark's CREATE TABLE refuses what is there by then."""
    staged = place.stage(NEW, place.context(StagingPurpose.CREATE))
    before_the_call(lambda: rival(place, WRITES["drop and create"][1:]))
    with pytest.raises(TableAlreadyExistsError, match="theirs is untouched"):
        staged.commit()
    staged.abort("failed")
    assert (place.rows(), place.staged()) == ([(7,)], [])


def test_another_creation_is_kept_where_that_was_asked_for(place: Place) -> None:
    """create_if_not_exists."""
    staged = place.stage(NEW, place.context(StagingPurpose.CREATE_IF_NOT_EXISTS))
    rival(place, WRITES["drop and create"][1:])
    staged.commit()
    assert (staged.outcome, place.rows(), place.staged()) == (Outcome.KEPT, [(7,)], [])


def test_a_dropped_target_is_created_or_not_as_the_purpose_says(
    place: Place, before_the_call: Callable[[Callable[[], object]], None]
) -> None:
    """Even if the drop comes after the last look: REPLACE TABLE needs a table."""
    place.publish(OLD)
    staged = place.stage(NEW, place.context(StagingPurpose.REPLACE))
    before_the_call(lambda: rival(place, ["DROP TABLE {table}"]))
    with pytest.raises(NoSuchTableError):
        staged.commit()
    staged.abort("failed")
    assert not place.exists()
    again = place.publish(NEW)
    assert (again.strategy.name, place.rows()) == ("create", NEW_ROWS)


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
