"""What an abort removes of a version of files, and what it leaves."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from ctas_spark.context import TableLayout
from ctas_spark.errors import (
    ConcurrentWriteError,
    MetastoreError,
    NoSuchVersionError,
)
from ctas_spark.publish.version import Outcome
from fakes.clock import START_MS
from fakes.records import drops_the_target
from fakes.world import AT_ONCE, CONTEXT, Staged, World, version_of

START = START_MS // 1000


def test_an_abort_removes_files_and_record(world: World) -> None:
    """Nothing of the version is left, and it may be repeated."""
    ours = world.begun()
    ours.abort("failed")
    ours.abort("again")
    assert ours.outcome is Outcome.NOT_COMMITTED
    assert (world.versions_on_storage(), world.records()) == (set(), set())
    assert (world.job.stopped, ours.left_behind) == (1, [])


def test_an_abort_before_the_job_has_nothing_to_fail_on(world: World) -> None:
    """There is neither a directory nor a record yet."""
    ours = world.plan().begin()
    ours.abort("a hook failed")
    assert ours.left_behind == []


def test_an_abort_after_a_commit_does_nothing(world: World) -> None:
    """A published version can't be aborted."""
    ours = world.published()
    ours.abort("a post-hook failed")
    assert world.target.directory_name == ours.version
    assert ours.version in world.versions_on_storage() & world.records()


def test_an_abort_that_can_not_delete_says_what_it_left(world: World) -> None:
    """The record stays: a clean-up finds the files by it, wherever they are."""
    ours = world.begun()
    world.storage.refuses = True
    ours.abort("disk full")
    assert ours.left_behind == [f"directory {version_of(ours).directory}"]
    world.storage.refuses = False
    world.grow_old()
    elsewhere = world.context(layout=TableLayout(location_root="file:/new"))
    vacuum = replace(AT_ONCE, orphan_age_ms=0, thorough=True)
    world.catalog().clean_up(elsewhere, vacuum)
    assert not world.storage.exists(version_of(ours).directory)


def no_answer_to(refused: str) -> Callable[[str], None]:
    """What happens before each call of the metastore: this one fails."""

    def refuse(call: str) -> None:
        if call == refused:
            raise MetastoreError("no answer")

    return refuse


def test_an_abort_that_can_not_reach_the_metastore_says_so(world: World) -> None:
    """A clean-up finds the record when it is old."""
    ours = world.begun()
    world.metastore.before = no_answer_to("drop_entry")
    ours.abort("failed")
    assert ours.left_behind == [f"record {version_of(ours).record}"]


def test_a_directory_that_fills_again_is_given_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A delete that does not take effect ends in a sentence, not in a loop."""
    ours = world.begun()
    monkeypatch.setattr(world.storage, "delete", lambda _path: None)
    ours.abort("failed")
    assert ours.left_behind == [f"directory {version_of(ours).directory}"]


def staged_before_a_drop(world: World) -> tuple[Staged, Staged]:
    """A version whose run still works, and another's since: a rollback by name takes the first."""
    world.published()
    ours = world.begun()
    drops_the_target(world)
    world.clock.pass_ms(60_000)
    return ours, world.published()


def test_an_abort_leaves_what_a_rollback_by_name_has_published(world: World) -> None:
    """A run that still staged it finds the rollback's commit, and its version is the table."""
    ours, _ = staged_before_a_drop(world)
    world.catalog().roll_back(CONTEXT, ours.version)
    with pytest.raises(ConcurrentWriteError):
        ours.commit()
    ours.abort("failed")
    assert world.target.directory_name == ours.version
    assert ours.version in world.versions_on_storage() & world.records()


def test_what_a_rollback_may_have_taken_stays(world: World) -> None:
    """No answer is no proof that it has not: a clean-up finds the version by its record."""
    world.published()
    ours = world.begun()
    world.metastore.before = no_answer_to("get_table")
    ours.abort("failed")
    world.metastore.before = lambda _call: None
    assert [one.split()[0] for one in ours.left_behind] == ["directory", "record"]
    assert ours.version in world.versions_on_storage() & world.records()


def test_no_rollback_takes_what_an_abort_deletes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the two only one gets the record: else a table would show files that go."""
    ours, other = staged_before_a_drop(world)
    delete = world.storage.delete

    def roll_back_first(path: str) -> None:
        monkeypatch.setattr(world.storage, "delete", delete)
        with pytest.raises(NoSuchVersionError):
            world.catalog().roll_back(CONTEXT, ours.version)
        delete(path)

    monkeypatch.setattr(world.storage, "delete", roll_back_first)
    ours.abort("failed")
    assert world.target.directory_name == other.version
    assert ours.left_behind == []
    assert ours.version not in world.versions_on_storage() | world.records()


def test_an_abort_leaves_what_a_rollback_takes_at_the_same_moment(world: World) -> None:
    """The compare-and-swap of the record decides."""
    ours, _ = staged_before_a_drop(world)

    def roll_back(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            world.catalog().roll_back(CONTEXT, ours.version)

    world.metastore.before = roll_back
    ours.abort("failed")
    assert world.target.directory_name == ours.version
    assert ours.version in world.versions_on_storage() & world.records()


def test_an_abort_of_a_rollback_deletes_nothing(world: World) -> None:
    """The version was there before, and may be published again."""
    old, new = world.published(), world.published()
    rival = world.begun()

    alters: list[str] = []

    def commit_rival(call: str) -> None:
        alters.extend([call] if call == "alter_table" else [])
        if len(alters) == 2:  # the first moves the record
            world.metastore.before = lambda _call: None
            rival.commit()

    world.metastore.before = commit_rival
    with pytest.raises(ConcurrentWriteError):
        world.catalog().roll_back(CONTEXT)
    assert world.target.directory_name == rival.version
    assert {old.version, new.version} <= world.versions_on_storage() & world.records()
