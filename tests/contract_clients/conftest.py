"""One metastore server, one Spark session, and the clients under test."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pymetastore.hive_metastore import ttypes
from pyspark.sql import SparkSession

from contract_clients.places import FakePlace
from contract_clients.relay import Relay
from contract_clients.server_place import ServerPlace, direct
from ctas_spark.metastore.connections import InJvmMetastore, ThriftMetastore
from readers.session import small_session
from servers.metastore import Metastore, running_metastore

REMOTE = ("thrift", "in_jvm")
DATABASES = (*REMOTE, "other")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Metastore]:
    """A remote Hive metastore on Derby, with a database for each client, and one for all."""
    at = tmp_path_factory.mktemp("metastore")
    with running_metastore(at / "server", at / "warehouse", lock_tables=True) as running:
        with direct(running) as hand:
            for name in DATABASES:
                location = f"file:{running.warehouse}/{name}.db"
                hand.create_database(ttypes.Database(name, None, location, {}))
        yield running


@contextmanager
def relay_to(server: Metastore) -> Iterator[Relay]:
    """A way to the server that a test can cut."""
    relay = Relay(server.port)
    yield relay
    relay.cut()


@pytest.fixture(scope="session")
def thrift(server: Metastore) -> Iterator[ServerPlace]:
    """The client over Thrift."""
    with relay_to(server) as relay:
        client = ThriftMetastore(relay.uri, user="someone")
        yield ServerPlace(client, "thrift", server, relay)
        client.close()


@pytest.fixture(scope="session")
def session(server: Metastore) -> Iterator[tuple[SparkSession, Relay]]:
    """A session whose metastore is behind a relay."""
    with relay_to(server) as relay:
        settings = {
            "spark.hadoop.hive.metastore.uris": relay.uri,
            "spark.hadoop.hive.metastore.connect.retries": "1",
        }
        spark = small_session({**server.spark_conf(), **settings})
        yield spark, relay
        spark.stop()


@pytest.fixture(scope="session")
def in_jvm(server: Metastore, session: tuple[SparkSession, Relay]) -> Iterator[ServerPlace]:
    """The client in Spark's JVM."""
    spark, relay = session
    client = InJvmMetastore(spark)
    yield ServerPlace(client, "in_jvm", server, relay)
    client.close()


@pytest.fixture
def fake() -> FakePlace:
    """The fake."""
    return FakePlace()


@pytest.fixture(params=["fake", *REMOTE])
def place(request: pytest.FixtureRequest) -> FakePlace | ServerPlace:
    """Every client."""
    found: FakePlace | ServerPlace = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=REMOTE)
def remote(request: pytest.FixtureRequest) -> ServerPlace:
    """Every client of a real server."""
    found: ServerPlace = request.getfixturevalue(request.param)
    return found
