"""Fill a metastore with tables or versions before anything is measured.

PYTHONPATH=bench python -m side_by_side.crowd tables 5000
"""

import argparse
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyspark.sql import SparkSession

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import StagingContext, TableName
from ctas_spark.engines.launch import start_spark
from side_by_side.cases import Crowd
from side_by_side.staged import linked, staged

BENCH = Path(__file__).parents[1]
SCHEMA, STAGING = "bench", "bench__ctas_spark"
THREADS = 4


def gather(crowd: Crowd, size: int, directory: Path) -> None:
    """Fill the metastore in a directory, or copy what an earlier round made there.

    It has to be the same directory each time, because a metastore knows its tables by their paths.
    """
    template = directory.with_name(f"{crowd.value}-{size}")
    if not template.exists():
        subprocess.run(  # noqa: S603 (this module)
            [sys.executable, "-m", __name__, crowd.value, str(size)],
            cwd=directory,
            env={**os.environ, "PYTHONPATH": str(BENCH)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        shutil.copytree(directory, template)
    else:
        shutil.copytree(template, directory, dirs_exist_ok=True)


def main() -> None:
    """Fill the metastore of the working directory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crowd", type=Crowd, choices=list(Crowd))
    parser.add_argument("size", type=int)
    options = parser.parse_args()
    here = Path.cwd()
    spark = start_spark({}, str(here / "crowd-logs"), project=here)
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    fill = {Crowd.TABLES: _make_tables, Crowd.VERSIONS: _publish_versions}[options.crowd]
    fill(spark, options.size, here)
    spark.stop()


def _make_tables(spark: SparkSession, size: int, here: Path) -> None:
    """Tables over one directory."""
    place = here / "crowd-files"

    def make(number: int) -> None:
        name = f"{SCHEMA}.other_{number}"
        spark.sql(f"CREATE TABLE {name} (id INT) USING parquet LOCATION '{place}'")

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(make, range(size)))


def _publish_versions(spark: SparkSession, size: int, here: Path) -> None:
    """So many versions of the first model, of which each run keeps all for an hour."""
    template = here / "crowd-files"
    spark.range(1).coalesce(1).write.parquet(str(template))
    opened, context = CatalogsWithJvm(spark), StagingContext(TableName(SCHEMA, "m0"), STAGING)
    for _ in range(size):
        table = staged(spark, opened, context, "SELECT", linked(spark, template))
        table.commit()
        table.settle()
    opened.close()


if __name__ == "__main__":
    main()
