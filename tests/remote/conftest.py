"""One server for all tests, reached in both ways; each test has a schema of its own."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.place import METHODS, Place
from servers.metastore import Metastore
from servers.remote import RemoteServer, remote_server, server_of_files

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    """Iceberg and Delta on a server that is another process."""
    with remote_server(tmp_path_factory.mktemp("remote")) as running:
        yield running


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RemoteServer, Metastore]]:
    """For tables of files: Spark, and its metastore with the settings that a server has by default.

    No format's jar.
    """
    with server_of_files(tmp_path_factory.mktemp("files")) as running:
        yield running


@pytest.fixture(params=METHODS)
def place(server: RemoteServer, tmp_path: Path, request: pytest.FixtureRequest) -> Place:
    """The project in an empty schema, over Spark Connect and over Thrift."""
    return Place.new(server, tmp_path, f"shop_{next(_numbers)}", request.param)
