"""A schema in a catalog that publishes by statement or is declared, with what tests do there."""

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from contract.spark_place import path_of
from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableLayout,
)
from formats.run_place import RunPlace

DEFAULT = TableLayout(format_given=False)
OLD = "SELECT CAST(id AS INT) AS id, 'old' AS name FROM range(2)"
OLD_ROWS = [(0, "old"), (1, "old")]
NEW = "SELECT 'new' AS name, 1 AS more"
NEW_ROWS = [("new", 1)]


@dataclass(frozen=True)
class Place(RunPlace):
    """One run's view of a schema and its table ``t``."""

    @classmethod
    def new(cls, spark: SparkSession, catalog: str, schema: str, run: CatalogsWithJvm) -> "Place":
        """A schema that is empty."""
        spark.sql(f"CREATE NAMESPACE {catalog}.{schema}")
        return cls(spark, catalog, schema, run)

    @property
    def directory(self) -> Path:
        """A hadoop catalog's: each namespace is a directory in it."""
        return path_of(str(self.spark.conf.get(f"spark.sql.catalog.{self.catalog}.warehouse")))

    def context(
        self,
        purpose: StagingPurpose = StagingPurpose.CREATE_OR_REPLACE,
        on_conflict: OnConflict = OnConflict.ABORT,
        layout: TableLayout = DEFAULT,
        atomicity: Atomicity = Atomicity.AUTO,
    ) -> StagingContext:
        """A publication of the target."""
        return StagingContext(
            self.target,
            self.staging_schema,
            purpose=purpose,
            on_conflict=on_conflict,
            layout=layout,
            atomicity=atomicity,
        )

    def rows(self, table: str = "") -> list[tuple[object, ...]]:
        """All rows of the target, sorted; a catalog in memory has them in its own session only."""
        found = self.spark.sql(f"SELECT * FROM {table or self.table}").collect()
        return sorted(map(tuple, found), key=str)

    def exists(self) -> bool:
        """True if there is a target."""
        found = self.spark.sql(f"SHOW TABLES IN {self.catalog}.{self.schema}").collect()
        return bool(found)
