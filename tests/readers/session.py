"""The settings of a Spark session that starts quickly and stays small."""

from collections.abc import Mapping

from pyspark.sql import SparkSession

SMALL = {
    "spark.master": "local[1]",
    "spark.driver.memory": "640m",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.showConsoleProgress": "false",
}


def small_session(conf: Mapping[str, str]) -> SparkSession:
    """Start a session with ``conf``, which wins over the settings here."""
    builder = SparkSession.builder
    for name, value in {**SMALL, **conf}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
