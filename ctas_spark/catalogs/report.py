"""What dbt debug says of the Spark in this process, and where each value comes from."""

from collections.abc import Iterator, Mapping

from pyspark.sql import SparkSession

from ..engines import jvm
from ..engines.embedded import METASTORES, WAREHOUSE
from ..engines.given import MASTER
from ..engines.precedence import origin, origin_of_warehouse
from ..engines.start import START
from ..storage import committers

DEPLOY_MODE = "spark.submit.deployMode"
CLIENT = "client"


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

    def storage(self, schema: str) -> Iterator[str]:
        """Where new schemas are created, and how Spark commits files there, and in a schema."""
        warehouse = self._spark.conf.get(WAREHOUSE) or ""
        yield f"warehouse: {warehouse} ({origin_of_warehouse(self._spark, self._profile)})"
        yield from committers.lines(self._spark, warehouse, schema, self._origin)

    def _origin(self, *names: str) -> str:
        return origin(self._spark, self._profile, *names)
