"""One catalog of tables of files on fakes, with or without a table."""

import pytest

from fakes.world import World


@pytest.fixture
def world() -> World:
    """One metastore and one storage, without a table."""
    return World()


@pytest.fixture
def a_table(world: World) -> None:
    """The target was published once."""
    world.published()


@pytest.fixture
def remote() -> World:
    """Only a lock of the metastore can run out."""
    return World()
