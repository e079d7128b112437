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
HADOOP_NAMES = ("hadoop", "org.apache.iceberg.hadoop.HadoopCatalog")
DELETES_FOR_ALL = "table-override.write.metadata.delete-after-commit.enabled"


def kind_of(catalog: str, options: Mapping[str, str]) -> IcebergKind | None:
    """The kind, by the catalog's own settings; None if it is not known to compare and swap.

    Args:
        options: what stands after ``spark.sql.catalog.<catalog>.``

    Raises:
        AtomicityNotSupportedError: its settings take files away that a staged version shares.
    """
    named = implementation_of(options)
    known = IMPLEMENTATIONS.get(named)
    if "catalog-impl" not in options and named in {kind.value for kind in IcebergKind}:
        known = IcebergKind(named)
    if known is not None and options.get(DELETES_FOR_ALL, "false").lower() == "true":
        setting = f"spark.sql.catalog.{catalog}.{DELETES_FOR_ALL}"
        raise AtomicityNotSupportedError(
            f"nothing is published atomically on the Iceberg catalog {catalog}: {DELETES_FOR_ALL} "
            "is true, and a staged version shares the table's metadata files",
            left="nothing was started",
            remedy=f"remove {setting}; set it as a property of tables",
        )
    return known


def swaps(options: Mapping[str, str]) -> bool:
    """True if the catalog is known to swap a table's metadata in one step."""
    named = implementation_of(options)
    return named in {*IMPLEMENTATIONS, *HADOOP_NAMES, *(kind.value for kind in IcebergKind)}


def implementation_of(options: Mapping[str, str]) -> str:
    """What implements the catalog: a class, or Iceberg's short name for one."""
    return options.get("catalog-impl") or options.get("type", IcebergKind.HIVE.value)
