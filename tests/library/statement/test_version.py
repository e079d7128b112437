"""A version on its way through the one machine, in a catalog that a statement publishes in."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from pyspark.errors import PySparkException

from ctas_spark.context import (
    Atomicity,
    OnConflict,
    StagingPurpose,
    TableLayout,
    TableName,
)
from ctas_spark.errors import (
    CommitRefusedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    StagedVersionGoneError,
    StagingError,
    TableAlreadyExistsError,
)
from ctas_spark.publish.version import Outcome
from ctas_spark.statement.by_copy import CREATE, REPLACE, ctas
from fakes.sql_catalog import FakeSqlCatalog, named
from fakes.sql_world import (
    CONTEXT,
    NEW,
    OLD,
    PATH,
    THEIRS,
    begun,
    published,
    staged,
    staging,
)

LOST = PySparkException("no answer")


def on_publish(action: Callable[[], object]) -> Callable[[str], None]:
    """Do something at the statement that publishes."""

    def told(statement: str) -> None:
        if statement.startswith((f"CREATE TABLE {PATH}", f"REPLACE TABLE {PATH}")):
            action()

    return told


def fail() -> None:
    """The answer is lost."""
    raise LOST


def test_it_is_created_and_then_replaced() -> None:
    """By one statement each, with a marker that counts on; nothing that was staged is left."""
    catalog = FakeSqlCatalog()
    first = published(catalog)
    second = published(catalog, NEW)
    assert [one.reach.strategy for one in (first, second)] == ["create", "replace"]
    assert (second.level, second.reach.reader_window) == (Atomicity.ATOMIC, "none")
    assert (list(catalog.shown), catalog.rows[PATH]) == ([PATH], NEW)
    marker = catalog.shown[PATH]
    assert marker["ctas_spark_version"] == second.version
    assert marker["ctas_spark_format"] == "1"
    assert len(marker["ctas_spark_lineage"].split(",")) == 2
    events = staging(catalog).history(CONTEXT)
    assert [(event.version, event.state) for event in events] == [
        (second.version, "last published"),
        (first.version, "deleted"),
    ]


def test_nothing_of_the_target_is_written_before_the_commit() -> None:
    """What is staged is a table of its own, which an abort removes."""
    catalog = FakeSqlCatalog()
    published(catalog)
    before = dict(catalog.shown[PATH])
    table = staged(catalog)
    (record,) = set(catalog.shown) - {PATH}
    assert record == f"`ice`.`stg`.`t__{table.version}`"
    assert (catalog.shown[PATH], catalog.rows[record]) == (before, NEW)
    assert catalog.shown[record]["ctas_spark_target"] == f"ice.stg.t__{table.version}"
    table.abort("checks failed")
    assert (list(catalog.shown), table.left_behind) == ([PATH], [])


def test_an_abort_before_the_ctas_asks_the_catalog_nothing() -> None:
    """Nothing was staged yet."""
    catalog = FakeSqlCatalog()
    table = begun(catalog)
    asked = len(catalog.statements)
    table.abort("failed")
    assert len(catalog.statements) == asked


@pytest.mark.parametrize("exists", [True, False])
def test_a_lost_answer_of_a_commit_that_happened_is_a_success(exists: bool) -> None:  # noqa: FBT001
    """The marker says so."""
    catalog = FakeSqlCatalog()
    if exists:
        published(catalog)
    table = staged(catalog)
    catalog.after = on_publish(fail)
    table.commit()
    assert (table.outcome, catalog.rows[PATH]) == (Outcome.COMMITTED, NEW)


def test_a_lost_answer_of_a_commit_that_shows_nowhere_is_unknown() -> None:
    """It may still land: the staged table stays."""
    catalog = FakeSqlCatalog()
    published(catalog)
    table = staged(catalog)
    catalog.before = on_publish(fail)
    with pytest.raises(CommitStateUnknownError):
        table.commit()
    table.abort("failed")
    assert (table.outcome, len(catalog.shown), catalog.rows[PATH]) == (Outcome.UNKNOWN, 2, OLD)


def test_a_lost_answer_is_unknown_after_anothers_commit_too() -> None:
    """No base refuses a statement that is still under way."""
    catalog = FakeSqlCatalog()
    published(catalog)
    table = staged(catalog)

    def rival_then_fail() -> None:
        catalog.before = lambda _: None
        published(catalog, THEIRS)
        raise LOST

    catalog.before = on_publish(rival_then_fail)
    with pytest.raises(CommitStateUnknownError):
        table.commit()


def test_a_statement_that_is_refused_has_published_nothing() -> None:
    """Here its job failed: the error is the catalog's, and the target is as it was."""
    catalog = FakeSqlCatalog()
    published(catalog)
    table = staged(catalog)

    def refuse() -> None:
        raise named("TASK_WRITE_FAILED")

    catalog.before = on_publish(refuse)
    with pytest.raises(CommitRefusedError):
        table.commit()
    table.abort("failed")
    assert (table.outcome, catalog.rows[PATH]) == (Outcome.NOT_COMMITTED, OLD)


