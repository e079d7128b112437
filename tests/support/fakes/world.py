"""One catalog of tables of files on fakes, and models that are taken through it step by step."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import (
    PartitionMetadata,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
)
from ctas_spark.files.base import (
    PARTITION_HOLDER,
    PARTITION_PROVIDER,
    PARTITIONS,
)
from ctas_spark.files.catalog import SessionCatalog
from ctas_spark.metastore.client import MANAGED, TableEntry
from ctas_spark.publish.locks import ProcessLock
from ctas_spark.publish.marker import Marker
from ctas_spark.publish.staged_table import Plan, StagedTable
from ctas_spark.retention.rules import RetentionRules, Sweep
from fakes.clock import FakeClock
from fakes.engine import FakeEngine, FakeJob
from fakes.metastore import FakeMetastore, entry
from fakes.partitions import partition
from fakes.storage import FakeStorage

TARGET_NAME = TableName("shop", "orders")
STAGING_SCHEMA = "shop__ctas_spark"
BY_MONTH = TableLayout(partition_by=("month",))
CONTEXT = StagingContext(TARGET_NAME, STAGING_SCHEMA)
AT_ONCE = RetentionRules(versions_to_keep=0, grace_ms=0)
"""Nothing superseded is kept; orphans still have to be old."""
ADDRESS = "thrift://metastore:9083"

Staged = StagedTable[Any]


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
    """Metastore, storage, engine and clocks, shared by every run that is made on them.

    With ``single_process`` no other process can be a client of the metastore.
    """

    def __init__(self, *, single_process: bool = False) -> None:
        self.clock = FakeClock()
        self.metastore = FakeMetastore(lambda: self.clock.wall // 1_000)
        self.storage = FakeStorage(self.clock)
        self.engine = FakeEngine()
        self.job = FakeJob()
        self.single_process = single_process
        self.process_lock = ProcessLock()
        self.repeatable_reads = True
        self.address = ADDRESS

    @property
    def target(self) -> TableEntry:
        """The target's entry, which has to be there."""
        return self.metastore.tables[TARGET_NAME]

    @property
    def shown(self) -> str | None:
        """The version that the target shows."""
        marker = Marker.of(self.metastore.tables.get(TARGET_NAME))
        return marker.version if marker else None

    def catalog(self) -> SessionCatalog:
        """The catalog of one run."""
        return SessionCatalog(
            self.metastore,
            self.storage,
            self.engine,
            locks=self.process_lock if self.single_process else self.metastore,
            address=self.address,
            repeatable_reads=self.repeatable_reads,
            clock=self.clock,
        )

    def context(self, purpose: str = "create_or_replace", **changes: Any) -> StagingContext:
        """What is asked of the one target."""
        return replace(CONTEXT, purpose=StagingPurpose(purpose), **changes)

    def plan(self, purpose: str = "create_or_replace", **changes: Any) -> Plan:
        """A run's plan for the one target."""
        return self.catalog().plan(self.context(purpose, **changes), self.job)

    def stage(self, staged: Staged, *months: str, rows: str = "rows") -> None:
        """What the CTAS does: files, then the record with its properties and partitions."""
        staged.statement("select 1 as id")
        version = version_of(staged)
        for month in months or [None]:
            below = f"/month={month}" if month else ""
            self.storage.write(f"{version.directory}{below}/part-0.parquet", rows)
        if months and self.job.counted.files:
            size = len(months) * len(rows)
            self.job.counted = replace(self.job.counted, files=len(months), bytes=size)
        partitioned = bool(staged.context.layout.partition_by)
        columns = staged.context.layout.partition_by
        self.metastore.tables[version.record] = entry(
            version.record,
            location=version.directory,
            partition_keys=columns,
            create_time=self.clock.wall // 1000,
            parameters={
                **version._staged.to_parameters(version._root),  # noqa: SLF001 (what the CTAS says)
                "transient_lastDdlTime": str(self.clock.wall // 1000),
                "spark.sql.sources.provider": "parquet",
                "spark.sql.sources.schema": '{"fields":[]}',
                **({"spark.sql.partitionProvider": "catalog"} if partitioned else {}),
                **_partition_columns(columns),
            },
        )
        for month in months:
            kept = self.metastore.kept.setdefault(version.record, {})
            kept[(month,)] = partition(f"{version.directory}/month={month}", month)

    def begun(self, purpose: str = "create_or_replace", *months: str, **changes: Any) -> Staged:
        """A table that has begun and staged, ready to commit; by ``months``, if there are some."""
        if months:
            changes.setdefault("layout", BY_MONTH)
            changes.setdefault("partition_metadata", PartitionMetadata.TRACKED)
        staged = self.plan(purpose, **changes).begin()
        self.stage(staged, *months)
        staged.verify()
        return staged

    def committed(self, *months: str, **changes: Any) -> Staged:
        """A table that was published, and whose partitions are not tracked yet."""
        staged = self.begun("create_or_replace", *months, **changes)
        staged.commit()
        return staged

    def published(self, purpose: str = "create_or_replace", *months: str, **changes: Any) -> Staged:
        """A table that another run has published."""
        staged = self.begun(purpose, *months, **changes)
        staged.commit()
        staged.settle()
        self.clock.pass_ms(1_000)
        return staged

    def sweep(self, rules: RetentionRules = AT_ONCE, *, dry_run: bool = False) -> Sweep:
        """What the end of another invocation deletes of the target."""
        return self.catalog().clean_ups([(CONTEXT, rules)])(CONTEXT, rules, dry_run=dry_run)

    def once_after(self, call: str, act: Callable[[], object]) -> None:
        """Do something directly after a call of the metastore, once."""

        def fault(made: str) -> None:
            if made == call:
                self.metastore.after = lambda _call: None
                act()

        self.metastore.after = fault

    def grow_old(self) -> None:
        """Let the orphan age go by."""
        self.clock.pass_ms(ORPHAN_AGE_MS + 1_000)

    def makes_managed(self) -> None:
        """The target becomes a managed table, as a plain CTAS makes it."""
        found = self.metastore.tables[TARGET_NAME]
        self.metastore.tables[TARGET_NAME] = replace(found, table_type=MANAGED)

    def versions_on_storage(self) -> set[str]:
        """Version ids that have files."""
        files = [path.split("/")[:-1] for path in self.storage.texts if path.endswith(".parquet")]
        return {next(one for one in reversed(parts) if "=" not in one) for parts in files}

    def months(self) -> set[tuple[str, str]]:
        """Month and version id of each partition that the metastore keeps of the target."""
        kept = self.metastore.kept.get(TARGET_NAME, {}).values()
        return {(one.values[0], one.location.split("/")[-2]) for one in kept}

    def partitions_are(self) -> tuple[str | None, str | None]:
        """What Spark and we say of the target's partitions."""
        parameters = self.target.parameters
        return parameters.get(PARTITION_PROVIDER), parameters.get(PARTITIONS)

    def holder_note(self) -> str | None:
        """The note of a holder that is at work on the target's partitions."""
        return self.target.parameters.get(PARTITION_HOLDER)

    def records(self) -> set[str]:
        """The versions that have a record."""
        inside = (n.table for n in self.metastore.tables if n.database == STAGING_SCHEMA)
        return {table.rpartition("__")[2] for table in inside if "__" in table}


def published_by(catalog: SessionCatalog, world: World) -> Staged:
    """The target, as the catalog's run has published it."""
    staged = catalog.plan(world.context(), world.job).begin()
    world.stage(staged)
    staged.verify()
    staged.commit()
    staged.settle()
    return staged


def version_of(staged: Staged) -> Any:
    """The kind's own side of an attempt: its directory and its record."""
    return staged._version  # noqa: SLF001 (tests look behind the machine)


def _partition_columns(columns: tuple[str, ...]) -> dict[str, str]:
    if not columns:
        return {}
    found = {f"spark.sql.sources.schema.partCol.{at}": one for at, one in enumerate(columns)}
    return {"spark.sql.sources.schema.numPartCols": str(len(columns)), **found}
