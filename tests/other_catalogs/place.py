"""A schema in a catalog that publishes by statement, with what tests do there."""

import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.opened import OpenedCatalog, open_catalog
from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
)
from dbt.adapters.ctas_spark.staging.engines.session import SessionJob
from dbt.adapters.ctas_spark.staging.staged_table import StagedTable

DECLARED = {"last_wins": Atomicity.ATOMIC, "isolated": Atomicity.ISOLATED}
DEFAULT = TableLayout(format_given=False)


@dataclass(frozen=True, slots=True)
class Place:
    """One run's view of a schema and its table ``t``; ``directory`` is that of the schema."""

    spark: SparkSession
    catalog: str
    schema: str
    directory: Path
    opened: OpenedCatalog

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
        return cls(spark, catalog, schema, Path(str(warehouse)), run)

    def another_run(self) -> "Place":
        """The same schema in another invocation."""
        return replace(self, opened=open_run(self.spark))

    def close(self) -> None:
        """End the run."""
        self.opened.close()

    @property
    def table(self) -> str:
        """The target, as statements name it."""
        return f"{self.catalog}.{self.schema}.t"

    @property
    def staging_schema(self) -> str:
        return f"{self.schema}__ctas"

    def context(
        self,
        purpose: StagingPurpose = StagingPurpose.CREATE_OR_REPLACE,
        on_conflict: OnConflict = OnConflict.ABORT,
        layout: TableLayout = DEFAULT,
        atomicity: Atomicity = Atomicity.AUTO,
    ) -> StagingContext:
        """A publication of the target."""
        return StagingContext(
            TableName(self.schema, "t", self.catalog),
            self.staging_schema,
            purpose=purpose,
            on_conflict=on_conflict,
            layout=layout,
            atomicity=atomicity,
        )

    @property
    def staging(self) -> StagingCatalog:
        """The product's catalog."""
        return self.opened.catalog_for(self.context())

    def begin(self, context: StagingContext | None = None) -> StagedTable:
        """A staged table that has begun."""
        job = SessionJob(self.spark, "tests", threading.Event(), 10.0)
        staged = self.staging.apply_staging(context or self.context(), job)
        staged.begin()
        return staged

    def stage(self, query: str, context: StagingContext | None = None) -> StagedTable:
        """A staged table whose job has ended."""
        staged = self.begin(context)
        self.spark.sql(staged.statement(query))
        staged.verify()
        return staged

    def publish(self, query: str, context: StagingContext | None = None) -> StagedTable:
        """A staged table that was committed."""
        staged = self.stage(query, context)
        staged.commit()
        staged.settle()
        return staged

    def rows(self, table: str = "") -> list[tuple[object, ...]]:
        """All rows of the target, sorted; a catalog in memory has them in its own session only."""
        found = self.spark.sql(f"SELECT * FROM {table or self.table}").collect()
        return sorted(map(tuple, found), key=str)

    def exists(self) -> bool:
        """True if there is a target."""
        found = self.spark.sql(f"SHOW TABLES IN {self.catalog}.{self.schema}").collect()
        return bool(found)

    def staged(self) -> list[str]:
        """What is in the staging schema."""
        found = self.spark.sql(f"SHOW TABLES IN {self.catalog}.{self.staging_schema}").collect()
        return [str(row.tableName) for row in found]

    def properties(self) -> Mapping[str, str]:
        """The target's properties."""
        found = self.spark.sql(f"SHOW TBLPROPERTIES {self.table}").collect()
        return {row.key: row.value for row in found}

    @property
    def leases(self) -> Path:
        """Where runs say that they are alive."""
        return self.directory / self.staging_schema / "ctas-spark" / "leases"


def open_run(spark: SparkSession, declared: Mapping[str, Atomicity] | None = None) -> OpenedCatalog:
    """The product's catalogs in a new invocation."""
    return open_catalog(
        spark,
        lambda error: warnings.warn(str(error), stacklevel=1),
        DECLARED if declared is None else declared,
    )
