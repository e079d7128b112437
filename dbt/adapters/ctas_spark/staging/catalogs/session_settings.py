"""The settings of a Spark session, local or remote."""

from pyspark.sql import SparkSession


def settings_below(spark: SparkSession, prefix: str) -> dict[str, str]:
    """The session's settings whose names begin with ``prefix``, without it."""
    found = spark.sql("SET").collect()
    return {row.key.removeprefix(prefix): row.value for row in found if row.key.startswith(prefix)}
