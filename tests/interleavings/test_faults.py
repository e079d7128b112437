"""The search finds a rule that is broken: it can tell."""

import pytest

from interleavings.rules import Fault, Promise, Rules
from interleavings.scenarios import SCENARIOS
from interleavings.search import explore

ENOUGH = 10_000
NAMED = {one.name: one for one in SCENARIOS}
FOUND = {
    Fault.AGE_ALONE: ("a paused writer, aged", Promise.GRACE),
    Fault.NOBODY_IS_ASKED: ("renamed and built again", Promise.LIVE),
    Fault.RECORD_NOT_TAKEN: ("an aged rollback", Promise.FILES),
    Fault.MAY_LAND_NOT_ASKED: ("a paused writer, aged", Promise.FILES),
    Fault.TARGET_NOT_LAST: ("renamed back in a clean-up", Promise.LIVE),
    Fault.BASE_REPLACED: ("all are kept", Promise.KEEP_KNOWN),
    Fault.EXPECTED_NOT_ASKED: ("a paused writer of a renamed table", Promise.FILES),
    Fault.OLD_PROOF: ("a fence under a paused writer", Promise.GRACE),
    Fault.EARLY_NOTE: ("a vacuum of a renamed table", Promise.GRACE),
}


@pytest.mark.parametrize("fault", Fault)
def test_a_planted_fault_is_found(fault: Fault) -> None:
    """Some order of steps breaks a promise, and the search comes to it in time."""
    name, promise = FOUND[fault]
    scenario = NAMED[name]
    found = explore(scenario, scenario.under(Rules(fault=fault)), ENOUGH, until=promise)
    assert promise in found.violations
    kept = explore(scenario, scenario.under(Rules()), found.expanded)
    assert promise not in kept.violations


def test_a_metastores_clock_that_is_behind_shortens_the_grace() -> None:
    """So the search notices a tick."""
    scenario = NAMED["a paused writer, just now"]
    found = explore(scenario, scenario.under(Rules(ahead=-1)), ENOUGH, until=Promise.GRACE)
    assert Promise.GRACE in found.violations
