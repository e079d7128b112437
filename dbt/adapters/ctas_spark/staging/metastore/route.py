"""How a session's Hive metastore is called: in Spark's JVM, over Thrift, or not at all."""

from dataclasses import dataclass
from enum import Enum
from typing import NoReturn

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError

BUILTIN = "builtin"
NOT_PLAIN = (
    "hive.metastore.sasl.enabled",
    "hive.metastore.use.SSL",
    "hive.metastore.thrift.framed.transport.enabled",
    "hive.metastore.thrift.compact.protocol.enabled",
)


class Route(str, Enum):
    """How the metastore is called."""

    IN_MEMORY = "in Spark's own memory"
    IN_JVM = "in Spark's JVM"
    OVER_THRIFT = "over Thrift"


@dataclass(frozen=True, slots=True)
class HiveSettings:
    """What decides the route; ``not_plain`` are the settings that plain Thrift can't follow."""

    implementation: str
    jars: str
    uris: str
    not_plain: tuple[str, ...] = ()

    @classmethod
    def of(cls, spark: SparkSession) -> "HiveSettings":
        """The settings as Spark has them, hive-site.xml included."""
        hadoop = jvm.hadoop_configuration(spark)
        return cls(
            implementation=spark.conf.get("spark.sql.catalogImplementation") or "",
            jars=spark.conf.get("spark.sql.hive.metastore.jars", BUILTIN) or BUILTIN,
            uris=str(hadoop.get("hive.metastore.uris") or ""),
            not_plain=tuple(key for key in NOT_PLAIN if hadoop.getBoolean(key, False)),
        )


def route(settings: HiveSettings) -> Route:
    """How to call the metastore: beside Spark's Hive classes where they are isolated.

    Raises:
        AtomicityNotSupportedError: there is no way yet.
    """
    if settings.implementation != "hive":
        return Route.IN_MEMORY
    if settings.jars == BUILTIN:
        return Route.IN_JVM
    isolated = "Spark's Hive classes are isolated (spark.sql.hive.metastore.jars)"
    use_builtin = "remove spark.sql.hive.metastore.jars and .version from spark_conf"
    if not settings.uris:
        _refuse(
            f"{isolated}, and no metastore is known that can be reached beside them",
            f"set spark.hadoop.hive.metastore.uris in spark_conf, or {use_builtin}",
        )
    if settings.not_plain:
        _refuse(
            f"{isolated}, and beside them a metastore can be reached over plain Thrift only, "
            f"not yet with {', '.join(settings.not_plain)}",
            use_builtin,
        )
    return Route.OVER_THRIFT


def _refuse(what: str, remedy: str) -> NoReturn:
    raise AtomicityNotSupportedError(what, left="nothing was started", remedy=remedy)
