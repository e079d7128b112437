"""Versions that are staged and published without dbt, in a session of one's own."""

import re
import shutil
import threading
from collections.abc import Callable
from os import link
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import StagingContext
from ctas_spark.engines.session import SessionJob
from ctas_spark.publish.staged_table import StagedTable

ONE_COLUMN = "id BIGINT"
Fill = Callable[[str], None]
"""Fills a version, given its CTAS."""


def staged(
    spark: SparkSession, opened: CatalogsWithJvm, context: StagingContext, query: str, fill: Fill
) -> StagedTable[Any]:
    """A version ready to be committed."""
    job = SessionJob(spark, context.target.table, threading.Event())
    table = opened.catalog_for(context).plan(context, job).begin()
    fill(table.statement(query))
    table.verify()
    return table


def linked(spark: SparkSession, template: Path, columns: str = ONE_COLUMN) -> Fill:
    """Files are linked into place, and a version's record is made by SQL: no Spark job runs."""

    def fill(ctas: str) -> None:
        shutil.copytree(template, location(ctas), copy_function=link)
        created, _, _ = ctas.partition("\nAS\n")
        spark.sql(created.replace("\nUSING ", f" ({columns})\nUSING ", 1))

    return fill


def location(ctas: str) -> Path:
    """The directory that a CTAS writes into."""
    found = re.search(r"LOCATION '(?:file:)?([^']+)'", ctas)
    if found is None:
        raise ValueError(ctas)
    return Path(found[1])
