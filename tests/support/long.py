"""Parameters of tests that `./check --all` tries, and plain `./check` doesn't."""

import pytest
from _pytest.mark import ParameterSet


def long(value: object) -> ParameterSet:
    """One of them."""
    return pytest.param(value, marks=pytest.mark.long)
