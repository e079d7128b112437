"""The settings of a Spark session, local or remote."""

from typing import Any


def settings_below(spark: Any, prefix: str) -> dict[str, str]:
    """The session's settings whose names begin with ``prefix``, without it."""
    found = spark.sql("SET").collect()
    return {row.key.removeprefix(prefix): row.value for row in found if row.key.startswith(prefix)}
