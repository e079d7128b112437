"""A schema in an Iceberg catalog, with what tests do there."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

from ctas_spark.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
)
from ctas_spark.engines.session import SessionEngine
from ctas_spark.iceberg.facts import TableFacts
from ctas_spark.iceberg.garbage import IcebergGarbage
from ctas_spark.iceberg.tables import IcebergServices, IcebergTables
from ctas_spark.steps import StepReport
from formats.run_place import RunPlace, open_run

NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True)
class Place(RunPlace):
    """One run's view of a schema and its table ``t``."""

    @classmethod
    def new(cls, spark: SparkSession, catalog: str, schema: str) -> "Place":
        """A schema that is empty."""
        spark.sql(f"CREATE NAMESPACE {catalog}.{schema}")
        return cls(spark, catalog, schema, open_run(spark))

    def context(
        self,
        *,
        purpose: StagingPurpose = StagingPurpose.CREATE_OR_REPLACE,
        atomicity: Atomicity = Atomicity.AUTO,
        on_conflict: OnConflict = OnConflict.ABORT,
        partition_by: tuple[str, ...] = (),
        properties: Mapping[str, str] = NOTHING,
    ) -> StagingContext:
        """A publication of the target."""
        return StagingContext(
            self.target,
            self.staging_schema,
            purpose=purpose,
            atomicity=atomicity,
            on_conflict=on_conflict,
            layout=TableLayout("iceberg", partition_by, properties=properties),
        )

    def files_context(self) -> StagingContext:
        """A publication of the target as a table of files."""
        return replace(self.context(), layout=TableLayout("parquet"))

    def rows(self, what: str = "*", source: str = "") -> list[tuple[object, ...]]:
        """What a new session reads of the target, sorted."""
        query = f"SELECT {what} FROM {self.table}{source}"
        return sorted(map(tuple, self.spark.newSession().sql(query).collect()), key=str)

    def files(self) -> set[str]:
        """Every file of the schema's tables."""
        directory = self._directory(self.schema)
        files = (path for path in directory.rglob("*") if path.is_file())
        return {str(path) for path in files if not path.name.endswith(".crc")}

    def data_files(self) -> set[str]:
        """Those of them that hold rows."""
        return {path for path in self.files() if path.endswith(".parquet")}

    def files_of(self, version: str) -> set[str]:
        """The files that lie in directories of the version."""
        return {path for path in self.files() if version in path}

    def expire_snapshots(self) -> None:
        """Leave the current one alone."""
        self.spark.sql(
            f"CALL {self.catalog}.system.expire_snapshots(table => '{self.schema}.t', "
            "older_than => timestamp '2100-01-01', retain_last => 1)"
        )

    def _directory(self, schema: str) -> Path:
        rows = self.spark.sql(f"DESCRIBE NAMESPACE {self.catalog}.{schema}").collect()
        location = next(row.info_value for row in rows if row.info_name == "Location")
        return Path(str(location).removeprefix("file:"))

    def facts(self) -> TableFacts:
        """What the target's metadata says."""
        found = IcebergTables(self.spark, self.catalog).find(self.target)
        assert found is not None
        return found.facts

    def another_name(self) -> TableName:
        """A name in the schema that no table has."""
        return replace(self.target, table="another")

    def fence(self) -> None:
        """What a vacuum does to a target that old attempts may still land on."""
        tables = IcebergTables(self.spark, self.catalog)
        services = IcebergServices(tables, SessionEngine(self.spark))
        IcebergGarbage(self.context(), services, StepReport(self.target)).fence()
