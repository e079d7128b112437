"""The contract fails where the product is broken: it can tell."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from contract.behaviours import ALL
from contract.behaviours.branches import publishes_no_rows_that_are_not_whole
from contract.behaviours.clean_up import (
    believes_no_foreign_record,
    gives_back_what_lands_late,
    gives_back_what_lands_meanwhile,
    keeps_what_may_still_land,
    leaves_what_is_staged_for_another_table,
)
from contract.behaviours.conflicts import (
    names_the_winner_of_a_lost_race,
    refuses_over_an_entry_that_another_altered,
)
from contract.behaviours.publication import (
    changes_nothing_before_the_commit,
    changes_nothing_of_a_plain_table_before_the_commit,
    publishes_nothing_that_is_not_whole,
    replaces_everything_together,
    takes_over_a_plain_table,
)
from contract.behaviours.readers import leaves_the_old_version_to_its_readers
from contract.behaviours.registry import Function
from contract.cases import Case, MakeSubject, chosen, every_pair
from contract.claims import CLAIMS
from contract.format_sabotages import (
    native_age_alone_decides,
    native_drop_and_create,
    native_files_are_not_looked_for,
    native_foreign_records_are_believed,
    native_no_base_check,
    native_nobody_looks_again,
)
from contract.places import Claim
from contract.sabotages import (
    Sabotage,
    age_alone_decides,
    clean_up_before_the_commit,
    drop_and_create,
    foreign_records_are_believed,
    marker_seeded_at_begin,
    no_base_check,
    nobody_counts_the_files,
    nobody_looks_again,
    stale_partitions,
)
from ctas_spark.context import StagingPurpose
from ctas_spark.errors import StagingError

NOTICED = (AssertionError, StagingError, pytest.fail.Exception)


@dataclass(frozen=True, slots=True)
class Noticed:
    """A sabotage, and a behaviour that the sabotaged product does not show."""

    sabotage: Sabotage
    behaviour: Function
    layout: str = "parquet"

    def is_for(self, claim: Claim) -> bool:
        """True if a catalog of that claim has to show the behaviour."""
        return any(
            one.function is self.behaviour and one.is_for(claim, claim.levels[0]) for one in ALL
        )

    def on(self, place: str) -> Case:
        """The behaviour on a catalog."""
        name = f"{self.sabotage.__name__}-{self.behaviour.__name__}"
        purpose = StagingPurpose.CREATE_OR_REPLACE
        layout = CLAIMS[place].native_format or self.layout
        strongest = CLAIMS[place].levels[0]
        return Case(place, strongest, layout, purpose, self.behaviour, name)


NOTICED_BY = (
    Noticed(drop_and_create, replaces_everything_together),
    Noticed(drop_and_create, takes_over_a_plain_table),
    Noticed(no_base_check, names_the_winner_of_a_lost_race),
    Noticed(no_base_check, refuses_over_an_entry_that_another_altered),
    Noticed(stale_partitions, takes_over_a_plain_table, "partitioned"),
    Noticed(stale_partitions, replaces_everything_together, "changing"),
    Noticed(clean_up_before_the_commit, leaves_the_old_version_to_its_readers),
    Noticed(clean_up_before_the_commit, replaces_everything_together, "changing"),
    Noticed(marker_seeded_at_begin, changes_nothing_before_the_commit, "orc"),
    Noticed(marker_seeded_at_begin, changes_nothing_of_a_plain_table_before_the_commit),
    Noticed(nobody_counts_the_files, publishes_nothing_that_is_not_whole),
    Noticed(foreign_records_are_believed, believes_no_foreign_record),
    Noticed(age_alone_decides, keeps_what_may_still_land),
    Noticed(nobody_looks_again, gives_back_what_lands_meanwhile),
)

OF_FORMATS_NOTICED_BY = (
    Noticed(native_drop_and_create, replaces_everything_together),
    Noticed(native_no_base_check, names_the_winner_of_a_lost_race),
    Noticed(marker_seeded_at_begin, changes_nothing_before_the_commit),
    Noticed(native_files_are_not_looked_for, publishes_nothing_that_is_not_whole),
    Noticed(native_files_are_not_looked_for, publishes_no_rows_that_are_not_whole),
    Noticed(native_foreign_records_are_believed, leaves_what_is_staged_for_another_table),
    Noticed(native_age_alone_decides, keeps_what_may_still_land),
    Noticed(native_nobody_looks_again, gives_back_what_lands_late),
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each sabotage on each chosen catalog that can show it."""
    pairs = every_pair(metafunc.config)
    found = [
        pytest.param(noticed.sabotage, noticed.on(place), id=str(noticed.on(place)))
        for place in chosen(metafunc.config)
        for noticed in _noticed_on(place, pairs=pairs)
    ]
    metafunc.parametrize(("sabotage", "case"), found)


def _noticed_on(place: str, *, pairs: bool) -> tuple[Noticed, ...]:
    claim = CLAIMS[place]
    ways = OF_FORMATS_NOTICED_BY if claim.native_format else NOTICED_BY
    noticed = [one for one in ways if one.is_for(claim)]
    return tuple(noticed) if pairs or place.startswith("fakes") else _first_of_each(noticed)


def _first_of_each(noticed: Sequence[Noticed]) -> tuple[Noticed, ...]:
    """One behaviour for each sabotage."""
    return tuple({one.sabotage: one for one in noticed[::-1]}.values())


def test_a_sabotage_is_noticed(
    sabotage: Sabotage, case: Case, make_subject: MakeSubject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The product keeps this part of the contract, and with this fault it does not."""
    case.function(make_subject(case))
    sabotaged = make_subject(case)
    sabotage(sabotaged, monkeypatch)
    with pytest.raises(NOTICED):
        case.function(sabotaged)
