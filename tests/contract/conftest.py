"""The catalogs of the contract, each started once for the whole suite."""

import itertools
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from contract.cases import Case, MakeSubject
from contract.claims import CHOICES, DEFAULT_CHOICES
from contract.contents import LAYOUTS
from contract.entries import Entry, SavedSubject
from contract.fake_place import FakePlace
from contract.places import Place
from contract.real_places import RealPlaces
from contract.subjects import Subject
from ctas_spark.context import TableName

_numbers = itertools.count(1)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The catalogs can be chosen."""
    parser.addoption(
        "--catalog",
        action="append",
        choices=sorted(CHOICES),
        help=f"run the contract on this catalog; may be repeated (default: {DEFAULT_CHOICES})",
    )
    parser.addoption(
        "--every-pair",
        action="store_true",
        help="run each behaviour for each pair of layout and purpose on real catalogs too",
    )
    parser.addoption(
        "--entry",
        type=Entry,
        choices=list(Entry),
        default=Entry.TURNS,
        help="how attempts on real catalogs enter the product (default: each case one of two ways)",
    )


@pytest.fixture(scope="session")
def real_places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealPlaces]:
    """The real catalogs, for the whole suite."""
    with ExitStack() as open_places:
        yield RealPlaces(tmp_path_factory.mktemp("contract"), open_places)


@pytest.fixture
def make_subject(request: pytest.FixtureRequest) -> Iterator[MakeSubject]:
    """Makes subjects whose invocations end with the test."""
    made: list[Subject] = []
    entry: Entry = request.config.getoption("--entry")

    def make(case: Case) -> Subject:
        place: Place = (
            FakePlace(case.place)
            if case.place.startswith("fakes")
            else request.getfixturevalue("real_places")[case.place]
        )
        target = TableName(place.schema, f"t{next(_numbers)}", place.catalog)
        run = place.open_run()
        layout = LAYOUTS[case.layout]
        kind = SavedSubject if entry.is_by_save_as(case) else Subject
        made.append(kind(place, run, target, case.purpose, case.level, layout))
        return made[-1]

    yield make
    for subject in made:
        subject.run.close()
