"""A client over Thrift, and the server that a test tells what to answer."""

from collections.abc import Iterator

import pytest

from ctas_spark.metastore.connections import ThriftMetastore
from fakes.scripted_server import ScriptedServer, scripted_server


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A server that succeeds at everything and returns nothing."""
    with scripted_server() as running:
        yield running


@pytest.fixture
def client(server: ScriptedServer) -> Iterator[ThriftMetastore]:
    """A client of that server."""
    made = ThriftMetastore(server.uri)
    yield made
    made.close()
