"""A version of a table in a database on its way through the one machine."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from pyspark.errors import AnalysisException, PySparkException

from contract.subjects import logged
from ctas_spark.context import Atomicity, StagingContext, StagingPurpose
from ctas_spark.errors import (
    CommitRefusedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    StagedVersionGoneError,
    StagingError,
    TableAlreadyExistsError,
)
from ctas_spark.publish.version import Outcome
from fakes.database import CONTEXT, QUERY, THEIRS, FakeDatabase, begun, staged

CREATING = [one for one in StagingPurpose if one is not StagingPurpose.REPLACE]
LOST = [
    AnalysisException("Failed JDBC ... on the operation: rename"),
    PySparkException("no answer"),
]
"""What Spark makes of a connection that ended, and what a server's client says."""


def asking(purpose: StagingPurpose) -> StagingContext:
    """What a model of that purpose asks for."""
    return replace(CONTEXT, purpose=purpose)


def at_the_rename(action: Callable[[], object]) -> Callable[[str], None]:
    """Do something at the statement that publishes, once."""
    left = [action]

    def told(statement: str) -> None:
        if statement.startswith("ALTER TABLE") and left:
            left.pop()()

    return told


def raising(error: Exception) -> Callable[[], object]:
    """Fail."""

    def fail() -> None:
        raise error

    return fail


@pytest.mark.parametrize("purpose", CREATING)
def test_a_new_table_is_staged_next_to_its_place_and_renamed(purpose: StagingPurpose) -> None:
    """So the database, and nobody's look, decides whether the name is free."""
    database = FakeDatabase()
    table = staged(database, asking(purpose))
    assert database.rows == {f"orders__ctas_{table.version}": QUERY}
    table.commit()
    table.settle()
    assert (table.outcome, database.rows) == (Outcome.COMMITTED, {"orders": QUERY})
    assert (table.level, table.reach.strategy) == (Atomicity.ISOLATED, "rename")
    assert (table.reach.reader_window, table.reach.conflict_check) == ("none", "cas")


@pytest.mark.parametrize(
    ("purpose", "error"),
    [
        (StagingPurpose.CREATE, TableAlreadyExistsError),
        (StagingPurpose.CREATE_OR_REPLACE, ConcurrentWriteError),
    ],
)
@pytest.mark.parametrize("late", [True, False])
def test_of_two_creations_the_database_lets_one_through(
    purpose: StagingPurpose,
    error: type[StagingError],
    late: bool,  # noqa: FBT001 (a case)
) -> None:
    """Whether the other one comes before our last look or after it."""
    database = FakeDatabase()
    table = staged(database, asking(purpose))
    if late:
        database.before = at_the_rename(lambda: database.make("orders"))
    else:
        database.make("orders")
    with pytest.raises(error):
        table.commit()
    table.abort("refused")
    assert (table.outcome, database.rows) == (Outcome.NOT_COMMITTED, {"orders": THEIRS})


@pytest.mark.parametrize("late", [True, False])
def test_create_if_not_exists_keeps_what_another_created(late: bool) -> None:  # noqa: FBT001 (a case)
    """The model succeeds, a line says so, and nothing is left of its own."""
    database = FakeDatabase()
    table = staged(database, asking(StagingPurpose.CREATE_IF_NOT_EXISTS))
    if late:
        database.before = at_the_rename(lambda: database.make("orders"))
    else:
        database.make("orders")
    with logged() as lines:
        table.commit()
    assert (table.outcome, database.rows) == (Outcome.KEPT, {"orders": THEIRS})
    assert "that table is kept" in "\n".join(lines)


def test_an_abort_drops_what_was_staged() -> None:
    """By its own name: what a rename has published can't be dropped so."""
    database = FakeDatabase()
    staged(database).abort("checks failed")
    assert database.rows == {}
    table = staged(database)
    table.commit()
    table.abort("a hook failed")
    assert database.rows == {"orders": QUERY}


