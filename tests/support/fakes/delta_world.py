"""A Delta table, its log, a metastore and a storage in memory, and runs that publish there."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

from ctas_spark.clock import HOUR_MS
from ctas_spark.context import (
    Atomicity,
    StagingContext,
    TableLayout,
    TableName,
)
from ctas_spark.delta import record as records
from ctas_spark.delta import transaction
from ctas_spark.delta.base import DeltaTable
from ctas_spark.delta.catalog import DeltaCatalog
from ctas_spark.delta.facts import CommitFacts, CommitMarker, Files
from ctas_spark.delta.garbage import DeltaGarbage
from ctas_spark.delta.record import DeltaRecord, RecordState
from ctas_spark.delta.tables import DeltaTables, LoadedTable
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import EntryModifiedError
from ctas_spark.files.places import PlaceSearch
from ctas_spark.files.table import Services
from ctas_spark.metastore.client import PROVIDER
from ctas_spark.publish.catalog import Capabilities, ConflictCheck
from ctas_spark.publish.locks import NoLock
from ctas_spark.publish.marker import PublicationKind, name_of_record, new_version_id
from ctas_spark.publish.staged_table import StagedTable
from ctas_spark.publish.version import before_the_call
from ctas_spark.steps import StepReport
from ctas_spark.storage.client import StoredFile
from fakes.clock import START_MS, FakeClock
from fakes.delta_files import FakeFiles, OneRoot
from fakes.delta_logs import table
from fakes.engine import FakeEngine, FakeJob
from fakes.metastore import FakeMetastore, entry

NOW = START_MS
OLD = 100 * 24 * HOUR_MS
TARGET = TableName("shop", "orders")
CONTEXT = StagingContext(TARGET, "shop__ctas_spark", layout=TableLayout("delta"))
ROOT = "file:/warehouse/shop.db/orders"


@dataclass
class FakeLog:
    """The log of one table; ``oldest`` is the first commit that it still has."""

    root: str
    identity: str = "id-1"
    oldest: int = 0
    commits: list[CommitFacts] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)

    def add(self, operation: str, marker: CommitMarker | None = None) -> None:
        """One more commit."""
        self.commits.append(CommitFacts(len(self.commits), operation, NOW, marker))


class FakeTables(DeltaTables):
    """``logs`` by their directories; ``fails`` is what every look at one raises."""

    def __init__(self) -> None:
        self.logs: dict[str, FakeLog] = {}
        self.fails: Exception | None = None

    def find(self, name: TableName) -> LoadedTable | None:
        return self.at(f"file:/warehouse/{name.database}.db/{name.table}")

    def at(self, directory: str) -> LoadedTable | None:
        if self.fails is not None:
            raise self.fails
        log = self.logs.get(directory)
        if log is None:
            return None
        facts = table(len(log.commits) - 1, identity=log.identity, root=directory)
        return LoadedTable(facts, None, None, None)

    def commits(self, table: LoadedTable) -> Iterator[CommitFacts]:
        log = self.logs[table.facts.root]
        return iter(log.commits[table.facts.number : log.oldest - 1 if log.oldest else None : -1])

    def figures(self, table: LoadedTable) -> WriteFigures:  # noqa: ARG002 (the same for all)
        return WriteFigures(rows=3)

    def added(self, table: LoadedTable) -> Files:
        sizes = self.logs[table.facts.root].sizes
        return {quote(path): {"path": quote(path), "size": size} for path, size in sizes.items()}

    def fits(self) -> bool:
        return True


class FakeStorage:
    """Files with their bytes and times; its clock stands still."""

    def __init__(self) -> None:
        self.held: dict[str, StoredFile] = {}
        self.clock_ms = NOW

    def put(self, path: str, size: int = 1, age_ms: int = OLD) -> None:
        """A file of that age."""
        self.held[path] = StoredFile(path, size, self.clock_ms - age_ms)

    def now_ms(self, directory: str) -> int:  # noqa: ARG002 (one clock)
        return self.clock_ms

    def files(self, directory: str) -> tuple[StoredFile, ...]:
        return tuple(one for path, one in self.held.items() if path.startswith(f"{directory}/"))

    def qualified(self, path: str) -> str:
        raise NotImplementedError(path)

    def children(self, directory: str, known: Collection[str] | None = None) -> tuple[str, ...]:
        below = len(directory) + 1
        names = {one.path[below:].split("/")[0] for one in self.files(directory)}
        return tuple(names - {*(known or ())})

    def exists(self, path: str) -> bool:
        return bool(self.files(path))

    def delete(self, path: str) -> None:
        for one in self.files(path):
            del self.held[one.path]

    def copy(self, source: str, directory: str) -> None:
        raise NotImplementedError(source, directory)

    def copy_permissions(self, source: str, directory: str) -> None:
        """There are none here."""

    def remove_empty(self, directory: str) -> None:
        """There are no directories without files."""

    def make_directory(self, directory: str, like: str) -> None:
        """There are none here, either."""

    def write(self, path: str, text: str) -> None:
        self.put(path, len(text), 0)

    def create(self, path: str, text: str) -> bool:
        raise NotImplementedError(path, text)

    def read(self, path: str) -> str | None:
        raise NotImplementedError(path)

    def modified_ms(self, path: str) -> int | None:
        raise NotImplementedError(path)


class World:
    """One Delta table with one commit of another's, and what runs make of it."""

    def __init__(self, reaches: Atomicity = Atomicity.ISOLATED) -> None:
        self.metastore = FakeMetastore()
        self.storage = FakeStorage()
        self.tables = FakeTables()
        self.log = FakeLog(ROOT)
        self.log.add("CREATE TABLE AS SELECT")
        self.tables.logs[ROOT] = self.log
        self.metastore.tables[TARGET] = entry(TARGET, parameters={PROVIDER: "delta"})
        self.services = Services(
            capabilities=Capabilities("hive", ConflictCheck.CAS, reaches),
            metastore=self.metastore,
            storage=self.storage,
            engine=FakeEngine(),
            lock=NoLock(),
            find_partition_lock=lambda: None,
            roots=OneRoot(),
            search=PlaceSearch(self.metastore),
            clock=FakeClock(),
        )
        self.files = FakeFiles(self.services, reaches)
        self.catalog = DeltaCatalog(self.files, self.tables)
        self.table = DeltaTable(CONTEXT, self.services, self.tables)

    def garbage(self) -> DeltaGarbage:
        """What a clean-up works with."""
        return DeltaGarbage(self.table, StepReport(TARGET))

    def attempt(
        self, *, age_ms: int = OLD, number: int = 0, written_ms_ago: int = OLD
    ) -> DeltaRecord:
        """What a run that died had staged."""
        version = new_version_id(NOW - age_ms)
        made = DeltaRecord(str(TARGET), version, RecordState.STAGED, ROOT, "id-1", number)
        records.create(self.table, made)
        self._filled(version, made.stage, written_ms_ago)
        return made

    def begun(self, **asked: Any) -> StagedTable[Any]:
        """A table whose job has ended."""
        staged = self.catalog.plan(replace(CONTEXT, **asked), FakeJob()).begin()
        stage = f"{ROOT}/stg_{staged.version}"
        assert stage in staged.statement("select 1")
        self._filled(staged.version, stage, 0)
        self.tables.logs[stage] = FakeLog(stage, "id-of-stage", sizes={"day=a b/f": 7})
        self.tables.logs[stage].add("CREATE TABLE AS SELECT")
        return staged

    def publishes(self, version: str, kind: PublicationKind = PublicationKind.BUILD) -> None:
        """A commit of ours in the table's log."""
        marker = CommitMarker(f"c{version}", version, "", str(TARGET), "isolated", kind, NOW)
        self.log.add("CREATE OR REPLACE TABLE", marker)

    def record(self, version: str) -> DeltaRecord | None:
        """The attempt's record, if it is there."""
        name = records.record_name(CONTEXT.staging_schema, TARGET, version)
        return DeltaRecord.of(self.metastore.tables.get(name))

    def staged(self) -> set[str]:
        """What is in the staging schema."""
        return {name.table for name in self.metastore.tables if name != TARGET}

    def _filled(self, version: str, stage: str, age_ms: int) -> None:
        name = name_of_record(CONTEXT.staging_schema, TARGET, version)
        self.metastore.tables[name] = entry(name, location=stage)
        self.storage.put(f"{stage}/day=a b/f", 7, age_ms)
        self.storage.put(f"{stage}/_delta_log/0.json", 2, age_ms)


@contextmanager
def transactions(world: World) -> Iterator[None]:
    """Delta's own transactions, as far as conflicts go."""

    def publish(
        tables: FakeTables,
        over: LoadedTable,
        staged: LoadedTable,
        marker: CommitMarker,
        check: Callable[[Files], None],
    ) -> None:
        with before_the_call():
            check(tables.added(staged))
        log = tables.logs[over.facts.root]
        if any(one.refuses_older_attempts for one in log.commits[over.facts.number + 1 :]):
            raise EntryModifiedError("another changed the metadata")
        log.add("CREATE OR REPLACE TABLE", marker)

    def fence(tables: FakeTables, over: LoadedTable, marker: CommitMarker) -> None:
        tables.logs[over.facts.root].add("CREATE OR REPLACE TABLE", marker)

    assert world.tables.logs
    with patch.object(transaction, "publish", publish), patch.object(transaction, "fence", fence):
        yield
