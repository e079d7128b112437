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
from dbt.adapters.ctas_spark.staging.catalogs.protocol import ConflictCheck, StagingCatalog
from dbt.adapters.ctas_spark.staging.context import (
    SESSION_CATALOG,
    Atomicity,
    StagingContext,
    TableName,
)
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.files import records
from dbt.adapters.ctas_spark.staging.files.catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.files.publication import PARTITION_PROVIDER
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.publish.protocol import StagedTable
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from fakes.engine import FakeJob
from fakes.metastore import FakeMetastore
from fakes.partitions import partition
from fakes.sweeps import ROOT
from fakes.world import STAGING_SCHEMA, World


@dataclass(slots=True)
class FakeRun:
    """An invocation with a lease of its own."""

    catalog: SessionCatalog
    lease: Lease
    metastore: FakeMetastore

    def catalog_for(self, context: StagingContext) -> StagingCatalog:  # noqa: ARG002 (it has one)
        return self.catalog

    def close(self) -> None:
        self.lease.close()


class FakePlace:
    """A metastore and a storage in memory; the claim says how the metastore behaves."""

    catalog = SESSION_CATALOG
    schema = "shop"
    staging_schema = STAGING_SCHEMA

    def __init__(self, name: str) -> None:
        self.name = name
        self.claim = CLAIMS[name]
        self.world = World(single_process=self.claim.conflict_check is ConflictCheck.LOCK)
        self.world.metastore.compares = self.claim.conflict_check is ConflictCheck.CAS
        self.world.metastore.has_locks = self.claim.tracks
        self.others: Others = FakeOthers(self)

    def open_run(self) -> FakeRun:
        lease = Lease(self.world.storage)
        catalog = SessionCatalog(
            self.world.metastore,
            self.world.storage,
            self.world.engine,
            lease,
            kind="hive",
            locks=None if self.world.single_process else self.world.metastore,
        )
        return FakeRun(catalog, lease, self.world.metastore)

    def job(self) -> Job:
        return FakeJob()

    def stage(self, staged: StagedTable, content: Content) -> None:
        assert isinstance(staged, StagedFileTable)
        staged.statement(content.query)
        directory = staged.root.version(staged.version)
        self.world.storage.empty_directories.add(directory)
        if staged.level is not Atomicity.NONE:
            self.write(directory, content)
        own = records.record_properties(
            target=staged.target,
            version=staged.version,
            base=staged.base,
            lease="a run",
            root=str(staged.root),
        )
        tracked = {PARTITION_PROVIDER: "catalog"} if content.layout.partition_by else {}
        record = described(staged.record, directory, content, {**own, **tracked})
        self.world.metastore.tables[staged.record] = record
        self.register(staged.record, directory)

    def register(self, name: TableName, directory: str) -> None:
        """The partitions of a directory, as a CTAS or MSCK REPAIR makes them known."""
        kept = self.world.metastore.kept.setdefault(name, {})
        parts = {path.removeprefix(directory).split("/")[1] for path in self.files(directory)}
        for part in parts:
            if part.startswith("k="):
                value = unquote(part)[2:]
                kept.setdefault((value,), partition(f"{directory}/{part}", value))

    def fill(self, staged: StagedTable, content: Content) -> None:
        staged.fill_statement(content.query)
        location = self.world.metastore.tables[staged.target].location
        assert location is not None
        self.write(location, content)

    def write(self, directory: str, content: Content, job: str = "part") -> None:
        """One file for each row, below its partition; ``job`` begins the files' names."""
        for number, row in enumerate(content.rows):
            partition = [f"k={quote(key, safe='')}" for key in row[OWN_COLUMNS:]]
            path = "/".join([directory, *partition, f"{job}-{number}"])
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
        return Entry(found.parameters, directory, found.is_view, found.create_time, owner, whole)

    def partitions(self, target: TableName, entry: Entry) -> tuple[str, ...]:  # noqa: ARG002 (by directory)
        parts = {path.removeprefix(entry.directory).split("/")[1] for path in self._paths(entry)}
        return tuple(sorted(unquote(part)[2:] for part in parts if part.startswith("k=")))

    def files(self, directory: str) -> Mapping[str, object]:
        files = self.world.storage.files
        return {path: text for path, text in files.items() if path.startswith(f"{directory}/")}

    def files_of(self, staged: StagedTable) -> list[str]:
        return list(self.files(file_tables.directory_of(staged)))

    def calls(self, run: Run) -> Sequence[tuple[object, str]]:
        return file_tables.calls(run)

    def remove(self, directory: str) -> None:
        self.world.storage.delete(directory)

    def records(self) -> list[str]:
        return [n.table for n in self.world.metastore.tables if n.database == STAGING_SCHEMA]

    def leases(self) -> Mapping[str, str]:
        files = self.world.storage.files.items()
        return {path.rsplit("/", 1)[-1]: text for path, text in files if "/leases/" in path}

    def leases_of(self, run: Run) -> set[str]:
        return {run.lease.id}

    def write_lease(self, lease: str, text: str) -> None:
        self.world.storage.write(f"{ROOT.leases}/{lease}", text)

    def left_beside(self, live: StagedTable) -> list[str]:
        return file_tables.left_beside(live, self.world.storage, self.records())

    def forget(self, target: TableName) -> None:
        file_tables.forget(target, self.world.metastore, self.records(), self.staging_schema)

    def _paths(self, entry: Entry) -> list[str]:
        return list(self.files(entry.directory))