@pytest.mark.parametrize("lost", LOST)
def test_a_lost_answer_of_a_rename_that_happened_is_a_success(lost: Exception) -> None:
    """The target has the number of the staged table."""
    database = FakeDatabase()
    table = staged(database)
    database.after = at_the_rename(raising(lost))
    table.commit()
    assert (table.outcome, database.rows) == (Outcome.COMMITTED, {"orders": QUERY})


@pytest.mark.parametrize("lost", LOST)
def test_a_rename_without_an_answer_is_ended_by_a_drop(lost: Exception) -> None:
    """Either it came first, or it finds nothing any more: the outcome is known in both cases."""
    database = FakeDatabase()
    table = staged(database)
    database.before = at_the_rename(raising(lost))
    with pytest.raises(CommitRefusedError, match="nothing was committed"):
        table.commit()
    table.abort("refused")
    assert (table.outcome, database.rows) == (Outcome.NOT_COMMITTED, {})


@pytest.mark.parametrize("lost", LOST)
def test_a_rename_that_lands_just_before_that_drop_is_a_success(lost: Exception) -> None:
    """The drop is of the staged name, and the target is ours."""
    database, renames = FakeDatabase(), list[str]()

    def land(statement: str) -> None:
        if statement.startswith("ALTER TABLE"):
            renames.append(statement)
            raise lost
        if statement.startswith("DROP") and renames:
            database.before = lambda _: None
            database.ask(renames.pop())

    table = staged(database)
    database.before = land
    table.commit()
    assert (table.outcome, database.rows) == (Outcome.COMMITTED, {"orders": QUERY})


@pytest.mark.parametrize("lost", LOST)
def test_a_database_that_does_not_answer_any_more_leaves_the_outcome_unknown(
    lost: Exception,
) -> None:
    """And what is staged stays until it is old."""
    database = FakeDatabase()
    table = staged(database)

    def end(_: str) -> None:
        raise lost

    def end_from_now_on() -> None:
        database.before = end
        raise lost

    database.before = at_the_rename(end_from_now_on)
    with pytest.raises(CommitStateUnknownError):
        table.commit()
    table.abort("failed")
    assert (table.outcome, len(database.rows)) == (Outcome.UNKNOWN, 1)


def test_a_table_that_is_not_the_staged_one_proves_nothing() -> None:
    """Somebody dropped what was staged, and somebody created the target: it is not ours."""
    database = FakeDatabase()
    table = staged(database, asking(StagingPurpose.CREATE))

    def swap() -> None:
        database.tables.clear()
        database.make("orders")

    database.before = at_the_rename(swap)
    with pytest.raises(TableAlreadyExistsError):
        table.commit()
    assert database.rows == {"orders": THEIRS}


def test_a_staged_table_that_is_gone_is_said_before_the_call() -> None:
    """Whoever dropped it."""
    database = FakeDatabase()
    table = staged(database)
    database.tables.clear()
    with pytest.raises(StagedVersionGoneError, match="is gone"):
        table.commit()
    assert not any(one.startswith("ALTER") for one in database.statements)


def test_a_name_that_something_unseen_has_ends_the_attempt() -> None:
    """An index, say: the database's word is told, and not tried again."""
    database = FakeDatabase()
    table = staged(database)
    database.others["orders"] = "INDEX"
    shown = database.others.copy()

    def hide(statement: str) -> None:
        database.others = shown.copy() if statement.startswith("ALTER") else {}

    database.before = hide
    with pytest.raises(CommitRefusedError):
        table.commit()
    assert sum(one.startswith("ALTER") for one in database.statements) == 1


def test_a_level_by_name_is_kept() -> None:
    """Both of them: one rename is all or nothing, and refuses a second one."""
    for level in (Atomicity.ATOMIC, Atomicity.ISOLATED):
        assert begun(FakeDatabase(), replace(CONTEXT, atomicity=level)).level is level
