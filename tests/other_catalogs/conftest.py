"""A Spark session with catalogs that publish by statement, one to declare, one to refuse."""

import itertools
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from ctas_spark.catalogs.session import CatalogsWithJvm
from formats.run_place import open_run
from other_catalogs.place import Place
from readers.session import SMALL, small_session
from servers import database
from servers.iceberg import EXTENSIONS, hadoop_catalog
from servers.jars import POSTGRESQL_DRIVER, fetched
from servers.own_catalogs import catalogs, jars
from servers.postgresql import Postgresql, running_postgresql

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgresql]:
    """The server of the catalog ``pg``."""
    with running_postgresql(tmp_path_factory.mktemp("postgresql")) as server:
        yield server


@pytest.fixture(scope="session")
def spark(
    tmp_path_factory: pytest.TempPathFactory, postgresql: Postgresql
) -> Iterator[SparkSession]:
    """The catalogs ``hadoop``, ``sound``, ``unchecked``, ``memory`` (Iceberg's); JDBC's two.

    Those are ``pg`` and ``derby``.

    A session that is there already can't be used: the catalogs' jars come with the JVM.
    """
    directory = tmp_path_factory.mktemp("other_catalogs")
    derby, options = "spark.sql.catalog.derby", "spark.driver.extraJavaOptions"
    jdbc = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
    session = small_session(
        {
            "spark.jars": ",".join(map(str, (*jars(directory), fetched(POSTGRESQL_DRIVER)))),
            "spark.sql.extensions": EXTENSIONS,
            "spark.sql.warehouse.dir": str(directory / "warehouse"),
            options: f"{SMALL[options]} -Dderby.stream.error.file={directory}/derby.log",
            **hadoop_catalog("hadoop", directory),
            **catalogs(directory),
            **database.catalog(postgresql),
            derby: jdbc,
            f"{derby}.url": "jdbc:derby:memory:other_catalogs;create=true",
            f"{derby}.driver": "org.apache.derby.jdbc.EmbeddedDriver",
        }
    )
    session.sparkContext.setLogLevel("OFF")  # what fails on purpose fills the screen
    yield session
    session.stop()


@pytest.fixture(scope="session")
def run(spark: SparkSession) -> Iterator[CatalogsWithJvm]:
    """One invocation for all tests."""
    opened = open_run(spark)
    yield opened
    opened.close()


@pytest.fixture
def hadoop(spark: SparkSession, run: CatalogsWithJvm) -> Place:
    """A schema of its own in Iceberg's hadoop catalog."""
    return Place.new(spark, "hadoop", f"schema_{next(_numbers)}", run)
