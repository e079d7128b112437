"""A schema in an Iceberg catalog, with what tests do there."""

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
from dbt.adapters.ctas_spark.staging.iceberg.fence import fence
from dbt.adapters.ctas_spark.staging.iceberg.services import IcebergServices
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergTables
from dbt.adapters.ctas_spark.staging.lease_file import LeaseFile
from dbt.adapters.ctas_spark.staging.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.staged_table import StagedTable

NOTHING: Mapping[str, str] = {}
NOBODYS_PID = 2**22 - 1


@dataclass(frozen=True, slots=True)
class Place:
    """One run's view of a schema and its table ``t``."""

    spark: SparkSession
    catalog: str
    schema: str
    opened: OpenedCatalog

    @classmethod
    def new(cls, spark: SparkSession, catalog: str, schema: str) -> "Place":
        """A schema that is empty."""
        spark.sql(f"CREATE NAMESPACE {catalog}.{schema}")
        return cls(spark, catalog, schema, _opened(spark))

    def another_run(self) -> "Place":
        """The same schema in another invocation."""
        return Place(self.spark, self.catalog, self.schema, _opened(self.spark))

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

    def context(  # noqa: PLR0913 (what a model may say)
        self,
        *,
        purpose: StagingPurpose = StagingPurpose.CREATE_OR_REPLACE,
        atomicity: Atomicity = Atomicity.AUTO,
        on_conflict: OnConflict = OnConflict.ABORT,
        partition_by: tuple[str, ...] = (),
        properties: Mapping[str, str] = NOTHING,
        unknown_after: int = 86_400,
    ) -> StagingContext:
        """A publication of the target."""
        return StagingContext(
            TableName(self.schema, "t", self.catalog),
            self.staging_schema,
            purpose=purpose,
            atomicity=atomicity,
            on_conflict=on_conflict,
            layout=TableLayout("iceberg", partition_by, properties=properties),
            unknown_after_seconds=unknown_after,
        )

    def files_context(self) -> StagingContext:
        """A publication of the target as a table of files."""
        return replace(self.context(), layout=TableLayout("parquet"))

    @property
    def staging(self) -> StagingCatalog:
        """The catalog that serves the target."""
        return self.opened.catalog_for(self.context())

    def begin(self, context: StagingContext) -> StagedTable:
        """A staged table that has begun."""
        job = SessionJob(self.spark, f"job of {self.schema}", threading.Event())
        staged = self.opened.catalog_for(context).apply_staging(context, job)
        staged.begin()
        return staged

    def stage(self, query: str, context: StagingContext | None = None) -> StagedTable:
        """A staged table that was filled and verified."""
        staged = self.begin(context or self.context())
        self.spark.sql(staged.statement(query))
        staged.verify()
        return staged

    def publish(self, query: str, context: StagingContext | None = None) -> StagedTable:
        """A staged table that was committed."""
        staged = self.stage(query, context)
        staged.commit()
        staged.settle()
        return staged

    def rows(self, what: str = "*", source: str = "") -> list[tuple[object, ...]]:
        """What a new session reads of the target, sorted."""
        query = f"SELECT {what} FROM {self.table}{source}"
        return sorted(map(tuple, self.spark.newSession().sql(query).collect()), key=str)

    def columns(self) -> list[str]:
        """The target's columns."""
        return self.spark.newSession().table(self.table).columns

    def forks(self) -> list[str]:
        """What is in the staging schema."""
        found = self.spark.sql(f"SHOW TABLES IN {self.catalog}.{self.staging_schema}").collect()
        return [str(row.tableName) for row in found if not row.isTemporary]

    def properties(self) -> dict[str, str]:
        """The target's properties."""
        found = self.spark.sql(f"SHOW TBLPROPERTIES {self.table}").collect()
        return {row.key: row.value for row in found}

    def files(self) -> set[str]:
        """Every file of the schema's tables."""
        directory = self._directory(self.schema)
        files = (path for path in directory.rglob("*") if path.is_file())
        return {str(path) for path in files if not path.name.endswith(".crc")}

    def _directory(self, schema: str) -> Path:
        rows = self.spark.sql(f"DESCRIBE NAMESPACE {self.catalog}.{schema}").collect()
        location = next(row.info_value for row in rows if row.info_name == "Location")
        return Path(str(location).removeprefix("file:"))

    def leases(self) -> set[str]:
        """The runs that are alive, or left something."""
        directory = self._directory(self.staging_schema) / "ctas-spark" / "leases"
        return {path.name for path in directory.iterdir() if not path.name.startswith(".")}

    def fence(self) -> None:
        """What a sweeper does to the target."""
        name = self.context().target
        table = IcebergTables(self.spark, self.catalog).find(name)
        assert table is not None
        fence(table, name, 0)

    def die(self) -> None:
        """End the run as a kill does: its lease stays, and names a process that is gone."""
        services: IcebergServices = self.staging._services  # type: ignore[attr-defined]  # noqa: SLF001
        lease = services.lease.id
        self.opened.close()
        leases = self._directory(self.staging_schema) / "ctas-spark" / "leases"
        gone = ProcessIdentity(ProcessIdentity.current().host, NOBODYS_PID, 0.0)
        (leases / lease).write_text(LeaseFile(lease, gone, services.lease.catalog).to_text())


def _opened(spark: SparkSession) -> OpenedCatalog:
    return open_catalog(spark, lambda error: warnings.warn(str(error), stacklevel=1))
