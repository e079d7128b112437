"""The settings of a Spark session that starts quickly and stays small."""

import os
from collections.abc import Mapping

from pyspark.sql import SparkSession

from ctas_spark.engines import class_archive
from servers.jars import BARE_LOCAL_FILES, place_of

QUICK = (
    "-XX:+UseSerialGC -XX:NewRatio=1 -XX:MetaspaceSize=256m "
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
)
"""Only the quick compiler, with room for what it makes: it has a fifth of that by itself, and Spark
with a format fills it, so that the same code is compiled again and again. And room for the young,
which most are, and for classes: else each start collects all of its garbage five times."""
JAVA = f"{QUICK} {class_archive.option()}".strip()


def files_by_nio() -> Mapping[str, str]:
    """The setting by which Hadoop makes local files without a process of chmod for each.

    Their jar is on the class path of every JVM that is started from here. Empty as long as nobody
    has fetched the jar, as `./check` does.
    """
    jar = place_of(BARE_LOCAL_FILES)
    if not jar.exists():
        return {}
    os.environ["SPARK_DIST_CLASSPATH"] = str(jar)
    return {"spark.hadoop.fs.file.impl": "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem"}


MASTER = os.environ.get("TESTS_MASTER", "local[1]")
"""That of a cluster, if servers.standalone runs the tests."""
OF_A_CLUSTER = {
    "spark.cores.max": "1",  # else the first session would take all, and the others wait for ever
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.LocalFileSystem",
}
"""The jar of another implementation is on no executor's class path."""
SMALL = {
    "spark.master": MASTER,
    "spark.executor.memory": "600m",
    "spark.driver.memory": "800m",
    "spark.driver.extraJavaOptions": JAVA,
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    **(files_by_nio() if MASTER.startswith("local") else OF_A_CLUSTER),
}


def small_session(conf: Mapping[str, str]) -> SparkSession:
    """Start a session with ``conf``, which wins over the settings here."""
    builder = SparkSession.builder
    for name, value in {**SMALL, **conf}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
