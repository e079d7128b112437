"""A run in an Iceberg catalog in memory: what it stages, and what others do meanwhile."""

from dataclasses import dataclass
from typing import Any, cast

from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import Atomicity, StagingContext, TableName
from ctas_spark.iceberg.catalog import IcebergCatalog
from ctas_spark.iceberg.tables import IcebergServices
from ctas_spark.iceberg.version import IcebergVersion
from ctas_spark.retention.rules import RetentionRules, Sweep
from ctas_spark.steps import StepReport
from fakes.clock import FakeClock
from fakes.engine import FakeEngine
from fakes.iceberg import FakeIceberg, with_snapshot
from fakes.storage import FakeStorage

TARGET = TableName("db", "t", "ice")
CONTEXT = StagingContext(TARGET, "staging")
FIGURES = {"total-data-files": "1", "total-files-size": "4", "total-records": "2"}


@dataclass
class World:
    """A catalog, and what a writer has staged in it."""

    clock: FakeClock
    tables: FakeIceberg
    storage: FakeStorage
    catalog: IcebergCatalog
    services: IcebergServices

    @classmethod
    def new(cls) -> "World":
        clock = FakeClock()
        storage = FakeStorage(clock)
        tables = FakeIceberg(clock, storage)
        services = IcebergServices(cast("Any", tables), cast("Any", FakeEngine()), clock)
        return cls(
            clock,
            tables,
            storage,
            IcebergCatalog(services, "rest", may_refuse_forks=True),
            services,
        )

    def stage(self) -> IcebergVersion:
        """A version whose job has written a file of four bytes."""
        version = IcebergVersion(CONTEXT, self.services, StepReport(TARGET), forks_at_once=True)
        version.stage_on(version.look(), Atomicity.ISOLATED)
        fork = self.tables.entries[version.record][0]
        self.tables.put(version.record, with_snapshot(fork, FIGURES, replaces=True))
        self.storage.write(self.file_of(version), "rows")
        return version

    def file_of(self, version: IcebergVersion) -> str:
        """The file that it has staged."""
        return f"w/t/data/{version.id}/1.parquet"

    def land(self, version: IcebergVersion, name: TableName = TARGET) -> None:
        """Publish what the fork shows, as a commit of metadata does."""
        fork = self.tables.entries[version.record][0]
        self.tables.put(name, {**fork, "properties": {}})

    def insert(self) -> None:
        """A user's commit to the target."""
        self.tables.put(TARGET, with_snapshot(self.tables.entries[TARGET][0]))

    def wait(self, milliseconds: int = ORPHAN_AGE_MS) -> None:
        self.clock.pass_ms(milliseconds)

    def clean_up(self, rules: RetentionRules | None = None, *, dry_run: bool = False) -> Sweep:
        return self.catalog.clean_up(CONTEXT, rules or RetentionRules(), dry_run=dry_run)

    def is_whole(self, version: IcebergVersion) -> bool:
        """Whether the entry and the file are there."""
        there = {
            version.record in self.tables.entries,
            self.file_of(version) in self.storage.texts,
        }
        assert len(there) == 1
        return there.pop()


def attempt(version: IcebergVersion) -> str:
    """Prepare its commit over what the target shows; the commit id."""
    return version.mark(version.look(), Atomicity.ISOLATED)


def record(world: World, version: IcebergVersion) -> dict[str, str]:
    """What stands on the fork, without our prefix."""
    found = world.tables.entries[version.record][0]["properties"]
    return {key.removeprefix("ctas_spark_"): value for key, value in found.items()}


def take(world: World, version: IcebergVersion) -> None:
    """What a clean-up writes to the fork."""
    world.tables.find(version.record).with_properties({"ctas_spark_state": "deleting"})
