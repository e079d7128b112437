"""Others drop, rename, alter or clone the target while a run builds it."""

import pytest

from ctas_spark.steps import Step
from faults.moments import before
from faults.numbered import NOTHING_KEPT, TABLE, Numbered
from faults.other_process import other_dbt
from faults.someone import Someone


@pytest.fixture
def someone(numbered: Numbered) -> Someone:
    """Somebody at work on the same table, which exists."""
    numbered.publish(1)
    return Someone(numbered)


def test_a_dropped_target_is_created_again(numbered: Numbered, someone: Someone) -> None:
    """The purpose allows to create: the run says that it did."""
    with before(Step.COMMIT, someone.drop):
        run = numbered.run(2, **NOTHING_KEPT)
    assert run.success, run.log
    assert run.response(TABLE)["commit_strategy"] == "create"
    assert "dropped" in run.log
    assert numbered.number() == 2


def test_a_renamed_target_keeps_its_rows(numbered: Numbered, someone: Someone) -> None:
    """The run creates its table again, and no clean-up takes the files of the renamed one."""
    with before(Step.COMMIT, lambda: someone.rename("renamed")):
        numbered.publish(2, **NOTHING_KEPT)
    numbered.publish(3, **NOTHING_KEPT)
    assert numbered.number("renamed") == 1
    assert numbered.number() == 3


def test_a_clone_keeps_its_rows(numbered: Numbered, someone: Someone) -> None:
    """A version that another table shows as well is not deleted under it."""
    with before(Step.COMMIT, lambda: someone.clone("cloned")):
        numbered.publish(2, **NOTHING_KEPT)
    numbered.publish(3, **NOTHING_KEPT)
    assert numbered.number("cloned") == 1
    assert numbered.number() == 3


def test_an_altered_target_is_a_conflict(numbered: Numbered, someone: Someone) -> None:
    """Theirs stays, the run says why, and the next one builds on what is there."""
    with before(Step.COMMIT, someone.alter):
        run = numbered.run(2)
    assert not run.success
    assert "its entry was altered by another program" in run.message(TABLE)
    assert numbered.number() == 1
    numbered.publish(3, **NOTHING_KEPT)
    assert numbered.number() == 3
    assert numbered.outside.parameters(TABLE)["owner_of_the_data"] == "someone"
    numbered.only_live_left()


def test_of_two_runs_from_one_directory_one_wins(numbered: Numbered) -> None:
    """The second begins and commits while the first is about to: the first is told who won."""

    def build_three() -> None:
        with other_dbt(numbered.project, v=3) as run:
            assert run.ended() == 0

    numbered.publish(1)
    with before(Step.COMMIT, build_three):
        run = numbered.run(2)
    assert not run.success
    assert f"version {numbered.version()} was committed" in run.message(TABLE)
    assert numbered.number() == 3
    assert len(numbered.outside.versions()) == 2
    numbered.publish(4, **NOTHING_KEPT)
    numbered.only_live_left()
