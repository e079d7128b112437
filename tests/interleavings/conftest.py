"""How many states are explored; always the same ones."""

import pytest

STATES = 1_000


def pytest_addoption(parser: pytest.Parser) -> None:
    """The number of states."""
    parser.addoption(
        "--states",
        type=int,
        default=STATES,
        help=f"explore this many states of each scenario (default: {STATES})",
    )


@pytest.fixture
def states(request: pytest.FixtureRequest) -> int:
    """The most that are expanded of one scenario."""
    return int(request.config.getoption("--states"))
