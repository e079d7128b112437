"""One run's view of a schema and its table ``t``, in a catalog that is not of files."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pyspark.sql import DataFrame, SparkSession
from typing_extensions import Self

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import SESSION_CATALOG, StagingContext, TableName
from ctas_spark.engines.session import SessionJob
from ctas_spark.publish.catalog import StagingCatalog
from ctas_spark.publish.staged_table import StagedTable

Own = TypeVar("Own", bound="RunPlace")


def open_run(spark: SparkSession, iceberg_catalogs: Sequence[str] = ()) -> CatalogsWithJvm:
    """The product's catalogs in a new invocation."""
    return CatalogsWithJvm(spark, iceberg_catalogs)


@dataclass(frozen=True)
class RunPlace(ABC):
    """What tests do in a schema, whatever the format; ``opened`` is the run's."""

    spark: SparkSession
    catalog: str
    schema: str
    opened: CatalogsWithJvm

    @abstractmethod
    def context(self) -> StagingContext:
        """A publication of the target."""

    def open_another(self) -> CatalogsWithJvm:
        """The catalogs of one more invocation."""
        return open_run(self.spark)

    def another_run(self) -> Self:
        """The same schema in another invocation."""
        return replace(self, opened=self.open_another())

    def close(self) -> None:
        """End the run; what it began stays as it is, as after a kill."""
        self.opened.close()

    @property
    def target(self) -> TableName:
        """The target."""
        return TableName(self.schema, "t", self.catalog)

    @property
    def table(self) -> str:
        """The target, as statements name it."""
        return str(self.target)

    @property
    def staging_schema(self) -> str:
        """Where versions have their records."""
        return f"{self.schema}__ctas"

    @property
    def staging(self) -> StagingCatalog:
        """The catalog that serves the target."""
        return self.opened.catalog_for(self.context())

    def begin(self, context: StagingContext | None = None) -> StagedTable[Any]:
        """A staged table that has begun."""
        asked = context or self.context()
        job = SessionJob(self.spark, f"job of {self.schema}", threading.Event())
        return self.opened.catalog_for(asked).plan(asked, job).begin()

    def stage(self, query: str, context: StagingContext | None = None) -> StagedTable[Any]:
        """A staged table that was filled and verified."""
        staged = self.begin(context)
        self.spark.sql(staged.statement(query))
        staged.verify()
        return staged

    def publish(self, query: str, context: StagingContext | None = None) -> StagedTable[Any]:
        """A staged table that was committed."""
        staged = self.stage(query, context)
        staged.commit()
        staged.settle()
        return staged

    def columns(self) -> list[str]:
        """The target's columns."""
        return self.spark.newSession().table(self.table).columns

    def properties(self) -> dict[str, str]:
        """The target's properties."""
        found = self.spark.sql(f"SHOW TBLPROPERTIES {self.table}").collect()
        return {row.key: row.value for row in found}

    def staged(self) -> list[str]:
        """What is in the staging schema."""
        path = self.staging_schema
        if self.catalog != SESSION_CATALOG:
            path = f"{self.catalog}.{path}"
        found = self.spark.sql(f"SHOW TABLES IN {path}").collect()
        return [str(row.tableName) for row in found if not row.isTemporary]

    def followed(self, checkpoint: Path, *options: str) -> list[tuple[object, ...]]:
        """What a stream of the target gets that goes on where its last run ended."""
        got: list[tuple[object, ...]] = []

        def take(batch: DataFrame, _: int) -> None:
            got.extend(map(tuple, batch.collect()))

        source = self.spark.readStream.options(**dict.fromkeys(options, "true")).table(self.table)
        sink = source.writeStream.foreachBatch(take).trigger(availableNow=True)
        sink.option("checkpointLocation", str(checkpoint)).start().awaitTermination()
        return sorted(got, key=str)
