"""What else the tests of tables of files begin with."""

import pytest

from fakes.world import World


@pytest.fixture
def a_table(world: World) -> None:
    """The target was published once."""
    world.published()


@pytest.fixture
def remote() -> World:
    """Only a lock of the metastore can run out."""
    return World()
