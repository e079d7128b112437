"""Every behaviour of the contract, on every catalog that claims it."""

import pytest
from _pytest.mark import ParameterSet

from contract.cases import Case, MakeSubject, cases, chosen, every_pair
from contract.claims import CLAIMS
from long import long


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each case of the chosen catalogs."""
    found = cases(chosen(metafunc.config), pairs=every_pair(metafunc.config))
    first: dict[object, str] = {}
    metafunc.parametrize("case", [brief(case, first) for case in found], ids=str)


def brief(case: Case, first: dict[object, str]) -> Case | ParameterSet:
    """A case; a long one if it repeats a behaviour of a format in another layout than the first."""
    layout = first.setdefault((case.place, case.function), case.layout)
    repeats = layout != case.layout and CLAIMS[case.place].native_format
    return long(case) if repeats else case


def test_the_catalog_keeps_the_contract(case: Case, make_subject: MakeSubject) -> None:
    """The catalog does what the case's docstring says, for its purpose, at its level and layout."""
    case.function(make_subject(case))
