"""How many lives are tried; without --examples always the same ones."""

import pytest
from hypothesis import HealthCheck, Phase, settings

EXAMPLES = 100
STEPS = 40


def pytest_addoption(parser: pytest.Parser) -> None:
    """The number of lives."""
    parser.addoption(
        "--examples",
        type=int,
        help=f"try this many other, random lives of a table (default: {EXAMPLES}, the same always)",
    )


@pytest.fixture
def model_settings(request: pytest.FixtureRequest) -> settings:
    """Repeatable by default; a failure found by chance is printed with how to repeat it."""
    asked = request.config.getoption("--examples", None)
    return settings(
        max_examples=asked or EXAMPLES,
        stateful_step_count=STEPS,
        derandomize=asked is None,
        database=None,
        deadline=None,
        print_blob=asked is not None,
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture
def search_settings(model_settings: settings) -> settings:
    """The same search, which stops at the first failure and does not look for a shorter one."""
    return settings(model_settings, phases=(Phase.generate,), report_multiple_bugs=False)
