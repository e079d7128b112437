"""One catalog on fakes, and models that are taken through it step by step."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from dbt.adapters.ctas_spark.staging.context import (
    PartitionMetadata,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
)
from dbt.adapters.ctas_spark.staging.files.catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.files.records import record_properties
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.metastore.entry import MANAGED
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from fakes.engine import FakeEngine, FakeJob
from fakes.metastore import FakeMetastore, entry
from fakes.partitions import partition
from fakes.storage import FakeStorage

TARGET_NAME = TableName("shop", "orders")
STAGING_SCHEMA = "shop__ctas_spark"
BY_MONTH = TableLayout(partition_by=("month",))


class KilledError(BaseException):
    """The process ended here; no abort catches it."""


@contextmanager
def killed(metastore: FakeMetastore, call: str, *, after: bool = False) -> Iterator[None]:
    """A process that ends just before a metastore call, or just after it; the block ends there."""

    def die(made: str) -> None:
        if made == call:
            raise KilledError

    hook = "after" if after else "before"
    setattr(metastore, hook, die)
    try:
        with suppress(KilledError):
            yield
            raise AssertionError(f"the process made no call {call}")
    finally:
        setattr(metastore, hook, lambda _call: None)


class World:
    """Metastore, storage and engine, shared by every run that is made on them."""

    def __init__(self, *, single_process: bool = False) -> None:
        self.metastore = FakeMetastore()
        self.storage = FakeStorage()
        self.engine = FakeEngine()
        self.job = FakeJob()
        self.lease = Lease(self.storage)
        self.single_process = single_process

    def catalog(self) -> SessionCatalog:
        """The catalog of one run."""
        return SessionCatalog(
            self.metastore,
            self.storage,
            self.engine,
            self.lease,
            kind="hive",
            locks=None if self.single_process else self.metastore,
        )

    def table(self, purpose: str = "create_or_replace", **context: object) -> StagedFileTable:
        """A staged table for the one target."""
        asked = StagingContext(TARGET_NAME, STAGING_SCHEMA, StagingPurpose(purpose))
        return self.catalog().apply_staging(replace(asked, **context), self.job)  # type: ignore[arg-type]

    def stage(self, staged: StagedFileTable, *months: str) -> None:
        """What the CTAS does: files, then the record with its properties and partitions."""
        staged.statement("select 1 as id")
        directory = staged.root.version(staged.version)
        self.storage.write(f"{directory}/part-0.parquet", "rows")
        partitioned = bool(staged.context.layout.partition_by)
        self.metastore.tables[staged.record] = entry(
            staged.record,
            location=directory,
            partition_keys=staged.context.layout.partition_by,
            parameters={
                **record_properties(
                    target=staged.target,
                    version=staged.version,
                    base=staged.base,
                    lease=self.lease.id,
                    root=str(staged.root),
                ),
                "transient_lastDdlTime": "1000",
                "spark.sql.sources.provider": "parquet",
                **({"spark.sql.partitionProvider": "catalog"} if partitioned else {}),
            },
        )
        for month in months:
            kept = self.metastore.kept.setdefault(staged.record, {})
            kept[(month,)] = partition(f"{directory}/month={month}", month)

    def begun(
        self, purpose: str = "create_or_replace", *months: str, **context: object
    ) -> StagedFileTable:
        """A table that has begun and staged, ready to commit; by ``months``, if there are some."""
        if months:
            context.setdefault("layout", BY_MONTH)
            context.setdefault("partition_metadata", PartitionMetadata.TRACKED)
        staged = self.table(purpose, **context)
        staged.begin()
        self.stage(staged, *months)
        staged.verify()
        return staged

    def published(self, purpose: str = "create_or_replace", *months: str) -> StagedFileTable:
        """A table that another run has published."""
        staged = self.begun(purpose, *months)
        staged.commit()
        staged.settle()
        return staged

    def makes_managed(self) -> None:
        """The target becomes a managed table, as a plain CTAS makes it."""
        found = self.metastore.tables[TARGET_NAME]
        self.metastore.tables[TARGET_NAME] = replace(found, table_type=MANAGED)

    def versions_on_storage(self) -> set[str]:
        """Version ids that have files."""
        return {path.split("/")[-2] for path in self.storage.files if path.endswith(".parquet")}

    def months(self) -> set[tuple[str, str]]:
        """Month and version id of each partition that the metastore keeps of the target."""
        kept = self.metastore.kept.get(TARGET_NAME, {}).values()
        return {(one.values[0], one.location.split("/")[-2]) for one in kept}

    def records(self) -> set[str]:
        """The records' table names."""
        return {n.table for n in self.metastore.tables if n.database == STAGING_SCHEMA}
