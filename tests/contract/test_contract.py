"""Every behaviour of the contract, on every catalog that claims it."""

import pytest

from contract.cases import Case, MakeSubject, cases, chosen, every_pair


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each case of the chosen catalogs."""
    found = cases(chosen(metafunc.config), pairs=every_pair(metafunc.config))
    metafunc.parametrize("case", list(found), ids=str)


def test_the_catalog_keeps_the_contract(case: Case, make_subject: MakeSubject) -> None:
    """The catalog does what the case's docstring says, for its purpose, at its level and layout."""
    case.function(make_subject(case))
