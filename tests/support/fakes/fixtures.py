"""Fixtures of the suites that run on fakes: a conftest of theirs takes them from here."""

from collections.abc import Iterator

import pytest

from fakes.thrift_server import FakeThriftServer, thrift_server
from fakes.world import World


@pytest.fixture
def world() -> World:
    """One metastore and one storage of tables of files, without a table."""
    return World()


@pytest.fixture
def server() -> Iterator[FakeThriftServer]:
    """Spark's Thrift server, on loopback."""
    with thrift_server() as running:
        yield running
