"""The client of a session's metastore: in Spark's JVM, or over Thrift."""

from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.metastore.client import TableLockClient
from dbt.adapters.ctas_spark.staging.metastore.in_jvm import InJvmMetastore
from dbt.adapters.ctas_spark.staging.metastore.thrift.client import HiveMetastore, ThriftMetastore

BUILTIN = "builtin"
NOT_PLAIN = (
    "hive.metastore.sasl.enabled",
    "hive.metastore.use.SSL",
    "hive.metastore.thrift.framed.transport.enabled",
    "hive.metastore.thrift.compact.protocol.enabled",
)
DERBY = "jdbc:derby:"
NAME = "databaseName="
IN_DIRECTORY = "directory:"


@dataclass(frozen=True, slots=True)
class OpenedMetastore:
    """A metastore's client; ``locks`` is None where no other process is a client of it.

    ``address`` tells two metastores apart that share a storage.
    """

    metastore: HiveMetastore
    locks: TableLockClient | None
    description: str
    address: str


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


def open_metastore(spark: SparkSession) -> OpenedMetastore:
    """The client for a session's settings.

    Raises:
        AtomicityNotSupportedError: there is no way to its metastore yet.
    """
    settings = HiveSettings.of(spark)
    if goes_over_thrift(settings):
        over_thrift = ThriftMetastore(settings.uris, user=spark.sparkContext.sparkUser())
        where = f"Hive, remote at {settings.uris}, over Thrift"
        return OpenedMetastore(over_thrift, over_thrift, where, settings.uris)
    in_jvm = InJvmMetastore(spark)
    if in_jvm.uris:
        return OpenedMetastore(in_jvm, in_jvm, f"Hive, remote at {in_jvm.uris}", in_jvm.uris)
    url = in_jvm.connection_url
    locks = None if url.startswith(DERBY) else in_jvm
    address = database_address(url, Path.cwd())
    return OpenedMetastore(in_jvm, locks, f"Hive, embedded ({url})", address)


def goes_over_thrift(settings: HiveSettings) -> bool:
    """True if the metastore is called next to Spark's Hive classes, because they are isolated.

    Raises:
        AtomicityNotSupportedError: there is no way yet.
    """
    if settings.implementation != "hive":
        _refuse(
            "tables of files are published in a Hive metastore, and Spark's own catalog in memory "
            "ends with this process",
            "remove spark.sql.catalogImplementation from spark_conf",
        )
    if settings.jars == BUILTIN:
        return False
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
    return True


def database_address(url: str, directory: Path) -> str:
    """Where an embedded metastore's database lies, as every process sees it.

    Args:
        directory: the process's own, from which Derby takes a relative path.
    """
    if not url.startswith(DERBY):
        return url
    subname, *attributes = url.removeprefix(DERBY).split(";")
    named = [one.removeprefix(NAME) for one in attributes if one.startswith(NAME)]
    database = named[0] if named else subname.removeprefix(IN_DIRECTORY)
    return f"{DERBY}{directory / database}"


def _refuse(what: str, remedy: str) -> NoReturn:
    raise AtomicityNotSupportedError(what, left="nothing was started", remedy=remedy)
