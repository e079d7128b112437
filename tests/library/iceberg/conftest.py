"""A target, or none, for all tests of Iceberg's tables."""

import pytest

from fakes.iceberg import document, with_snapshot
from fakes.iceberg_world import TARGET, World


@pytest.fixture
def world() -> World:
    """A target with one commit of a user's."""
    found = World.new()
    found.tables.put(TARGET, with_snapshot(document()))
    return found


@pytest.fixture
def empty() -> World:
    """No target."""
    return World.new()
