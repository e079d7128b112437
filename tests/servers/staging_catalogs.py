"""Catalogs in memory that stage: Spark's own of its tests, and two that are made of it here."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pyspark

from servers.jars import SPARK_TESTS, fetched, java

SOURCE = Path(__file__).parent / "StagingCatalogs.java"
COMPILER = "jdk.compiler/com.sun.tools.javac.Main"
LAST_WINS = "org.apache.spark.sql.connector.catalog.StagingInMemoryTableCatalog"


def jars(directory: Path) -> tuple[Path, Path]:
    """The jars that a session needs for them; one is made in ``directory``."""
    classes, made = directory / "classes", directory / "staging-catalogs.jar"
    spark = (Path(pyspark.__file__).parent / "jars").glob("*.jar")
    path = ":".join(map(str, (fetched(SPARK_TESTS), *spark)))
    subprocess.run([java(), "-m", COMPILER, "-cp", path, "-d", classes, SOURCE], check=True)
    with ZipFile(made, "w") as jar:
        for file in classes.iterdir():
            jar.write(file, file.name)
    return fetched(SPARK_TESTS), made


def catalogs() -> Mapping[str, str]:
    """The settings of ``last_wins``, ``isolated`` and ``eager``; each session has its tables."""
    name = "spark.sql.catalog"
    return {
        f"{name}.last_wins": LAST_WINS,
        f"{name}.isolated": "StagingCatalogs$Isolated",
        f"{name}.eager": "StagingCatalogs$Eager",
    }
