"""A schema of the tests' session, for code that knows nothing of dbt."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from functional.dbt_project import Project


@pytest.fixture
def schema(project: Project, spark: SparkSession) -> Iterator[str]:
    """The project's schema, which is the session's current one meanwhile."""
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {project.schema}")
    spark.catalog.setCurrentDatabase(project.schema)
    yield project.schema
    spark.catalog.setCurrentDatabase("default")
