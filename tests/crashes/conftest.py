"""The catalogs on which runs crash, and the table of what came of it."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from contract.claims import CHOICES
from crashes.cases import DEFAULT_CHOICES
from crashes.results import Results
from crashes.stage import Stage

RESULTS = pytest.StashKey[Results]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The catalogs and the size of the matrix can be chosen."""
    parser.addoption(
        "--catalog",
        action="append",
        choices=sorted(CHOICES),
        help=f"crash runs on this catalog; may be repeated (default: {DEFAULT_CHOICES})",
    )
    parser.addoption(
        "--every-layout",
        action="store_true",
        help="crash at each side of each step at every level in every layout on real catalogs too",
    )
    parser.addoption(
        "--every-point",
        action="store_true",
        help="crash at every point of every scenario, level and layout on real catalogs too",
    )
    parser.addoption(
        "--crash-report", type=Path, help="write the numbers of the table to this file, as JSON"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Nothing was tried yet."""
    config.stash[RESULTS] = Results()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the table, and write it where the option says."""
    results = config.stash[RESULTS]
    if not results.all:
        return
    terminalreporter.section("crashes survived, of crashes tried")
    for line in results.lines():
        terminalreporter.line(line)
    report = config.getoption("--crash-report")
    if report is not None:
        results.write(report)


@pytest.fixture
def results(pytestconfig: pytest.Config) -> Results:
    """Of all tests so far."""
    return pytestconfig.stash[RESULTS]


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One for the whole suite."""
    with ExitStack() as places:
        yield Stage(tmp_path_factory.mktemp("crashes"), places)
