"""One Spark session with an Iceberg catalog of each kind, for all tests."""

import itertools
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from iceberg.place import Place
from readers.session import small_session
from servers.iceberg import hive_catalogs, jdbc_catalog
from servers.iceberg_rest import rest_catalog

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The catalogs ``jdbc``, ``hive``, two of ``rest`` and Iceberg's own ``spark_catalog``.

    A session that is there already can't be used: the catalogs' jars come with the JVM.
    """
    directory = tmp_path_factory.mktemp("iceberg")
    with (
        rest_catalog("rest", directory / "rest") as rest,
        rest_catalog("strict", directory / "strict", strict=True) as strict,
    ):
        conf = {
            **jdbc_catalog("jdbc", directory),
            **hive_catalogs(directory),
            **rest,
            **strict,
            "spark.sql.catalog.jdbc.cache-enabled": "false",
        }
        session = small_session(conf)
        yield session
        session.stop()


@pytest.fixture(params=["jdbc", "hive", "spark_catalog", "rest"])
def place(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[Place]:
    """A schema of its own in each catalog in turn."""
    yield from _place(spark, request.param)


@pytest.fixture
def jdbc(spark: SparkSession) -> Iterator[Place]:
    """A schema of its own in the jdbc catalog: for what no kind of catalog does in its own way."""
    yield from _place(spark, "jdbc")


@pytest.fixture
def spark_catalog(spark: SparkSession) -> Iterator[Place]:
    """A schema of its own in ``spark_catalog``, which holds tables of files, too."""
    yield from _place(spark, "spark_catalog")


@pytest.fixture
def rest(spark: SparkSession) -> Iterator[Place]:
    """A schema of its own in the REST catalog, whose server compares and swaps."""
    yield from _place(spark, "rest")


@pytest.fixture
def strict(spark: SparkSession) -> Iterator[Place]:
    """A schema of its own in the REST catalog whose server has one table a location."""
    yield from _place(spark, "strict")


def _place(spark: SparkSession, catalog: str) -> Iterator[Place]:
    place = Place.new(spark, catalog, f"schema_{next(_numbers)}")
    yield place
    place.close()
