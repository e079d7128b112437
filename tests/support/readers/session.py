"""The settings of a Spark session that starts quickly and stays small."""

from collections.abc import Mapping

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.engines import class_archive

QUICK = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
"""Only the quick compiler, with room for what it makes: it has a fifth of that by itself, and Spark
with a format fills it, so that the same code is compiled again and again."""
JAVA = f"{QUICK} {class_archive.option()}".strip()
SMALL = {
    "spark.master": "local[1]",
    "spark.driver.memory": "640m",
    "spark.driver.extraJavaOptions": JAVA,
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.showConsoleProgress": "false",
}


def small_session(conf: Mapping[str, str]) -> SparkSession:
    """Start a session with ``conf``, which wins over the settings here."""
    builder = SparkSession.builder
    for name, value in {**SMALL, **conf}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
