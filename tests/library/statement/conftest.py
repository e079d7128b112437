"""A catalog with branches."""

import pytest

from fakes.branches import FakeBranches
from fakes.branches_world import OLD, published


@pytest.fixture
def catalog() -> FakeBranches:
    """A catalog with the target, which was created by this adapter."""
    found = FakeBranches()
    published(found, OLD)
    return found
