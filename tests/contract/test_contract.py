"""Every behaviour of the contract, on every catalog that claims it."""

from functools import partial

import pytest
from _pytest.mark import ParameterSet

from contract.behaviours import ALL
from contract.behaviours.registry import Layouts
from contract.cases import Case, MakeSubject, cases, chosen, every_pair
from contract.claims import CLAIMS
from long import long

HAD_BY_OTHERS = ("orc", "partitioned")
OTHERS = ("parquet", "changing", *HAD_BY_OTHERS)
OF_LAYOUTS = {one.function for one in ALL if one.layouts is not Layouts.TURNS}
"""What runs in a layout for its own sake."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each case of the chosen catalogs."""
    found = [*cases(chosen(metafunc.config), pairs=every_pair(metafunc.config))]
    alike: dict[object, list[Case]] = {}
    for case in found:
        alike.setdefault(same(case), []).append(case)
    metafunc.parametrize("case", [brief(case, alike[same(case)]) for case in found], ids=str)


def same(case: Case) -> object:
    """What identifies a behaviour at a level, whatever the layout, and how it ends.

    Purposes that end the same way ask the same of a catalog: what else they differ in, the core
    decides, as the fakes show for each of them.
    """
    cell = case.function.keywords["cell"] if isinstance(case.function, partial) else None
    end = None if cell is None or cell.before_the_job else cell.after
    return case.place, case.level, case.name, end


def brief(case: Case, alike: list[Case]) -> Case | ParameterSet:
    """A case; a long one if those that are alike ask the same, in layouts that have the same.

    One layout of a format is enough. Of files, ``changing`` has both file formats, and partitions.
    """
    if case.place.startswith("fakes"):
        return case
    if case.function not in OF_LAYOUTS:
        return case if case is alike[-1] else long(case)
    layouts = [one.layout for one in alike]
    if CLAIMS[case.place].native_format:
        return case if case.layout == layouts[0] else long(case)
    return long(case) if case.layout in HAD_BY_OTHERS and {*OTHERS} <= {*layouts} else case


def test_the_catalog_keeps_the_contract(case: Case, make_subject: MakeSubject) -> None:
    """The catalog does what the case's docstring says, for its purpose, at its level and layout."""
    case.function(make_subject(case))
