"""A schema in a catalog that publishes by statement, with what tests do there."""

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.session import OpenedCatalog
from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableLayout,
)
from formats.run_place import RunPlace, open_run

DECLARED = {"last_wins": Atomicity.ATOMIC, "isolated": Atomicity.ISOLATED}
DEFAULT = TableLayout(format_given=False)


@dataclass(frozen=True)
class Place(RunPlace):
    """One run's view of a schema and its table ``t``; ``directory`` is that of the schema."""

    directory: Path

    @classmethod
    def new(
        cls,
        spark: SparkSession,
        catalog: str,
        schema: str,
        directory: Path,
        run: OpenedCatalog,
    ) -> "Place":
        """A schema that is empty; a hadoop catalog's schemas are where it wants them."""
        own = catalog == "hadoop"
        for name in (schema, f"{schema}__ctas"):
            where = "" if own else f"LOCATION '{directory / name}'"
            spark.sql(f"CREATE NAMESPACE {catalog}.{name} {where}")
        warehouse = spark.conf.get("spark.sql.catalog.hadoop.warehouse") if own else str(directory)
        return cls(spark, catalog, schema, run, Path(str(warehouse)))

    def open_another(self) -> OpenedCatalog:
        """With the same declarations."""
        return open_run(self.spark, DECLARED)

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

    def lease_directory(self) -> Path:
        """In the staging namespace."""
        return self.directory / self.staging_schema / "ctas-spark" / "leases"
