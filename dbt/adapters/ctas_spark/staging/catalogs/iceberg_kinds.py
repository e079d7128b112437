"""How an Iceberg catalog points to its tables' metadata, and which of those ways hold a promise."""

from collections.abc import Mapping
from enum import Enum

from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError


class IcebergKind(str, Enum):
    """The implementations that compare and swap a table's metadata, and were tried."""

    HIVE = "hive"
    JDBC = "jdbc"
    REST = "rest"


IMPLEMENTATIONS = {
    "org.apache.iceberg.hive.HiveCatalog": IcebergKind.HIVE,
    "org.apache.iceberg.jdbc.JdbcCatalog": IcebergKind.JDBC,
    "org.apache.iceberg.rest.RESTCatalog": IcebergKind.REST,
}
HADOOP = ("hadoop", "org.apache.iceberg.hadoop.HadoopCatalog")
DELETES_FOR_ALL = "table-override.write.metadata.delete-after-commit.enabled"
DIRECTORIES = (
    "a hadoop catalog's table is its directory: there is no second name for it on which to stage a "
    "version, and a rival's DROP succeeds under our commit"
)


def kind_of(catalog: str, options: Mapping[str, str]) -> IcebergKind:
    """The kind, by the catalog's own settings.

    Args:
        options: what stands after ``spark.sql.catalog.<catalog>.``

    Raises:
        AtomicityNotSupportedError: a kind that holds less, or that nobody has tried.
    """
    implementation = options.get("catalog-impl")
    named = implementation or options.get("type", IcebergKind.HIVE.value)
    if named in HADOOP:
        raise _refused(catalog, DIRECTORIES)
    if options.get(DELETES_FOR_ALL, "false").lower() == "true":
        raise _refused(
            catalog,
            f"{DELETES_FOR_ALL} is true, and a staged version shares the table's metadata files",
            f"remove spark.sql.catalog.{catalog}.{DELETES_FOR_ALL}; set it as a property of tables",
        )
    if named in IMPLEMENTATIONS:
        return IMPLEMENTATIONS[named]
    if implementation is None and named in {kind.value for kind in IcebergKind}:
        return IcebergKind(named)
    raise _refused(
        catalog, f"it is not known whether {named} compares and swaps a table's metadata"
    )


def _refused(catalog: str, why: str, remedy: str = "") -> AtomicityNotSupportedError:
    known = ", ".join(kind.value for kind in IcebergKind)
    return AtomicityNotSupportedError(
        f"nothing is published atomically on the Iceberg catalog {catalog}: {why}",
        left="nothing was started",
        remedy=remedy or f"use a catalog of type {known} (spark.sql.catalog.{catalog}.type)",
    )
