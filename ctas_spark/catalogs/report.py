"""What dbt debug says of the Spark in this process, and where each value comes from."""

from collections.abc import Iterator, Mapping
from urllib.parse import urlparse

from pyspark.sql import SparkSession

from ..engines import jvm
from ..engines.embedded import METASTORES, WAREHOUSE
from ..engines.given import MASTER
from ..engines.origins import HADOOP, origin, origin_of_warehouse
from ..engines.start import START

DEPLOY_MODE = "spark.submit.deployMode"
CLIENT = "client"
PROTOCOL = "spark.sql.sources.commitProtocolClass"
ALGORITHM = "mapreduce.fileoutputcommitter.algorithm.version"
COMMITTERS = {"s3a": "fs.s3a.committer.name"}
"""By the warehouse's file system: the setting of Hadoop's that says how files are committed."""


class SparkReport:
    """The lines about one session, with the profile that this invocation has given it."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._profile: Mapping[str, str] = START.opened.settings if START.opened else {}

    def versions(self) -> Iterator[str]:
        """Spark and Java, and where they run."""
        context, system = self._spark.sparkContext, jvm.classes(self._spark).java.lang.System
        mode = context.getConf().get(DEPLOY_MODE, CLIENT)
        yield f"spark: {self._spark.version}"
        yield f"master: {context.master} ({self._origin(MASTER)})"
        yield f"deploy mode: {mode} ({self._origin(DEPLOY_MODE)})"
        yield f"java: {system.getProperty('java.version')} ({system.getProperty('java.home')})"

    def metastore(self) -> str:
        """Where the choice of a metastore comes from."""
        return self._origin(*METASTORES)

    def storage(self) -> Iterator[str]:
        """Where new schemas are created, and how Spark commits files there."""
        warehouse = self._spark.conf.get(WAREHOUSE) or ""
        yield f"warehouse: {warehouse} ({origin_of_warehouse(self._spark, self._profile)})"
        protocol = (self._spark.conf.get(PROTOCOL) or "").rpartition(".")[2]
        key = COMMITTERS.get(urlparse(warehouse).scheme, ALGORITHM)
        value = jvm.hadoop_configuration(self._spark).get(key)
        of_key = self._origin(f"{HADOOP}{key}")
        yield f"committer: {protocol} ({self._origin(PROTOCOL)}), {key}={value} ({of_key})"

    def _origin(self, *names: str) -> str:
        return origin(self._spark, self._profile, *names)
