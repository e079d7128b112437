"""A schema within another: REST, jdbc and hadoop catalogs have namespaces of several levels."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest
from pyspark.sql import SparkSession

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.iceberg.tables import IcebergTables
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import RetentionRules
from iceberg.place import Place
from iceberg.sql_alone import IN_SQL, SqlAlone
from long import long

_numbers = itertools.count(1)

QUERIES = {
    "create": "SELECT 1 AS id",
    "rows": "SELECT 2 AS id",
    "columns": "SELECT 3 AS id, 'x' AS name",
}


@pytest.fixture(params=["rest", long("jdbc"), f"rest{IN_SQL}", f"hadoop{IN_SQL}"])
def nested(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[Place]:
    """The namespace ``inner`` of another, for a run with a JVM or for one that has SQL alone."""
    catalog = request.param.removesuffix(IN_SQL)
    outer = f"outer_{next(_numbers)}"
    spark.sql(f"CREATE NAMESPACE {catalog}.{outer}")
    place = Place.new(spark, catalog, f"{outer}.inner")
    if catalog != request.param:
        place = replace(place, opened=cast("CatalogsWithJvm", SqlAlone(spark)))
    yield place
    place.close()


def test_a_table_of_a_nested_schema_is_created_and_rebuilt(nested: Place) -> None:
    """With other rows and with other columns; nothing stays staged, and its history is known.

    A search for a renamed table, which may need files of a version, looks into nested schemas.
    """
    for query in QUERIES.values():
        staged = nested.publish(query)
        assert staged.outcome is Outcome.COMMITTED
    assert nested.rows() == [(3, "x")]
    nested.staging.clean_up(nested.context(), RetentionRules())
    assert nested.staged() == []
    assert len(nested.staging.history(nested.context())) == len(QUERIES)
    found = IcebergTables(nested.spark, nested.catalog).all_tables()
    assert nested.target in set(found)
