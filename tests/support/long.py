"""Parameters of tests that `./check --all` tries, and plain `./check` doesn't."""

import pytest
from _pytest.mark import ParameterSet


def long(*values: object) -> ParameterSet:
    """One of them: a value for each name."""
    return pytest.param(*values, marks=pytest.mark.long)
