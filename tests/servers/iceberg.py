"""Iceberg catalogs for tests: what a session has to be started with."""

from collections.abc import Mapping
from pathlib import Path

from servers.jars import ICEBERG, SQLITE_DRIVER, fetched

EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"

# Each session of a JVM has connections of its own: reads block no write, and a write waits.
SHARED = "journal_mode=WAL&busy_timeout=30000"


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
