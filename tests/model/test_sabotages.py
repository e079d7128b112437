"""The search finds what is broken: it can tell."""

from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from ctas_spark.retention.rules import RetentionRules
from fakes.world import STAGING_SCHEMA, TARGET_NAME
from model import sabotages
from model.attempts import OTHER_SCHEMA, Plan
from model.faults import Fate, Fault
from model.machine import Lives
from model.sabotages import Sabotage
from model.users import Statement

AT_ONCE = RetentionRules(versions_to_keep=0, grace_ms=0)
VACUUM = RetentionRules(versions_to_keep=0, grace_ms=0, orphan_age_ms=0, fences=True, thorough=True)
LONG = 1_000
"""A search ends with the first life that breaks; some faults show in few."""
HELD, ASLEEP = Fault(Fate.HELD_BEFORE, 0), Fault(Fate.SLEEPS_BEFORE, 0)


@pytest.mark.parametrize(
    "sabotage",
    [
        sabotages.the_target_is_not_looked_at_again,
        sabotages.no_clone_is_looked_for,
        sabotages.ages_are_not_looked_at,
        sabotages.superseded_for_long,
        sabotages.any_publication_begins_the_grace,
        sabotages.partitions_tracked_by_the_swap,
        sabotages.columns_stay_unfilled,
    ],
)
def test_a_sabotage_is_found(
    sabotage: Sabotage, search_settings: settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With this fault some life of a table breaks an invariant, and it is found in time."""
    sabotage(monkeypatch)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Lives, settings=settings(search_settings, max_examples=LONG))  # type: ignore[no-untyped-call, unused-ignore]


def builds(life: Lives, fault: Fault | None = None, plan: Plan | None = None) -> None:
    """A model goes through its steps, as far as the fault lets it."""
    life.publishes(number=7, plan=plan or Plan(), fault=fault, after=0)


def cleans(life: Lives, rules: RetentionRules = VACUUM, fault: Fault | None = None) -> None:
    """Another run cleans up."""
    life.cleans(table=TARGET_NAME, schema=STAGING_SCHEMA, rules=rules, fault=fault, after=0)


def misses_an_insert(life: Lives) -> None:
    """A user inserts rows while a version is staged that carries the old ones on."""
    builds(life)
    life.begins(number=7, plan=Plan(reads=True), fault=None)
    life.user(number=0, statement=Statement.INSERT, table=TARGET_NAME)
    life.commits(number=0, fault=None)
    life.holds()


def is_swept_in_its_commit(life: Lives) -> None:
    """A writer is suspended in its commit call, and a clean-up with an orphan age of 0 comes by."""
    builds(life)
    builds(life, ASLEEP)
    cleans(life, RetentionRules(orphan_age_ms=0))
    life.goes_on(number=0, fault=None)
    life.holds()


def rolls_back_during_a_clean_up(life: Lives) -> None:
    """A rollback has found a version, and a clean-up has looked that nobody shows it."""
    builds(life)
    builds(life)
    life.rolls_back(number=7, schema=STAGING_SCHEMA, table=TARGET_NAME, fault=HELD)
    cleans(life, AT_ONCE, Fault(Fate.HELD_BEFORE, 1))
    life.goes_on(number=1, fault=None)
    life.goes_on(number=0, fault=None)
    life.holds()


def sleeps_in_a_creation(life: Lives) -> None:
    """A writer is suspended as it creates its table, is swept meanwhile, and wakes up."""
    builds(life, ASLEEP)
    cleans(life)
    life.goes_on(number=0, fault=None)
    life.holds()


def loses_an_answer(life: Lives) -> None:
    """A commit had its effect, and its client gets an error."""
    builds(life)
    builds(life, Fault(Fate.LOST_AFTER, 0))
    life.holds()


def replaces_a_cloned_table(life: Lives) -> None:
    """A user's managed table has a clone when it is replaced."""
    life.user(number=1, statement=Statement.CREATE, table=TARGET_NAME)
    life.user(number=1, statement=Statement.CLONE, table=TARGET_NAME)
    builds(life)
    cleans(life)
    life.holds()


def replaces_a_table_that_is_read(life: Lives) -> None:
    """A user's managed table was replaced just now."""
    life.user(number=1, statement=Statement.CREATE, table=TARGET_NAME)
    builds(life)
    cleans(life, RetentionRules(thorough=True))
    life.holds()


def loses_a_file(life: Lives) -> None:
    """A file of what was staged is gone when it is to be published."""
    life.begins(number=7, plan=Plan(), fault=None)
    life.a_file_vanishes(number=0)
    life.commits(number=0, fault=None)
    life.holds()


def copies_a_record(life: Lives) -> None:
    """A user copies the record of another staging schema's version, which is then given up."""
    life.begins(number=7, plan=Plan(staging_schema=OTHER_SCHEMA), fault=None)
    life.user(number=0, statement=Statement.COPY_RECORD, table=TARGET_NAME)
    life.aborts(number=0, fault=None)
    cleans(life)
    life.holds()


def is_renamed_between_two_vacuums(life: Lives) -> None:
    """A run cleans up again after a table was built, and renamed, that its search has not met."""
    builds(life)
    builds(life)
    cleans(life)
    builds(life)
    builds(life)
    life.user(number=0, statement=Statement.RENAME, table=TARGET_NAME)
    cleans(life)
    cleans(life)
    life.holds()


@pytest.mark.parametrize("skipped", range(6))
def test_a_swept_creation_is_not_said_to_be_committed(skipped: int) -> None:
    """Whichever answer is lost to the writer that wakes up, and looks for its record."""
    life = Lives()
    builds(life, ASLEEP)
    cleans(life)
    life.goes_on(number=0, fault=Fault(Fate.LOST_AFTER, skipped, reads_too=True))
    life.holds()
    life.gives_up()


@pytest.mark.parametrize(
    ("sabotage", "happens"),
    [
        (sabotages.inserts_are_not_looked_for, misses_an_insert),
        (sabotages.age_alone_decides, is_swept_in_its_commit),
        (sabotages.record_moved_blindly, rolls_back_during_a_clean_up),
        (sabotages.swept_creations_stay, sleeps_in_a_creation),
        (sabotages.an_error_means_not_committed, loses_an_answer),
        (sabotages.files_are_not_counted, loses_a_file),
        (sabotages.foreign_records_are_trusted, copies_a_record),
        (sabotages.a_managed_tables_files_go_at_once, replaces_a_table_that_is_read),
        (sabotages.a_managed_tables_files_go_unseen, replaces_a_cloned_table),
        (sabotages.a_search_outlives_what_is_taken, is_renamed_between_two_vacuums),
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