def test_a_write_since_begin_is_a_conflict() -> None:
    """Or a new base, where that was asked for."""
    catalog = FakeSqlCatalog()
    published(catalog)
    refused = staged(catalog)
    asked = replace(CONTEXT, on_conflict=OnConflict.OVERWRITE)
    overwrites = staged(catalog, NEW, asked)
    other = published(catalog, THEIRS)
    with pytest.raises(ConcurrentWriteError, match=f"version {other.version} was committed at"):
        refused.commit()
    overwrites.commit()
    assert catalog.rows[PATH] == NEW


def test_a_creation_has_one_winner() -> None:
    """CREATE TABLE refuses what is there by then."""
    catalog = FakeSqlCatalog()
    table = staged(catalog, NEW, replace(CONTEXT, purpose=StagingPurpose.CREATE))
    catalog.before = on_publish(lambda: catalog.write(PATH, THEIRS, {}))
    with pytest.raises(TableAlreadyExistsError):
        table.commit()
    assert catalog.rows[PATH] == THEIRS


def test_a_version_whose_staged_table_is_gone_publishes_nothing() -> None:
    """A clean-up took it for an orphan, and its writer woke up."""
    catalog = FakeSqlCatalog()
    published(catalog)
    table = staged(catalog)
    catalog.drop(f"`ice`.`stg`.`t__{table.version}`")
    with pytest.raises(StagedVersionGoneError):
        table.commit()
    assert (table.outcome, catalog.rows[PATH]) == (None, OLD)


def test_a_staged_table_that_vanishes_before_the_call_publishes_nothing() -> None:
    """The statement fails by name, and the next look says what is missing."""
    catalog = FakeSqlCatalog()
    published(catalog)
    table = staged(catalog)

    def vanish() -> None:
        catalog.before = lambda _: None
        catalog.drop(f"`ice`.`stg`.`t__{table.version}`")

    catalog.before = on_publish(vanish)
    with pytest.raises(StagingError):
        table.commit()
    table.abort("failed")
    assert (table.outcome, catalog.rows[PATH]) == (Outcome.NOT_COMMITTED, OLD)


def test_a_refresh_that_fails_leaves_the_model_published() -> None:
    """Settling never raises."""
    catalog = FakeSqlCatalog()
    table = staged(catalog)
    table.commit()

    def fail(statement: str) -> None:
        if statement == f"REFRESH TABLE {PATH}":
            raise named("INTERNAL_ERROR")

    catalog.before = fail
    table.settle()
    assert list(catalog.shown) == [PATH]


def test_what_is_staged_is_created_with_the_models_clauses() -> None:
    """A format that the model does not name is the catalog's."""
    layout = TableLayout(partition_by=("days(ts)",), properties={"a": "b"}, format_given=False)
    name = TableName("stg", "t__v", "lake")
    assert ctas(CREATE, name, layout, {"mark": "c"}, "SELECT 1 ts") == (
        "CREATE TABLE `lake`.`stg`.`t__v`\nPARTITIONED BY (days(`ts`))\n"
        "TBLPROPERTIES ('a' = 'b', 'mark' = 'c')\nAS\nSELECT 1 ts"
    )


def test_a_target_is_replaced_and_never_dropped() -> None:
    """By one statement, which needs it to be there."""
    query = "SELECT * FROM `lake`.`stg`.`t__v`"
    assert ctas(REPLACE, TableName("db", "t", "lake"), TableLayout("delta"), {}, query) == (
        "REPLACE TABLE `lake`.`db`.`t`\nUSING `delta`\nAS\nSELECT * FROM `lake`.`stg`.`t__v`"
    )
