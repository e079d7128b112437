"""A run that has SQL alone, as over Spark Connect."""

from dataclasses import dataclass

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.server import reached
from dbt.adapters.ctas_spark.staging.clock import SYSTEM_CLOCK, Clock
from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.statement.catalog import StatementCatalog
from dbt.adapters.ctas_spark.staging.statement.tables import SqlTables, asking

IN_SQL = " in SQL"


@dataclass(frozen=True)
class SqlAlone:
    """The catalogs of a run whose commit is SQL."""

    spark: SparkSession
    clock: Clock = SYSTEM_CLOCK
    file_format: str = "iceberg"

    def catalog_for(self, context: StagingContext) -> StatementCatalog:
        """A new one each time: nothing is kept of an earlier look."""
        ask, name = asking(self.spark), context.target.catalog
        branches = self.file_format == "iceberg"
        tables = SqlTables(ask, name, self.file_format, self.clock, has_branches=branches)
        return StatementCatalog(tables, reached(self.file_format, "SQL"))

    def close(self) -> None:
        """Nothing is held."""
