"""The promises hold in every order of steps, but for exceptions that have names."""

import pytest

from interleavings.rules import Promise, Rules
from interleavings.scenarios import (
    RENAMED_BACK_AND_AWAY,
    RENAMED_BACK_AND_REPLACED,
    RESTORED_DURING_AN_ABORT,
    SCENARIOS,
    Scenario,
)
from interleavings.search import explore

ENOUGH = 10_000


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_the_promises_hold(scenario: Scenario, states: int) -> None:
    """Whoever acts, pauses or is killed at whichever step."""
    found = explore(scenario, scenario.under(Rules()), states)
    assert found.violations.keys() <= scenario.excepted, str(found)


def test_a_rename_back_and_a_commit_in_a_running_clean_up_break_the_grace() -> None:
    """The one promise that they break: no table ever shows a version without its files."""
    scenario = RENAMED_BACK_AND_REPLACED
    found = explore(scenario, scenario.under(Rules()), ENOUGH)
    assert found.is_whole
    assert found.violations.keys() == {Promise.GRACE}, str(found)


def test_two_renames_in_a_running_clean_up_are_not_met() -> None:
    """A table that comes back, and goes again while it is asked for, can lose its files."""
    scenario = RENAMED_BACK_AND_AWAY
    found = explore(scenario, scenario.under(Rules()), ENOUGH)
    assert found.is_whole
    assert found.violations.keys() == {Promise.LIVE}, str(found)


def test_an_abort_removes_what_a_rollback_by_name_takes_between_its_calls() -> None:
    """What was taken before, it leaves."""
    scenario = RESTORED_DURING_AN_ABORT
    found = explore(scenario, scenario.under(Rules()), ENOUGH)
    assert found.is_whole
    assert found.violations.keys() == {Promise.FILES}, str(found)
    steps = found.violations[Promise.FILES].steps
    assert steps.index("writer of v1 aborts") < steps.index("rollback to v1 takes the record")


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
@pytest.mark.parametrize(("ahead", "shorter"), [(1, 0), (-1, 1)])
def test_a_metastores_clock_shortens_the_grace_only_by_what_it_is_behind(
    scenario: Scenario, ahead: int, shorter: int, states: int
) -> None:
    """A clock that is ahead only keeps versions longer."""
    rules = scenario.under(Rules(ahead=ahead, shorter=shorter))
    found = explore(scenario, rules, states // 4)
    assert found.violations.keys() <= scenario.excepted, str(found)
