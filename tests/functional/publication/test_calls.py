"""What a plain rebuild costs besides its CTAS."""

import pytest
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.session import CatalogsWithJvm
from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from functional.outside import Outside
from round_trips import Counter

MOST_ROUND_TRIPS = 150


def test_a_plain_rebuild_takes_few_round_trips(
    spark: SparkSession, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From begin to the end of settle, at most 150 besides the CTAS."""
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {outside.schema}")
    context = StagingContext(TableName(outside.schema, "t"), f"{outside.schema}__ctas_spark")
    opened = CatalogsWithJvm(spark)
    sent = Counter(monkeypatch).of_the_last_rebuild(opened, context)
    opened.close()
    assert len(sent) <= MOST_ROUND_TRIPS
