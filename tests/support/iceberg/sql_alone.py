"""A run that has SQL alone, as over Spark Connect."""

from dataclasses import dataclass

from pyspark.sql import SparkSession

from ctas_spark.catalogs.levels import over_a_server
from ctas_spark.clock import SYSTEM_CLOCK, Clock
from ctas_spark.context import StagingContext
from ctas_spark.statement.catalog import StatementCatalog
from ctas_spark.statement.tables import SqlTables, asking

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
        return StatementCatalog(tables, over_a_server(self.file_format, "SQL"))

    def close(self) -> None:
        """Nothing is held."""
