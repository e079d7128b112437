"""The client of a session's metastore, with what is known of the metastore behind it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.metastore.identity import DERBY, metastore_identity
from dbt.adapters.ctas_spark.staging.metastore.jvm.client import InJvmMetastore
from dbt.adapters.ctas_spark.staging.metastore.memory.client import InMemoryMetastore
from dbt.adapters.ctas_spark.staging.metastore.partitions import TableClient
from dbt.adapters.ctas_spark.staging.metastore.route import HiveSettings, Route, route
from dbt.adapters.ctas_spark.staging.metastore.table_locks import TableLockClient
from dbt.adapters.ctas_spark.staging.metastore.thrift.client import ThriftMetastore
from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity


class OpenMetastore(TableClient, Protocol):
    """A metastore with connections to close."""

    def close(self) -> None:
        """Close the connections of every thread."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A metastore's client; ``locks`` is None where no other process is a client of it.

    ``identity`` tells two catalogs apart that share a storage. ``needs_jvm`` is false for a client
    that is this process's own.
    """

    kind: str
    metastore: OpenMetastore
    locks: TableLockClient | None
    description: str
    identity: str
    needs_jvm: bool = True


def reach(spark: SparkSession) -> Reached:
    """The client for a session's settings.

    Raises:
        AtomicityNotSupportedError: there is no way to its metastore yet.
    """
    settings = HiveSettings.of(spark)
    way = route(settings)
    if way is Route.IN_MEMORY:
        identity = f"in memory {ProcessIdentity.current()}"
        where = "in memory, of this process"
        return Reached("in_memory", InMemoryMetastore(spark), None, where, identity)
    if way is Route.OVER_THRIFT:
        over_thrift = ThriftMetastore(settings.uris, user=spark.sparkContext.sparkUser())
        where = f"Hive, remote at {settings.uris}, over Thrift"
        return Reached("hive", over_thrift, over_thrift, where, settings.uris, needs_jvm=False)
    in_jvm = InJvmMetastore(spark)
    locks = None if _embedded(in_jvm) else in_jvm
    identity = metastore_identity(in_jvm.uris, in_jvm.connection_url, Path.cwd())
    return Reached("hive", in_jvm, locks, _description(in_jvm), identity)


def _embedded(metastore: InJvmMetastore) -> bool:
    return not metastore.uris and metastore.connection_url.startswith(DERBY)


def _description(metastore: InJvmMetastore) -> str:
    if metastore.uris:
        return f"Hive, remote at {metastore.uris}"
    return f"Hive, embedded ({metastore.connection_url})"
