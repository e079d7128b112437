"""One Spark session with an Iceberg catalog of each kind, for all tests."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

import pytest
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.server import reached
from dbt.adapters.ctas_spark.staging.catalogs.session import CatalogsWithJvm
from dbt.adapters.ctas_spark.staging.clock import SYSTEM_CLOCK, Clock, ReadClock
from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.engines.session import SessionEngine
from dbt.adapters.ctas_spark.staging.statement.catalog import StatementCatalog
from dbt.adapters.ctas_spark.staging.statement.tables import IcebergBySql, SqlTables, asking
from dbt.adapters.ctas_spark.staging.statement.version import StatementServices
from iceberg.place import Place
from readers.session import small_session
from servers.iceberg import hadoop_catalog, hive_catalogs, jdbc_catalog
from servers.iceberg_rest import rest_catalog

_numbers = itertools.count(1)


@dataclass(frozen=True)
class SqlAlone:
    """The catalogs of a run whose commit is SQL."""

    spark: SparkSession
    clock: Clock = SYSTEM_CLOCK

    def catalog_for(self, context: StagingContext) -> StatementCatalog:
        """A new one each time: nothing is kept of an earlier look."""
        tables = SqlTables(asking(self.spark), context.target.catalog, IcebergBySql())
        driver, engine = ReadClock(tables.now_ms, self.clock), SessionEngine(self.spark)
        services = StatementServices(tables, engine, driver, self.clock)
        return StatementCatalog(services, reached("iceberg", "SQL"), has_branches=True)

    def close(self) -> None:
        """Nothing is held."""


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Catalogs ``jdbc``, ``hive``, ``hadoop``, two of ``rest`` and Iceberg's ``spark_catalog``.

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
            **hadoop_catalog("hadoop", directory),
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


@pytest.fixture(params=["jdbc", "hive", "spark_catalog", "rest", "hadoop"])
def by_sql(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[Place]:
    """The same, and a hadoop catalog, for a run that has SQL alone, as over Spark Connect."""
    for place in _place(spark, request.param):
        yield replace(place, opened=cast("CatalogsWithJvm", SqlAlone(spark)))


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
