"""The catalogs of a Spark session, with what has to be closed after the run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn, Protocol

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.by_statement_kinds import DECLARED
from dbt.adapters.ctas_spark.staging.catalogs.kinds import SETTINGS
from dbt.adapters.ctas_spark.staging.catalogs.others import OtherCatalogs
from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.catalogs.session_catalog import SessionCatalog, TableClient
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.engines.session import SessionEngine
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    StagingError,
    StorageError,
)
from dbt.adapters.ctas_spark.staging.hadoop_storage import HadoopStorage
from dbt.adapters.ctas_spark.staging.lease import Lease
from dbt.adapters.ctas_spark.staging.metastore.identity import DERBY, metastore_identity
from dbt.adapters.ctas_spark.staging.metastore.in_jvm import InJvmMetastore
from dbt.adapters.ctas_spark.staging.metastore.in_memory import InMemoryMetastore
from dbt.adapters.ctas_spark.staging.metastore.over_thrift import ThriftMetastore
from dbt.adapters.ctas_spark.staging.metastore.table_locks import TableLockClient
from dbt.adapters.ctas_spark.staging.process_identity import ProcessIdentity

NOTHING: Mapping[str, Atomicity] = MappingProxyType({})
BUILTIN = "builtin"
NOT_PLAIN = (
    "hive.metastore.sasl.enabled",
    "hive.metastore.use.SSL",
    "hive.metastore.thrift.framed.transport.enabled",
    "hive.metastore.thrift.compact.protocol.enabled",
)


class OpenMetastore(TableClient, Protocol):
    """A metastore with connections to close."""

    def close(self) -> None:
        """Close the connections of every thread."""


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


@dataclass(frozen=True, slots=True)
class OpenedCatalog:
    """The session catalog for one invocation, its lease, and how to call its metastore.

    Beside it ``others`` hands out the catalogs of formats that commit by themselves.
    """

    catalog: SessionCatalog
    lease: Lease
    metastore: OpenMetastore
    description: str
    others: OtherCatalogs

    def catalog_for(self, context: StagingContext) -> StagingCatalog:
        """The catalog that serves the context's target and format.

        Raises:
            StagingError: none does; it says which setting or jar would make one.
        """
        return self.others.serving(context) or self.catalog

    @property
    def run(self) -> str:
        """The invocation's id."""
        return self.lease.id

    def close(self) -> None:
        """Give the leases back and close the metastore's connections."""
        self.others.close()
        self.lease.close()
        self.metastore.close()


def open_catalog(
    spark: SparkSession,
    on_missed_beat: Callable[[StorageError], None],
    declared: Mapping[str, Atomicity] = NOTHING,
) -> OpenedCatalog:
    """The session catalog of ``spark``.

    Args:
        declared: the levels that a user declares of other catalogs, by their names.

    Raises:
        AtomicityNotSupportedError: its metastore can't be reached from here.
        StagingError: a catalog of ``declared`` is not there.
    """
    _require(spark, declared)
    reached = _reached(spark, HiveSettings.of(spark))
    storage = HadoopStorage(spark)
    lease = Lease(storage, on_missed_beat, reached.identity)
    catalog = SessionCatalog(
        reached.metastore,
        storage,
        SessionEngine(spark),
        lease,
        kind=reached.kind,
        locks=reached.locks,
        needs_jvm=reached.needs_jvm,
    )
    others = OtherCatalogs(spark, catalog, storage, on_missed_beat, declared)
    return OpenedCatalog(catalog, lease, reached.metastore, reached.description, others)


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


def _reached(spark: SparkSession, settings: HiveSettings) -> Reached:
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


def _require(spark: SparkSession, declared: Mapping[str, Atomicity]) -> None:
    """A name that Spark does not have is a typing mistake: its declaration would never be used."""
    for name in declared:
        if not spark.conf.get(f"{SETTINGS}{name}", None):
            raise StagingError(
                f"{DECLARED} in the profile names {name}, and Spark has no catalog of that name",
                left="nothing was started",
                remedy=f"configure it by {SETTINGS}{name} in spark_conf, or remove it",
            )


def _refuse(what: str, remedy: str) -> NoReturn:
    raise AtomicityNotSupportedError(what, left="nothing was started", remedy=remedy)


def _embedded(metastore: InJvmMetastore) -> bool:
    return not metastore.uris and metastore.connection_url.startswith(DERBY)


def _description(metastore: InJvmMetastore) -> str:
    if metastore.uris:
        return f"Hive, remote at {metastore.uris}"
    return f"Hive, embedded ({metastore.connection_url})"
