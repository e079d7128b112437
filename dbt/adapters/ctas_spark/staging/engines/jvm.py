"""The JVM behind a PySpark session; its objects have no Python types."""
# ruff: noqa: SLF001 (PySpark has no public way to its JVM)

from typing import Any

from py4j.protocol import Py4JNetworkError
from pyspark.sql import SparkSession

GONE = (Py4JNetworkError, OSError)
"""What a call raises when the JVM has ended."""


def classes(spark: SparkSession) -> Any:
    """Java's packages, as attributes."""
    return spark.sparkContext._jvm


def context(spark: SparkSession) -> Any:
    """The Scala SparkContext."""
    return spark.sparkContext._jsc.sc()


def shared_state(spark: SparkSession) -> Any:
    """What all sessions of the context share: catalog and SQL status store."""
    return spark._jsparkSession.sharedState()


def session_catalog(spark: SparkSession) -> Any:
    """The session's own catalog, with its cache of resolved tables."""
    return spark._jsparkSession.sessionState().catalog()


def hadoop_configuration(spark: SparkSession) -> Any:
    """Hadoop's configuration, with the credentials of object stores."""
    return spark.sparkContext._jsc.hadoopConfiguration()
