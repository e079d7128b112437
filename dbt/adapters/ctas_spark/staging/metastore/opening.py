"""The client of a session's metastore: in Spark's JVM, over Thrift, or in Spark's own memory."""

import os
import secrets
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NoReturn, Protocol

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.metastore.client import TableClient, TableLockClient
from dbt.adapters.ctas_spark.staging.metastore.jvm.client import InJvmMetastore
from dbt.adapters.ctas_spark.staging.metastore.memory.client import InMemoryMetastore
from dbt.adapters.ctas_spark.staging.metastore.thrift.client import ThriftMetastore

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
OWN_MEMORY = secrets.token_hex(8)
"""Tells this process from every other one that had or will have its pid."""


class MetastoreConnection(TableClient, Protocol):
    """A metastore with connections to close."""

    def close(self) -> None:
        """Close the connections of every thread."""


@dataclass(frozen=True, slots=True)
class OpenedMetastore:
    """A metastore's client; ``locks`` is None where no other process is a client of it.

    ``address`` tells two metastores apart that share a storage.
    """

    kind: str
    metastore: MetastoreConnection
    locks: TableLockClient | None
    description: str
    address: str


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


def open_metastore(spark: SparkSession) -> OpenedMetastore:
    """The client for a session's settings.

    Raises:
        AtomicityNotSupportedError: there is no way to its metastore yet.
    """
    settings = HiveSettings.of(spark)
    way = route(settings)
    if way is Route.IN_MEMORY:
        address = f"in memory of process {os.getpid()} {OWN_MEMORY}"
        where = "in memory, of this process"
        return OpenedMetastore("in_memory", InMemoryMetastore(spark), None, where, address)
    if way is Route.OVER_THRIFT:
        over_thrift = ThriftMetastore(settings.uris, user=spark.sparkContext.sparkUser())
        where = f"Hive, remote at {settings.uris}, over Thrift"
        return OpenedMetastore("hive", over_thrift, over_thrift, where, settings.uris)
    in_jvm = InJvmMetastore(spark)
    locks = None if _embedded(in_jvm) else in_jvm
    address = metastore_address(in_jvm.uris, in_jvm.connection_url, Path.cwd())
    return OpenedMetastore("hive", in_jvm, locks, _description(in_jvm), address)


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


def metastore_address(uris: str, connection_url: str, directory: Path) -> str:
    """What every process sees alike: the server's URIs, or where an embedded database lies.

    Args:
        directory: the process's own, from which Derby takes a relative path.
    """
    if uris:
        return uris
    if not connection_url.startswith(DERBY):
        return connection_url
    subname, *attributes = connection_url.removeprefix(DERBY).split(";")
    named = [one.removeprefix(NAME) for one in attributes if one.startswith(NAME)]
    database = named[0] if named else subname.removeprefix(IN_DIRECTORY)
    return f"{DERBY}{directory / database}"


def _refuse(what: str, remedy: str) -> NoReturn:
    raise AtomicityNotSupportedError(what, left="nothing was started", remedy=remedy)


def _embedded(metastore: InJvmMetastore) -> bool:
    return not metastore.uris and metastore.connection_url.startswith(DERBY)


def _description(metastore: InJvmMetastore) -> str:
    if metastore.uris:
        return f"Hive, remote at {metastore.uris}"
    return f"Hive, embedded ({metastore.connection_url})"
