"""The catalogs of a Spark session, with what has to be closed after the run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.kinds import SETTINGS
from dbt.adapters.ctas_spark.staging.catalogs.others import OtherCatalogs
from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.catalogs.statement_kinds import DECLARED
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.session import SessionEngine
from dbt.adapters.ctas_spark.staging.errors import NoSuchCatalogError, StorageError
from dbt.adapters.ctas_spark.staging.files.catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.metastore.opening import MetastoreConnection, open_metastore
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.storage.hadoop import HadoopStorage

NOTHING: Mapping[str, Atomicity] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class OpenedCatalog:
    """The session catalog for one invocation, its lease, and how to call its metastore.

    Beside it ``others`` hands out the catalogs of formats that commit by themselves.
    """

    catalog: SessionCatalog
    lease: Lease
    metastore: MetastoreConnection
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
        NoSuchCatalogError: a catalog of ``declared`` is not there.
    """
    _require(spark, declared)
    opened = open_metastore(spark)
    storage = HadoopStorage(spark)
    lease = Lease(storage, on_missed_beat, opened.address)
    catalog = SessionCatalog(
        opened.metastore,
        storage,
        SessionEngine(spark),
        lease,
        kind=opened.kind,
        locks=opened.locks,
        needs_jvm=opened.needs_jvm,
    )
    others = OtherCatalogs(spark, catalog, storage, on_missed_beat, declared)
    return OpenedCatalog(catalog, lease, opened.metastore, opened.description, others)


def _require(spark: SparkSession, declared: Mapping[str, Atomicity]) -> None:
    """A name that Spark does not have is a typing mistake: its declaration would never be used."""
    for name in declared:
        if not spark.conf.get(f"{SETTINGS}{name}", None):
            raise NoSuchCatalogError(
                f"{DECLARED} in the profile names {name}, and Spark has no catalog of that name",
                left="nothing was started",
                remedy=f"configure it by {SETTINGS}{name} in spark_conf, or remove it",
            )
