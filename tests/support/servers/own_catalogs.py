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
    """The settings of ``sound``, ``unchecked`` and ``memory``."""
    return {
        **_own("sound", "Sound", directory),
        **_own("unchecked", "Unchecked", directory),
        "spark.sql.catalog.memory": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.memory.catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog",
    }


def _own(name: str, kind: str, directory: Path) -> dict[str, str]:
    catalog = f"spark.sql.catalog.{name}"
    below = {
        key: value
        for key, value in jdbc_catalog(name, directory).items()
        if key.startswith(catalog)
    }
    del below[f"{catalog}.type"]
    return {**below, f"{catalog}.catalog-impl": f"OwnCatalogs${kind}"}
