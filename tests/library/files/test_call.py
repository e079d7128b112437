"""The one metastore call that publishes, and what becomes of it when its answer is lost."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from ctas_spark.errors import (
    CommitRefusedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    EntryExistsError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
    StagingError,
)
from ctas_spark.files.base import FileBase
from ctas_spark.files.publication import fenced
from ctas_spark.publish.marker import COMMIT
from ctas_spark.publish.version import Outcome
from fakes.metastore import losing_the_answer
from fakes.world import TARGET_NAME, Staged, World


def stays(world: World, staged: Staged) -> None:
    """Neither files nor record of the version were touched, and no abort does it."""
    staged.abort("failed")
    assert staged.outcome is Outcome.UNKNOWN
    assert staged.version in world.versions_on_storage() & world.records()
    assert world.job.stopped == 0


@pytest.mark.parametrize("call", ["create_table", "alter_table"])
def test_a_call_whose_answer_was_lost_has_committed_if_it_shows(world: World, call: str) -> None:
    """A fresh read decides, and not that the call raised."""
    if call == "alter_table":
        world.published()
    ours = world.begun()
    world.metastore.after = losing_the_answer(call)
    ours.commit()
    assert (ours.outcome, world.shown) == (Outcome.COMMITTED, ours.version)


@pytest.mark.parametrize(
    ("call", "error"), [("create_table", EntryExistsError), ("alter_table", EntryModifiedError)]
)
def test_a_refusal_after_a_success_is_committed(
    world: World, call: str, error: type[RefusedError]
) -> None:
    """A client that lost the answer and asked again was told "exists" or "modified"."""
    if call == "alter_table":
        world.published()
    ours = world.begun()

    def refused_at_last(made: str) -> None:
        if made == call:
            raise error("the second try")

    world.metastore.after = refused_at_last
    ours.commit()
    assert (ours.outcome, world.shown) == (Outcome.COMMITTED, ours.version)


def test_a_call_that_landed_and_was_superseded_is_committed(world: World) -> None:
    """Its commit id is in the lineage of whoever came after it."""
    world.published()
    ours = world.begun()

    def another_then_lost() -> None:
        world.published()
        raise MetastoreError("connection lost")

    world.once_after("alter_table", another_then_lost)
    ours.commit()
    assert ours.outcome is Outcome.COMMITTED
    assert world.shown != ours.version


@pytest.mark.parametrize("call", ["create_table", "alter_table"])
def test_the_old_marker_after_a_lost_answer_proves_nothing(world: World, call: str) -> None:
    """The request may still be running: unknown, and nothing is deleted."""
    if call == "alter_table":
        world.published()
    ours = world.begun()
    world.metastore.before = losing_the_answer(call)
    with pytest.raises(CommitStateUnknownError):
        ours.commit()
    stays(world, ours)


def another_first(world: World, lost: str) -> Callable[[str], None]:
    """Another publishes just before a call, of which then nothing arrives."""

    def before(call: str) -> None:
        if call == lost:
            world.metastore.before = lambda _call: None
            world.published()
            raise MetastoreError("connection lost")

    return before


def test_a_lost_answer_over_a_base_that_is_left_is_not_committed(world: World) -> None:
    """The lineage shows that it went on without us: compare-and-swap refuses what is under way."""
    world.published()
    ours = world.begun()
    world.metastore.before = another_first(world, "alter_table")
    with pytest.raises(ConcurrentWriteError):
        ours.commit()
    ours.abort("conflict")
    assert ours.outcome is Outcome.NOT_COMMITTED
    assert ours.version not in world.versions_on_storage()


def test_a_lost_creation_under_anothers_table_is_unknown(world: World) -> None:
    """Theirs may be dropped before our request arrives, and nothing would refuse it then."""
    ours = world.begun()
    world.metastore.before = another_first(world, "create_table")
    with pytest.raises(CommitStateUnknownError):
        ours.commit()
    stays(world, ours)


def test_a_lost_answer_under_a_lock_alone_is_unknown(world: World) -> None:
    """Without compare-and-swap the request is let through whenever it arrives."""
    world.metastore.compares = False
    world.published()
    ours = world.begun()

    def another_and_lost(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            theirs = fenced(FileBase(world.target), world.clock.wall)
            assert theirs is not None
            world.metastore.alter_table(theirs, None)
            raise MetastoreError("connection lost")

    world.metastore.before = another_and_lost
    with pytest.raises(CommitStateUnknownError):
        ours.commit()
    stays(world, ours)


def test_an_unreadable_target_after_the_call_is_unknown(world: World) -> None:
    """Only that read decides."""
    ours = world.begun()

    def metastore_dies(call: str) -> None:
        if "create_table" in world.metastore.calls and call == "get_table":
            raise MetastoreError("connection refused")

    world.metastore.calls.clear()
    world.metastore.before = metastore_dies
    with pytest.raises(CommitStateUnknownError):
        ours.commit()
    stays(world, ours)


def test_a_stale_entry_over_our_commit_deletes_nothing(world: World) -> None:
    """A writer that follows no protocol has reverted it: both versions stay."""
    first = world.published()
    before, ours = world.target, world.begun()
    world.once_after("alter_table", lambda: world.metastore.tables.update({TARGET_NAME: before}))
    with pytest.raises(ConcurrentWriteError, match="reverted"):
        ours.commit()
    stays(world, ours)
    assert world.shown == first.version


@pytest.mark.parametrize("failure", [None, EntryModifiedError("the second try")])
def test_our_version_without_our_marker_is_unknown(
    world: World, failure: MetastoreError | None
) -> None:
    """Somebody's entry shows our directory: whatever the call said, it is not ours to delete."""
    world.published()
    ours = world.begun()

    def unmarked() -> None:
        marked = world.target
        kept = {k: v for k, v in marked.parameters.items() if k != COMMIT}
        world.metastore.tables[TARGET_NAME] = replace(marked, parameters=kept)
        if failure is not None:
            raise failure

    world.once_after("alter_table", unmarked)
    with pytest.raises(StagingError):
        ours.commit()
    stays(world, ours)


@pytest.mark.parametrize("broken", [KeyboardInterrupt(), SystemExit(1), RuntimeError("py4j")])
def test_a_call_that_is_broken_off_is_unknown(world: World, broken: BaseException) -> None:
    """Ctrl-C inside the call says nothing of its fate: what may be live is left."""
    world.published()
    ours = world.begun()

    def break_off() -> None:
        raise broken

    world.once_after("alter_table", break_off)
    with pytest.raises(type(broken)):
        ours.commit()
    stays(world, ours)
    assert world.shown == ours.version


def test_a_refused_entry_leaves_the_target(world: World) -> None:
    """The metastore's own words are in the message, and the version is removed."""
    world.published()
    before, ours = world.target, world.begun()

    def refuse(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None  # of the record nothing is refused
            raise RefusedError("no such serde")

    world.metastore.before = refuse
    with pytest.raises(CommitRefusedError, match="no such serde"):
        ours.commit()
    ours.abort("failed")
    assert world.target is before
    assert ours.version not in world.versions_on_storage() | world.records()


def test_the_target_becomes_external(world: World) -> None:
    """A managed one at a custom location would be emptied by a rename."""
    world.published()
    world.makes_managed()
    world.published()
    assert world.target.table_type == "EXTERNAL_TABLE"
