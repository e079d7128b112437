"""One Spark session with a catalog of each kind that publishes by statement, or is refused."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.session import OpenedCatalog
from formats.run_place import open_run
from other_catalogs.place import DECLARED, Place
from readers.session import SMALL, small_session
from servers.iceberg import EXTENSIONS, hadoop_catalog
from servers.jars import ICEBERG, fetched
from servers.staging_catalogs import catalogs, jars

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The catalogs ``hadoop`` (Iceberg's), ``derby`` (Spark's JDBC), and those in memory.

    A session that is there already can't be used: the catalogs' jars come with the JVM.
    """
    directory = tmp_path_factory.mktemp("other_catalogs")
    derby, options = "spark.sql.catalog.derby", "spark.driver.extraJavaOptions"
    jdbc = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
    session = small_session(
        {
            "spark.jars": ",".join(map(str, (fetched(ICEBERG), *jars(directory)))),
            "spark.sql.extensions": EXTENSIONS,
            "spark.sql.warehouse.dir": str(directory / "warehouse"),
            options: f"{SMALL[options]} -Dderby.stream.error.file={directory}/derby.log",
            **hadoop_catalog("hadoop", directory),
            **catalogs(),
            derby: jdbc,
            f"{derby}.url": "jdbc:derby:memory:other_catalogs;create=true",
            f"{derby}.driver": "org.apache.derby.jdbc.EmbeddedDriver",
        }
    )
    session.sparkContext.setLogLevel("OFF")  # what fails on purpose fills the screen
    yield session
    session.stop()


@pytest.fixture(scope="session")
def run(spark: SparkSession) -> Iterator[OpenedCatalog]:
    """One invocation for all tests: it probes each declared catalog once."""
    opened = open_run(spark, DECLARED)
    yield opened
    opened.close()


@pytest.fixture
def hadoop(spark: SparkSession, run: OpenedCatalog, tmp_path: Path) -> Place:
    """A schema of its own in Iceberg's hadoop catalog."""
    return _place(spark, "hadoop", tmp_path, run)


@pytest.fixture(params=["hadoop", "last_wins", "isolated"])
def place(
    request: pytest.FixtureRequest, spark: SparkSession, run: OpenedCatalog, tmp_path: Path
) -> Place:
    """A schema of its own in each catalog that publishes by statement, at the level it reaches."""
    return _place(spark, request.param, tmp_path, run)


@pytest.fixture
def isolated(spark: SparkSession, run: OpenedCatalog, tmp_path: Path) -> Place:
    """A schema of its own in the catalog that refuses a commit over another's."""
    return _place(spark, "isolated", tmp_path, run)


def _place(spark: SparkSession, catalog: str, directory: Path, run: OpenedCatalog) -> Place:
    return Place.new(spark, catalog, f"schema_{next(_numbers)}", directory, run)
