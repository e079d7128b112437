"""One Spark session with an Iceberg catalog of each kind, for all tests."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.publish.version import ChoosingVersion
from iceberg.place import Place
from iceberg.sql_alone import IN_SQL, SqlAlone
from long import long
from readers.session import small_session
from servers.iceberg import hadoop_catalog, hive_catalogs, jdbc_catalog
from servers.iceberg_rest import rest_catalogs

_numbers = itertools.count(1)

OF_CARELESS = "spark.sql.catalog.careless.table-default.write.metadata"
DELETES = {
    f"{OF_CARELESS}.delete-after-commit.enabled": "true",
    f"{OF_CARELESS}.previous-versions-max": "10",
}


CATALOGS = ("jdbc", "hive", "spark_catalog", "rest")
BRANCHED_IN_BRIEF = ("rest", f"rest{IN_SQL}", f"hadoop{IN_SQL}")
"""Branches are the same in all of them: a server's answers and a directory's differ most."""


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Catalogs ``jdbc``, ``hive``, ``hadoop``, four of ``rest`` and Iceberg's ``spark_catalog``.

    Of ``careless`` tables have old metadata deleted by default; ``first_schema`` has no views. A
    session that is there already can't be used: the catalogs' jars come with the JVM.
    """
    directory = tmp_path_factory.mktemp("iceberg")
    kinds = {"rest": "open", "strict": "strict", "inside": "inside", "careless_rest": "careless"}
    with rest_catalogs(directory / "rest", kinds) as rest:
        conf = {
            **jdbc_catalog("careless", directory),
            **DELETES,
            **jdbc_catalog("first_schema", directory),
            "spark.sql.catalog.first_schema.jdbc.schema-version": "V0",
            **jdbc_catalog("jdbc", directory),
            **hive_catalogs(directory),
            **hadoop_catalog("hadoop", directory),
            **rest,
            "spark.sql.catalog.jdbc.cache-enabled": "false",
        }
        session = small_session(conf)
        yield session
        session.stop()


def pytest_addoption(parser: pytest.Parser) -> None:
    """One catalog is enough for most tests, unless all are asked for."""
    parser.addoption(
        "--every-catalog", action="store_true", help="run each test in every kind of catalog"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """REST for every test; every catalog for those that are marked, unless they name their own."""
    marked = metafunc.definition.get_closest_marker("on_every_catalog") is not None
    each = marked or metafunc.config.getoption("--every-catalog")
    named = {marker.args[0] for marker in metafunc.definition.iter_markers("parametrize")}
    catalogs = CATALOGS if each else ("rest",)
    by_sql = (*CATALOGS, "hadoop") if each else ("rest",)
    both = (*catalogs, *(f"{catalog}{IN_SQL}" for catalog in by_sql))
    branched = [one if one in BRANCHED_IN_BRIEF else long(one) for one in both]
    for fixture, chosen in (("place", catalogs), ("by_sql", by_sql), ("branched", branched)):
        if fixture in metafunc.fixturenames and fixture not in named:
            metafunc.parametrize(fixture, chosen, indirect=True)


@pytest.fixture
def place(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[Place]:
    """A schema of its own in each catalog in turn."""
    yield from _place(spark, request.param)


@pytest.fixture
def by_sql(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[Place]:
    """The same, and a hadoop catalog, for a run that has SQL alone, as over Spark Connect."""
    for place in _place(spark, request.param):
        yield replace(place, opened=cast("CatalogsWithJvm", SqlAlone(spark)))


@pytest.fixture
def branched(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[Place]:
    """A schema of its own, of a run with a JVM or of one that has SQL alone."""
    catalog = request.param.removesuffix(IN_SQL)
    for place in _place(spark, catalog):
        if catalog == request.param:
            yield place
        else:
            yield replace(place, opened=cast("CatalogsWithJvm", SqlAlone(spark)))


def _place(spark: SparkSession, catalog: str) -> Iterator[Place]:
    place = Place.new(spark, catalog, f"schema_{next(_numbers)}")
    yield place
    place.close()


def _in(catalog: str) -> Any:
    """A fixture: a schema of its own in that catalog."""

    @pytest.fixture
    def alone(spark: SparkSession) -> Iterator[Place]:
        yield from _place(spark, catalog)

    return alone


jdbc = _in("jdbc")
"""For what no kind of catalog does in its own way."""
hive = _in("hive")
spark_catalog = _in("spark_catalog")
"""It holds tables of files, too."""
rest = _in("rest")
"""Its server compares and swaps."""
strict = _in("strict")
"""Its server has one table a location."""
inside = _in("inside")
"""Its server takes no fork: tables lie in their namespace, and metadata in its table."""
careless = _in("careless")
"""Its defaults delete old metadata files."""
careless_rest = _in("careless_rest")
"""Its server sends settings that delete old metadata files."""
first_schema = _in("first_schema")
"""A jdbc catalog of the first layout of its database."""


@pytest.fixture
def at_the_call(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Do something once, between the last look and the call."""

    def arrange(action: Callable[[], object]) -> None:
        publish = ChoosingVersion.publish

        def published(version: ChoosingVersion[Any, Any], over: Any) -> None:
            monkeypatch.setattr(ChoosingVersion, "publish", publish)
            action()
            publish(version, over)

        monkeypatch.setattr(ChoosingVersion, "publish", published)

    return arrange
