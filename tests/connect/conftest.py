"""One Spark Connect server for all tests; each test has a schema of its own."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from connect.place import Place
from servers.connect import ConnectServer, connect_server

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    """Iceberg and Delta on a server that is another process."""
    with connect_server(tmp_path_factory.mktemp("connect")) as running:
        yield running


@pytest.fixture
def place(server: ConnectServer, tmp_path: Path) -> Place:
    """The project in an empty schema."""
    return Place.new(server, tmp_path, f"shop_{next(_numbers)}")
