"""One Spark session whose session catalog is Delta's, on an embedded metastore."""

import itertools
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from delta.place import Place
from readers.session import small_session
from servers.delta import delta_session

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session that is there already can't be used: the jars come with the JVM."""
    directory = tmp_path_factory.mktemp("delta")
    conf = {
        **delta_session(),
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.ansi.enabled": "false",
        "spark.sql.warehouse.dir": str(directory / "warehouse"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={directory / 'metastore'};create=true"
        ),
    }
    session = small_session(conf)
    yield session
    session.stop()


@pytest.fixture
def place(spark: SparkSession) -> Iterator[Place]:
    """A schema of its own."""
    place = Place.new(spark, f"schema_{next(_numbers)}")
    yield place
    place.close()


@pytest.fixture
def published(place: Place) -> Place:
    """A schema in which the target has one version of ours."""
    place.publish("SELECT id, 'old' AS name FROM range(3)")
    return place
