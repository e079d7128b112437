"""Delta for tests: what a session has to be started with so that spark_catalog holds its tables."""

from collections.abc import Mapping

from readers.session import JAVA
from servers.jars import DELTA, DELTA_STORAGE, fetched

EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"


def delta_session() -> Mapping[str, str]:
    """The settings; all but the first three keep the many jobs on Delta's own logs short."""
    return {
        "spark.jars": f"{fetched(DELTA)},{fetched(DELTA_STORAGE)}",
        "spark.sql.extensions": EXTENSION,
        "spark.sql.catalog.spark_catalog": CATALOG,
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
        "spark.driver.memory": "1200m",
        "spark.driver.extraJavaOptions": JAVA,
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
