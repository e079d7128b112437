"""One catalog on fakes, and models that are taken through it step by step."""

from dataclasses import replace

from dbt.adapters.ctas_spark.staging.catalogs.hive import HiveCatalog
from dbt.adapters.ctas_spark.staging.context import StagingContext, StagingPurpose, TableName
from dbt.adapters.ctas_spark.staging.lease import Lease
from dbt.adapters.ctas_spark.staging.marker import PREFIX, TARGET, VERSION
from dbt.adapters.ctas_spark.staging.records import STATE, RecordState
from dbt.adapters.ctas_spark.staging.staged_table import StagedTable
from fakes.engine import FakeEngine, FakeJob
from fakes.metastore import FakeMetastore, entry
from fakes.storage import FakeStorage

TARGET_NAME = TableName("shop", "orders")
STAGING_SCHEMA = "shop__ctas_spark"


class World:
    """Metastore, storage and engine, shared by every run that is made on them."""

    def __init__(self, *, single_process: bool = False) -> None:
        self.metastore = FakeMetastore()
        self.storage = FakeStorage()
        self.engine = FakeEngine()
        self.job = FakeJob()
        self.lease = Lease(self.storage)
        self.single_process = single_process

    def catalog(self) -> HiveCatalog:
        """The catalog of one run."""
        return HiveCatalog(
            self.metastore,
            self.storage,
            self.engine,
            self.lease,
            single_process=self.single_process,
        )

    def table(self, purpose: str = "create_or_replace", **context: object) -> StagedTable:
        """A staged table for the one target."""
        asked = StagingContext(TARGET_NAME, STAGING_SCHEMA, StagingPurpose(purpose))
        return self.catalog().apply_staging(replace(asked, **context), self.job)  # type: ignore[arg-type]

    def stage(self, staged: StagedTable) -> None:
        """What the CTAS does: files, then the record with its properties."""
        staged.statement("select 1 as id")
        directory = staged.root.version(staged.version)
        self.storage.write(f"{directory}/part-0.parquet", "rows")
        self.metastore.tables[staged.record] = entry(
            staged.record,
            location=directory,
            parameters={
                STATE: RecordState.STAGED.value,
                TARGET: str(staged.target),
                VERSION: staged.version,
                f"{PREFIX}base": str(staged.base),
                "transient_lastDdlTime": "1000",
                "spark.sql.sources.provider": "parquet",
            },
        )

    def begun(self, purpose: str = "create_or_replace", **context: object) -> StagedTable:
        """A table that has begun and staged, ready to commit."""
        staged = self.table(purpose, **context)
        staged.begin()
        self.stage(staged)
        staged.verify()
        return staged

    def published(self, purpose: str = "create_or_replace") -> StagedTable:
        """A table that another run has published."""
        staged = self.begun(purpose)
        staged.commit()
        staged.settle()
        return staged

    def versions_on_storage(self) -> set[str]:
        """Version ids that have files."""
        return {path.split("/")[-2] for path in self.storage.files if path.endswith(".parquet")}

    def records(self) -> set[str]:
        """The records' table names."""
        return {n.table for n in self.metastore.tables if n.database == STAGING_SCHEMA}
