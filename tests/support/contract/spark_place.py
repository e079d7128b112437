"""What every place has whose catalog is a Spark session's, with its files on this machine."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from pyspark.sql import SparkSession

from contract import spark_others
from contract.claims import CLAIMS
from contract.contents import Content
from contract.entry_clients import EntryClient
from contract.places import Entry, Others
from ctas_spark import quoting
from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import SESSION_CATALOG, TableName
from ctas_spark.engines.protocol import Job
from ctas_spark.files.staging_entry import STAGING_ID
from ctas_spark.publish.staged_table import StagedTable

SCHEMA = "contract"
ANOTHER_SCHEMA = f"{SCHEMA}_too"
STAGING = f"{SCHEMA}__ctas_spark"


class SparkPlace:
    """A session in this process; entries are read by ``client``, rows by ``others``."""

    schema = SCHEMA
    another_schema = ANOTHER_SCHEMA
    staging_schema = STAGING
    orphan_age_ms = 0

    def __init__(  # noqa: PLR0913, PLR0917 (all that stands around a catalog)
        self,
        name: str,
        spark: SparkSession,
        warehouse: Path,
        others: Others,
        client: EntryClient,
        catalog: str = SESSION_CATALOG,
    ) -> None:
        self.name = name
        self.claim = CLAIMS[name]
        self.catalog = catalog
        self.spark = spark
        self.others = others
        self._warehouse = warehouse
        self._client = client

    def open_run(self) -> CatalogsWithJvm:
        return spark_others.open_run(self.spark, repeatable_reads=self.claim.reaches is None)

    def job(self) -> Job:
        return spark_others.job(self.spark)

    def grow_old(self) -> None:
        """No clock of a real storage can be turned on."""

    def stage(self, staged: StagedTable[Any], content: Content) -> None:
        self.spark.sql(staged.statement(content.query))

    def fill(self, staged: StagedTable[Any], content: Content) -> None:
        self.spark.sql(staged.fill_statement(content.query) or "")

    def read_here(self, target: TableName) -> dict[str, Any]:
        return spark_others.read(self.spark.table(quoting.table(target)))

    def entry(self, target: TableName) -> Entry | None:
        return self._client.entry(target)

    def files(self, directory: str) -> Mapping[str, object]:
        stats = {path: path.stat() for path in path_of(directory).rglob("*") if path.is_file()}
        return {str(path): (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}

    def remove(self, directory: str) -> None:
        path = Path(directory) if directory.startswith("/") else path_of(directory)
        path.unlink() if path.is_file() else shutil.rmtree(path)

    def records(self) -> list[str]:
        return [name for name in self._client.tables(STAGING) if name != STAGING_ID]


def make_schemas(spark: SparkSession, catalog: str = SESSION_CATALOG) -> None:
    """The schemas of the tables under test."""
    for name in (SCHEMA, ANOTHER_SCHEMA):
        spark.sql(f"CREATE SCHEMA IF NOT EXISTS {catalog}.{name}")


def path_of(directory: str) -> Path:
    """The path of a directory's URI."""
    return Path(unquote(urlparse(directory).path))
