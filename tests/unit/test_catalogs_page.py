"""docs/catalogs.md says what the code says, and the code what the suites hold it to."""

import pytest

from contract.claims import CLAIMS
from contract.reached import PAGE, Line, lines, page
from ctas_spark.context import Atomicity

CLAIMED = [line for line in lines() if line.claims]


def test_the_page_is_what_its_command_writes() -> None:
    """No line of its tables was written by hand."""
    assert PAGE.read_text() == page(PAGE.read_text())


@pytest.mark.parametrize("line", CLAIMED, ids=lambda line: line.catalog)
def test_the_contract_suite_claims_the_same(line: Line) -> None:
    """Level and conflict check."""
    for name in line.claims:
        claim = CLAIMS[name]
        assert line.found.conflict_check is claim.conflict_check
        assert line.found.reaches is claim.strongest


def test_what_is_not_isolated_says_why_and_what_would_be() -> None:
    """Each line of the table, for the error that a level asked for by name ends with."""
    for line in lines():
        weak = line.found.reaches is not Atomicity.ISOLATED
        assert (bool(line.found.missing), bool(line.found.remedy)) == (weak, weak), line.catalog
