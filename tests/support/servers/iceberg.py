"""Iceberg catalogs for tests: what a session has to be started with."""

from collections.abc import Mapping
from pathlib import Path

from servers.jars import ICEBERG, SQLITE_DRIVER, fetched

EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"

# Each session of a JVM has connections of its own: reads block no write, and a write waits.
SHARED = "journal_mode=WAL&busy_timeout=30000"

NEW_TYPES = {"hive.metastore.disallow.incompatible.col.type.changes": "false"}
"""Iceberg's docs ask for it on the metastore: its own commit writes Hive's columns along."""


def jdbc_catalog(name: str, directory: Path) -> Mapping[str, str]:
    """The settings of a catalog whose tables a SQLite file below ``directory`` points to."""
    catalog = f"spark.sql.catalog.{name}"
    return {
        "spark.jars": f"{fetched(ICEBERG)},{fetched(SQLITE_DRIVER)}",
        "spark.sql.extensions": EXTENSIONS,
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "jdbc",
        f"{catalog}.uri": f"jdbc:sqlite:{directory / name}.sqlite?{SHARED}",
        f"{catalog}.warehouse": str(directory / f"{name}-warehouse"),
        f"{catalog}.jdbc.schema-version": "V1",
    }


def hadoop_catalog(name: str, directory: Path) -> Mapping[str, str]:
    """The settings of a catalog whose tables are directories; Iceberg's jar has to be there."""
    catalog = f"spark.sql.catalog.{name}"
    return {
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "hadoop",
        f"{catalog}.warehouse": f"file://{directory / name}",
    }


def hive_catalog(name: str) -> Mapping[str, str]:
    """The settings of a catalog on the session's own metastore."""
    catalog = f"spark.sql.catalog.{name}"
    return {catalog: "org.apache.iceberg.spark.SparkCatalog", f"{catalog}.type": "hive"}


def session_catalog() -> Mapping[str, str]:
    """The settings that make ``spark_catalog`` Iceberg's, on the session's own metastore."""
    catalog = "spark.sql.catalog.spark_catalog"
    return {catalog: "org.apache.iceberg.spark.SparkSessionCatalog", f"{catalog}.type": "hive"}


def hive_catalogs(directory: Path) -> Mapping[str, str]:
    """The catalog ``hive``, and Iceberg's ``spark_catalog``, on one metastore."""
    types = {f"spark.hadoop.{name}": value for name, value in NEW_TYPES.items()}
    metastore = embedded_metastore(directory)
    return {**metastore, **types, **hive_catalog("hive"), **session_catalog()}


def embedded_metastore(directory: Path) -> Mapping[str, str]:
    """A session's own, below ``directory``: pyspark has no BoneCP, and Derby no lock tables."""
    return {
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": str(directory / "warehouse"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={directory / 'metastore'};create=true"
        ),
        "spark.hadoop.datanucleus.connectionPoolingType": "HikariCP",
        "spark.hadoop.hive.metastore.schema.verification": "false",
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
        "spark.hadoop.iceberg.engine.hive.lock-enabled": "false",
    }
