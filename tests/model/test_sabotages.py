"""The search finds what is broken: it can tell."""

from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.world import TARGET_NAME
from model import sabotages
from model.attempts import Plan
from model.faults import Fate, Fault
from model.machine import Lives
from model.sabotages import Sabotage
from model.users import Statement


@pytest.mark.parametrize(
    "sabotage",
    [
        sabotages.no_reference_check,
        sabotages.superseded_for_long,
        sabotages.leases_are_not_looked_at,
        sabotages.partitions_tracked_by_the_swap,
        sabotages.creations_are_not_waited_for,
    ],
)
def test_a_sabotage_is_found(
    sabotage: Sabotage, search_settings: settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With this fault some life of a table breaks an invariant, and it is found in time."""
    sabotage(monkeypatch)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Lives, settings=search_settings)


def sleeps_through_a_clean_up(life: Lives) -> None:
    """A writer is suspended in its commit call, is swept meanwhile, and wakes up."""
    asleep = Fault(Fate.SLEEPS_BEFORE, 0)
    life.publishes(number=7, at_home=True, plan=Plan(), fault=None, after=0)
    life.publishes(number=7, at_home=True, plan=Plan(), fault=asleep, after=240)
    at_once = RetentionRules(versions_to_keep=0, grace_ms=0)
    life.cleans(at_home=True, table=TARGET_NAME, rules=at_once, fault=None, after=0)
    life.goes_on(number=0, fault=None)
    life.holds()


def wakes_up_between_fence_and_record(life: Lives) -> None:
    """A clean-up is slow after its fence; the writer wakes up, takes the fence as its base."""
    asleep, slow = Fault(Fate.SLEEPS_BEFORE, 0), Fault(Fate.HELD_BEFORE, 2)
    life.publishes(number=7, at_home=True, plan=Plan(), fault=None, after=0)
    life.publishes(number=7, at_home=True, plan=Plan(), fault=asleep, after=240)
    at_once = RetentionRules(versions_to_keep=0, grace_ms=0)
    life.cleans(at_home=True, table=TARGET_NAME, rules=at_once, fault=slow, after=0)
    life.goes_on(number=1, fault=None)
    life.goes_on(number=0, fault=None)
    life.holds()


def loses_an_answer(life: Lives) -> None:
    """A commit had its effect, and its client gets an error."""
    life.publishes(number=7, at_home=True, plan=Plan(), fault=None, after=0)
    lost = Fault(Fate.LOST_AFTER, 0)
    life.publishes(number=7, at_home=True, plan=Plan(), fault=lost, after=0)
    life.holds()


def replaces_a_cloned_table(life: Lives) -> None:
    """A user's managed table has a clone when it is replaced."""
    life.user(number=1, statement=Statement.CREATE, table=TARGET_NAME)
    life.user(number=1, statement=Statement.CLONE, table=TARGET_NAME)
    life.publishes(number=7, at_home=True, plan=Plan(), fault=None, after=0)
    at_once = RetentionRules(versions_to_keep=0, grace_ms=0)
    life.cleans(at_home=True, table=TARGET_NAME, rules=at_once, fault=None, after=0)
    life.holds()


def replaces_a_table_that_is_read(life: Lives) -> None:
    """A user's managed table was replaced just now."""
    life.user(number=1, statement=Statement.CREATE, table=TARGET_NAME)
    life.publishes(number=7, at_home=True, plan=Plan(), fault=None, after=0)
    life.cleans(at_home=True, table=TARGET_NAME, rules=RetentionRules(), fault=None, after=0)
    life.holds()


@pytest.mark.parametrize(
    ("sabotage", "happens"),
    [
        (sabotages.no_fence, sleeps_through_a_clean_up),
        (sabotages.record_moved_blindly, wakes_up_between_fence_and_record),
        (sabotages.an_error_means_not_committed, loses_an_answer),
        (sabotages.a_managed_tables_files_go_unseen, replaces_a_cloned_table),
        (sabotages.a_managed_tables_files_go_at_once, replaces_a_table_that_is_read),
    ],
)
def test_a_rare_life_shows_a_sabotage(
    sabotage: Sabotage, happens: Callable[[Lives], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search comes across it too seldom for CI; the checks see it all the same."""
    kept = Lives()
    happens(kept)
    kept.teardown()
    sabotage(monkeypatch)
    broken = Lives()
    with pytest.raises(AssertionError):
        happens(broken)
    broken.gives_up()
