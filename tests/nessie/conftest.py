"""A Spark session with a catalog of Nessie's, which the profile has to declare."""

import itertools
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from formats.run_place import open_run
from iceberg.place import Place
from readers.session import small_session
from servers.nessie import nessie_catalog

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The catalog ``nessie``."""
    with nessie_catalog("nessie", tmp_path_factory.mktemp("nessie")) as settings:
        session = small_session(settings)
        yield session
        session.stop()


@pytest.fixture
def place(spark: SparkSession) -> Iterator[Place]:
    """A schema of its own, in a run that declares the catalog."""
    schema = f"schema_{next(_numbers)}"
    spark.sql(f"CREATE NAMESPACE nessie.{schema}")
    place = Place(spark, "nessie", schema, open_run(spark, ["nessie"]))
    yield place
    place.close()
