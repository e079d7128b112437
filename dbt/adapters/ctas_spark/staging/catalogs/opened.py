"""The catalog of a Spark session, with what has to be closed after the run."""

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.hive import HiveCatalog
from dbt.adapters.ctas_spark.staging.engines.session import SessionEngine
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, StorageError
from dbt.adapters.ctas_spark.staging.hadoop_storage import HadoopStorage
from dbt.adapters.ctas_spark.staging.lease import Lease
from dbt.adapters.ctas_spark.staging.metastore.in_jvm import InJvmMetastore

DERBY = "jdbc:derby:"
BUILTIN = "builtin"


@dataclass(frozen=True, slots=True)
class OpenedCatalog:
    """A catalog for one invocation, its lease, and how to call its metastore."""

    catalog: HiveCatalog
    lease: Lease
    metastore: InJvmMetastore
    description: str

    def close(self) -> None:
        """Give the lease back and close the metastore's connections."""
        self.lease.close()
        self.metastore.close()


def open_catalog(
    spark: SparkSession, on_missed_beat: Callable[[StorageError], None]
) -> OpenedCatalog:
    """The session catalog of ``spark``.

    Raises:
        AtomicityNotSupportedError: it is of a kind that can't stage tables yet.
    """
    _refuse_what_is_not_there_yet(spark)
    metastore = InJvmMetastore(spark)
    storage = HadoopStorage(spark)
    lease = Lease(storage, on_missed_beat)
    embedded = not metastore.uris and metastore.connection_url.startswith(DERBY)
    catalog = HiveCatalog(metastore, storage, SessionEngine(spark), lease, single_process=embedded)
    return OpenedCatalog(catalog, lease, metastore, _description(metastore))


def _refuse_what_is_not_there_yet(spark: SparkSession) -> None:
    if spark.conf.get("spark.sql.catalogImplementation") != "hive":
        _refuse(
            "Spark's in-memory catalog can't stage tables yet",
            "remove spark.sql.catalogImplementation from spark_conf",
        )
    if spark.conf.get("spark.sql.hive.metastore.jars") != BUILTIN:
        _refuse(
            "Spark's Hive classes are isolated (spark.sql.hive.metastore.jars), "
            "and the metastore can't be reached beside them yet",
            "remove spark.sql.hive.metastore.jars and .version from spark_conf",
        )


def _refuse(what: str, remedy: str) -> None:
    raise AtomicityNotSupportedError(what, left="nothing was started", remedy=remedy)


def _description(metastore: InJvmMetastore) -> str:
    if metastore.uris:
        return f"Hive, remote at {metastore.uris}"
    return f"Hive, embedded ({metastore.connection_url})"
