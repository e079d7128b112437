"""Every behaviour of the contract, on every catalog that claims it."""

import pytest
from _pytest.mark import ParameterSet

from contract.cases import Case, MakeSubject, cases, chosen, every_pair
from contract.claims import CLAIMS
from long import long

HAD_BY_OTHERS = ("orc", "partitioned")
OTHERS = ("parquet", "changing", *HAD_BY_OTHERS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each case of the chosen catalogs."""
    found = [*cases(chosen(metafunc.config), pairs=every_pair(metafunc.config))]
    layouts: dict[object, list[str]] = {}
    for case in found:
        layouts.setdefault(same(case), []).append(case.layout)
    metafunc.parametrize("case", [brief(case, layouts[same(case)]) for case in found], ids=str)


def same(case: Case) -> object:
    """What identifies a behaviour at a level, whatever the layout."""
    return case.place, case.level, case.function


def brief(case: Case, layouts: list[str]) -> Case | ParameterSet:
    """A case; a long one if its layout has nothing that the behaviour's other cases have not.

    One layout of a format is enough. Of files, ``changing`` has both file formats, and partitions.
    """
    if case.place.startswith("fakes"):
        return case
    if CLAIMS[case.place].native_format:
        return case if case.layout == layouts[0] else long(case)
    return long(case) if case.layout in HAD_BY_OTHERS and {*OTHERS} <= {*layouts} else case


def test_the_catalog_keeps_the_contract(case: Case, make_subject: MakeSubject) -> None:
    """The catalog does what the case's docstring says, for its purpose, at its level and layout."""
    case.function(make_subject(case))
