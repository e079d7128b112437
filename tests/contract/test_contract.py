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
    """One test for each case of the chosen catalogs; on fakes, for all of a behaviour at a level.

    Those are thousands, and take less time than it takes to run each as a test.
    """
    found = [*cases(chosen(metafunc.config), pairs=every_pair(metafunc.config))]
    alike: dict[object, list[Case]] = {}
    for case in found:
        alike.setdefault(same(case), []).append(case)
    some: list[tuple[Case, ...] | ParameterSet] = []
    for each in alike.values():
        some += [tuple(each)] if is_fake(each[0]) else [brief(case, each) for case in each]
    metafunc.parametrize("some", some, ids=named)


def is_fake(case: Case) -> bool:
    """True if no catalog has to be started."""
    return case.place.startswith("fakes")


def named(some: tuple[Case, ...]) -> str:
    """The one case, or what they have in common."""
    first = some[0]
    if is_fake(first):
        return f"{first.place}-{first.level.value}-{first.name}"
    return str(first)


def same(case: Case) -> object:
    """What identifies a behaviour at a level, whatever the layout, and how it ends.

    Purposes that end the same way ask the same of a catalog: what else they differ in, the core
    decides, as the fakes show for each of them.
    """
    cell = case.function.keywords["cell"] if isinstance(case.function, partial) else None
    end = None if cell is None or cell.before_the_job or is_fake(case) else cell.after
    return case.place, case.level, case.name, end


def brief(case: Case, alike: list[Case]) -> tuple[Case, ...] | ParameterSet:
    """A case; a long one if those that are alike ask the same, in layouts that have the same.

    One layout of a format is enough. Of files, ``changing`` has both file formats, and partitions.
    """
    return long((case,)) if has_nothing_new(case, alike) else (case,)


def has_nothing_new(case: Case, alike: list[Case]) -> bool:
    """True if another of those asks the same, in a layout that has the same."""
    if case.function not in OF_LAYOUTS:
        return case is not alike[-1]
    layouts = [one.layout for one in alike]
    if CLAIMS[case.place].native_format:
        return case.layout != layouts[0]
    return case.layout in HAD_BY_OTHERS and {*OTHERS} <= {*layouts}


def test_the_catalog_keeps_the_contract(some: tuple[Case, ...], make_subject: MakeSubject) -> None:
    """The catalog does what a case's docstring says, for its purpose, at its level and layout."""
    for case in some:
        keep(case, make_subject)


def keep(case: Case, make_subject: MakeSubject) -> None:
    """Return if the catalog does so; the error names the case."""
    try:
        case.function(make_subject(case))
    except (Exception, pytest.fail.Exception) as error:
        raise AssertionError(f"{case}: {error}") from error
