"""Iceberg catalogs of classes that nobody knows: made here, or Iceberg's own in memory."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

from servers.iceberg import jdbc_catalog
from servers.jars import ICEBERG, SQLITE_DRIVER, fetched, java

SOURCE = Path(__file__).parent / "OwnCatalogs.java"
COMPILER = "jdk.compiler/com.sun.tools.javac.Main"


def jars(directory: Path) -> tuple[Path, ...]:
    """The jars that a session needs for them; one is made in ``directory``."""
    classes, made = directory / "classes", directory / "own-catalogs.jar"
    iceberg = fetched(ICEBERG)
    subprocess.run([java(), "-m", COMPILER, "-cp", iceberg, "-d", classes, SOURCE], check=True)
    with ZipFile(made, "w") as jar:
        for file in classes.iterdir():
            jar.write(file, file.name)
    return iceberg, fetched(SQLITE_DRIVER), made


def catalogs(directory: Path) -> Mapping[str, str]:
    """The settings of ``sound``, ``unchecked`` and ``memory``; ``stored`` is of type jdbc.

    Its files lie in an object store that Hadoop does not know.
    """
    return {
        **_of_jdbc("stored", directory),
        "spark.sql.catalog.stored.io-impl": "OwnCatalogs$Store",
        "spark.sql.catalog.stored.warehouse": "stored://lake",
        **_own("sound", "Sound", directory),
        **_own("unchecked", "Unchecked", directory),
        "spark.sql.catalog.memory": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.memory.catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog",
    }


def _own(name: str, kind: str, directory: Path) -> dict[str, str]:
    below = _of_jdbc(name, directory)
    del below[f"spark.sql.catalog.{name}.type"]
    return {**below, f"spark.sql.catalog.{name}.catalog-impl": f"OwnCatalogs${kind}"}


def _of_jdbc(name: str, directory: Path) -> dict[str, str]:
    settings = jdbc_catalog(name, directory).items()
    return {key: value for key, value in settings if key.startswith(f"spark.sql.catalog.{name}")}
