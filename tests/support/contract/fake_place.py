"""The contract on fakes: entries in a dict, files in another."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from contract import file_tables
from contract.claims import CLAIMS
from contract.contents import Content
from contract.fake_others import OWN_COLUMNS, FakeOthers, described
from contract.places import Entry, Others, Run
from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import (
    SESSION_CATALOG,
    Atomicity,
    StagingContext,
    TableName,
)
from ctas_spark.engines.protocol import Job, WriteFigures
from ctas_spark.errors import EntryExistsError
from ctas_spark.files.base import PARTITION_PROVIDER
from ctas_spark.files.catalog import SessionCatalog
from ctas_spark.files.staging_entry import STAGING_ID
from ctas_spark.publish.catalog import ConflictCheck, StagingCatalog
from ctas_spark.publish.staged_table import StagedTable
from fakes.engine import FakeJob
from fakes.partitions import partition
from fakes.world import STAGING_SCHEMA, World


@dataclass(slots=True)
class FakeRun:
    """An invocation."""

    catalog: SessionCatalog

    def catalog_for(self, context: StagingContext) -> StagingCatalog:  # noqa: ARG002 (it has one)
        return self.catalog

    def close(self) -> None:
        """There is no connection."""


SHORTEST_JOB_MS = 10


class FakePlace:
    """A metastore and a storage in memory; the claim says how the metastore behaves.

    It refuses a column's new type by position, as servers do by default. ``in_the_job`` is called
    in the middle of every job.
    """

    catalog = SESSION_CATALOG
    schema = "shop"
    another_schema = "market"
    staging_schema = STAGING_SCHEMA
    orphan_age_ms = ORPHAN_AGE_MS

    def __init__(self, name: str) -> None:
        self.name = name
        self.claim = CLAIMS[name]
        is_locked = self.claim.conflict_check is ConflictCheck.LOCK
        is_isolated = self.claim.strongest is Atomicity.ISOLATED
        self.world = World(single_process=is_locked and is_isolated)
        self.world.repeatable_reads = self.claim.reaches is None
        self.world.metastore.compares = self.claim.conflict_check is ConflictCheck.CAS
        self.world.metastore.compares_columns = True
        self.world.metastore.has_locks = self.claim.tracks
        self.world.metastore.databases[self.another_schema] = "file:/warehouse/market.db"
        self.in_the_job = _nothing
        self.others: Others = FakeOthers(self)

    def open_run(self) -> FakeRun:
        return FakeRun(self.world.catalog())

    def job(self) -> Job:
        return FakeJob()

    def grow_old(self) -> None:
        self.world.grow_old()

    def stage(self, staged: StagedTable[Any], content: Content) -> None:
        """Files first, the record last, as a CTAS does; that takes its time."""
        staged.statement(content.query)
        self.world.clock.pass_ms(SHORTEST_JOB_MS)
        version = file_tables.version_of(staged)
        self.world.storage.empty_directories.add(version.directory)
        if staged.level is not Atomicity.NONE:
            self.write(version.directory, content, between=self.in_the_job)
        self._count(staged, content)
        if version.record in self.world.metastore.tables:
            raise EntryExistsError(f"{version.record} exists")
        own = version._staged.to_parameters(version._root)  # noqa: SLF001 (what the CTAS says)
        tracked = {PARTITION_PROVIDER: "catalog"} if content.layout.partition_by else {}
        self.world.metastore.tables[version.record] = described(
            version.record,
            version.directory,
            content,
            self.world.clock.wall,
            {**own, **tracked},
        )
        self.register(version.record, version.directory)

    def register(self, name: TableName, directory: str) -> None:
        """The partitions of a directory, as a CTAS or MSCK REPAIR makes them known."""
        kept = self.world.metastore.kept.setdefault(name, {})
        parts = {path.removeprefix(directory).split("/")[1] for path in self.files(directory)}
        for part in parts:
            if part.startswith("k="):
                value = unquote(part)[2:]
                kept.setdefault((value,), partition(f"{directory}/{part}", value))

    def fill(self, staged: StagedTable[Any], content: Content) -> None:
        staged.fill_statement(content.query)
        location = self.world.metastore.tables[staged.target].location
        assert location is not None
        self.write(location, content)

    def write(
        self,
        directory: str,
        content: Content,
        job: str = "part",
        between: Any = None,
    ) -> None:
        """One file for each row, below its partition; ``job`` begins the files' names."""
        for number, row in enumerate(content.rows):
            if between is not None and number == 1:
                between()
            keys = [f"k={quote(key, safe='')}" for key in row[OWN_COLUMNS:]]
            path = "/".join([directory, *keys, f"{job}-{number}"])
            self.world.storage.write(path, json.dumps(row))

    def read_here(self, target: TableName) -> dict[str, Any]:
        return self.others.read(str(target))

    def entry(self, target: TableName) -> Entry | None:
        found = self.world.metastore.tables.get(target)
        if found is None:
            return None
        whole = (found, dict(found.parameters))
        directory = found.location or ""
        owner = found.parameters.get("owner")
        return Entry(
            found.parameters,
            directory,
            found.is_view,
            found.create_time,
            owner,
            whole,
            tuple(name for name, _ in found.columns),
        )

    def partitions(self, target: TableName, entry: Entry) -> tuple[str, ...]:  # noqa: ARG002 (by directory)
        parts = {path.removeprefix(entry.directory).split("/")[1] for path in self._paths(entry)}
        return tuple(sorted(unquote(part)[2:] for part in parts if part.startswith("k=")))

    def files(self, directory: str) -> Mapping[str, object]:
        texts = self.world.storage.texts
        return {path: text for path, text in texts.items() if path.startswith(f"{directory}/")}

    def files_of(self, staged: StagedTable[Any]) -> list[str]:
        return list(self.files(file_tables.version_of(staged).directory))

    def calls(self, run: Run) -> Sequence[tuple[object, str]]:
        return file_tables.calls(run, STAGING_SCHEMA)

    def remove(self, directory: str) -> None:
        self.world.storage.delete(directory)

    def records(self) -> list[str]:
        staged = [n.table for n in self.world.metastore.tables if n.database == STAGING_SCHEMA]
        return [name for name in staged if name != STAGING_ID]

    def left_beside(self, live: StagedTable[Any]) -> list[str]:
        return file_tables.left_beside(live, self.world.storage, self.records())

    def forget(self, target: TableName) -> None:
        """Nobody comes to this place again."""

    def _count(self, staged: StagedTable[Any], content: Content) -> None:
        """What the engine counted of the job's write."""
        none = staged.level is Atomicity.NONE
        rows = [] if none else [json.dumps(row) for row in content.rows]
        job = staged._job  # noqa: SLF001 (the suites look behind the machine)
        assert isinstance(job, FakeJob)
        job.counted = WriteFigures(len(rows), len(rows), sum(map(len, rows)))

    def _paths(self, entry: Entry) -> list[str]:
        return list(self.files(entry.directory))


def _nothing() -> None:
    """Nobody looks into the job."""
