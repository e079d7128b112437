"""What others commit while a version is staged in a branch, and answers that are lost."""

import pytest

from ctas_spark.context import (
    StagingContext,
)
from ctas_spark.errors import (
    CommitStateUnknownError,
    ConcurrentWriteError,
)
from ctas_spark.publish.version import Outcome
from fakes.branches import FakeBranches
from fakes.branches_world import (
    CONTEXT,
    NEW,
    OLD,
    OVERWRITE,
    PATH,
    at_the_call,
    branches,
    fail,
    know_until_refreshed,
    published,
    staged,
)


@pytest.mark.parametrize("at_once", [False, True])
def test_a_rivals_rows_are_kept(catalog: FakeBranches, at_once: bool) -> None:  # noqa: FBT001 (a case)
    """Also those of one that commits between our last look and the call."""
    table = staged(catalog)
    if at_once:
        at_the_call(catalog, lambda: catalog.insert(PATH))
    else:
        catalog.insert(PATH)
    with pytest.raises(ConcurrentWriteError, match="another program committed"):
        table.commit()
    table.abort("refused")
    assert (catalog.rows[PATH], branches(catalog)) == ("SELECT 3 AS theirs", [])


def test_a_rival_run_is_named(catalog: FakeBranches) -> None:
    """The version that came first."""
    table = staged(catalog)
    other = published(catalog, "SELECT 9 AS id")
    with pytest.raises(ConcurrentWriteError, match=f"version {other.version} was committed at"):
        table.commit()


@pytest.mark.parametrize("at_once", [False, True])
def test_a_rivals_rows_are_replaced_by_name_only(catalog: FakeBranches, at_once: bool) -> None:  # noqa: FBT001 (a case)
    """What was staged is copied to a branch of theirs, and published by the same call."""
    table = staged(catalog, NEW, OVERWRITE)
    if at_once:
        at_the_call(catalog, lambda: catalog.insert(PATH))
    else:
        catalog.insert(PATH)
    table.commit()
    table.settle()
    assert (table.outcome, catalog.rows[PATH], branches(catalog)) == (Outcome.COMMITTED, NEW, [])


def test_a_compaction_in_between_is_no_conflict(catalog: FakeBranches) -> None:
    """Main has another snapshot of the same rows."""
    table = staged(catalog)
    catalog.insert(PATH, OLD, "replace")
    table.commit()
    assert (table.outcome, catalog.rows[PATH]) == (Outcome.COMMITTED, NEW)


@pytest.mark.parametrize("context", [CONTEXT, OVERWRITE])
def test_another_shape_is_never_overwritten(catalog: FakeBranches, context: StagingContext) -> None:
    """A branch has its table's columns: it can't bring back those that it was staged with."""
    table = staged(catalog, NEW, context)
    catalog.shown[PATH]["theirs"] = "yes"
    with pytest.raises(ConcurrentWriteError, match="changed its columns or properties"):
        table.commit()
    table.abort("refused")
    assert (catalog.rows[PATH], branches(catalog)) == (OLD, [])


@pytest.mark.parametrize("error", ["", "TABLE_OR_VIEW_NOT_FOUND", "REQUIRES_SINGLE_PART_NAMESPACE"])
def test_a_drop_takes_what_was_staged(catalog: FakeBranches, error: str) -> None:
    """The model fails and says so; nothing is created.

    A session's cache may know the table until it has been refreshed once.
    """
    table = staged(catalog)
    catalog.drop(PATH)
    if error:
        know_until_refreshed(catalog, error)
    with pytest.raises(ConcurrentWriteError, match=r"it was dropped; .* is gone"):
        table.commit()
    table.abort("gone")
    assert (list(catalog.shown), table.left_behind) == ([], [])


def test_what_a_cache_knows_of_a_dropped_table_is_not_read(catalog: FakeBranches) -> None:
    """A hadoop catalog's files are gone, and reading them fails in words of the file system."""
    table = staged(catalog)
    catalog.drop(PATH)
    catalog.before = lambda statement: fail() if statement.startswith("SELECT") else None
    with pytest.raises(ConcurrentWriteError, match=r"it was dropped; .* is gone"):
        table.commit()


@pytest.mark.parametrize("context", [CONTEXT, OVERWRITE])
def test_a_drop_and_create_takes_what_was_staged(
    catalog: FakeBranches, context: StagingContext
) -> None:
    """The other's table stays."""
    table = staged(catalog, NEW, context)
    catalog.drop(PATH)
    catalog.clock.pass_ms(1)
    catalog.write(PATH, "SELECT 8 AS id", {})
    catalog.insert(PATH, "SELECT 8 AS id")
    with pytest.raises(ConcurrentWriteError):
        table.commit()
    assert catalog.rows[PATH] == "SELECT 8 AS id"


def test_a_lost_answer_is_judged_by_what_main_shows(catalog: FakeBranches) -> None:
    """Published if main shows it, else not known: the call may still be under way."""
    table = staged(catalog)
    catalog.after = lambda statement: fail() if statement.startswith("CALL") else None
    table.commit()
    assert table.outcome is Outcome.COMMITTED
    catalog.after = lambda _: None
    table = staged(catalog, "SELECT 5 AS id")
    at_the_call(catalog, fail)
    with pytest.raises(CommitStateUnknownError):
        table.commit()
    assert table.outcome is Outcome.UNKNOWN
    assert f"ctas_{table.version}" in branches(catalog)


def test_a_rollback_at_the_call_refuses_nothing(catalog: FakeBranches) -> None:
    """Main is still an ancestor of the branch, so a call whose answer is lost may yet land."""
    published(catalog, OLD)
    earlier = catalog.histories[PATH].refs["main"]
    catalog.insert(PATH, OLD)
    table = staged(catalog)

    def rolls_back() -> None:
        catalog.histories[PATH].show("main", earlier)
        fail()

    at_the_call(catalog, rolls_back)
    with pytest.raises(CommitStateUnknownError):
        table.commit()
    assert f"ctas_{table.version}" in branches(catalog)


def test_a_lost_answer_before_a_rival_was_refused(catalog: FakeBranches) -> None:
    """Main has left the base: whatever is still under way can't land."""
    table = staged(catalog)

    def rival() -> None:
        catalog.insert(PATH)
        fail()

    at_the_call(catalog, rival)
    with pytest.raises(ConcurrentWriteError):
        table.commit()
