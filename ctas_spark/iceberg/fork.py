"""A fork: the target's metadata under a name of its own, on which one version is staged.

The fork's entry is the version's record, in its properties. The fork shares the target's files. Its
own files lie in two directories to which nobody else writes, so that they can go unread.

Some REST servers refuse two tables at one location. There a fork is a copy of the target's metadata
that names another location. No file lies there, and the location is not published.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from uuid import NAMESPACE_OID, uuid4, uuid5

from .. import quoting
from ..context import TableLayout, TableName
from ..errors import RefusedError
from ..publish.ddl import clauses
from ..publish.marker import BASE, PREFIX, VERSION, SnapshotMarker, version_named
from ..steps import Step, StepReport
from ..storage.client import empty, still_there
from .base import ExpectedBase
from .facts import TableFacts
from .file_io import FileIoStorage
from .loaded import LoadedTable
from .tables import IcebergTables

logger = logging.getLogger(__name__)

STATE = PREFIX + "state"
STAGED, DELETING = "staged", "deleting"
"""What is remembered of a version; whether it is published, the target's history says."""
GC = "gc.enabled"
DELETE_OLD_METADATA = "write.metadata.delete-after-commit.enabled"
OLD_METADATA_KEPT = "write.metadata.previous-versions-max"
DATA_PATH = "write.data.path"
METADATA_PATH = "write.metadata.path"
FORMAT_VERSION = "format-version"
OWN_PROPERTIES = (GC, DELETE_OLD_METADATA, OLD_METADATA_KEPT, DATA_PATH, METADATA_PATH)
KEEPS_ALL = {GC: "false", DELETE_OLD_METADATA: "false", OLD_METADATA_KEPT: "100000"}
"""With other values, a commit on a fork may delete files of the table that it shares them with."""


@dataclass(frozen=True, slots=True)
class ForkDirectories:
    """Two directories to which only one version's files are written."""

    data: str
    metadata: str

    @classmethod
    def below(cls, location: str, properties: Mapping[str, str], version: str) -> "ForkDirectories":
        """Within those that the table itself writes to."""
        root = location.rstrip("/")
        data = properties.get(DATA_PATH, f"{root}/data").rstrip("/")
        metadata = properties.get(METADATA_PATH, f"{root}/metadata").rstrip("/")
        return cls(f"{data}/{version}", f"{metadata}/{version}")

    @property
    def properties(self) -> dict[str, str]:
        """What keeps a fork apart: it deletes no file, and writes to its own directories alone."""
        return {**KEEPS_ALL, DATA_PATH: self.data, METADATA_PATH: self.metadata}


@dataclass(frozen=True, slots=True)
class Fork:
    """A fork at one moment."""

    record: TableName
    table: LoadedTable

    @property
    def facts(self) -> TableFacts:
        """What its metadata says."""
        return self.table.facts

    @property
    def version(self) -> str:
        """Its version id."""
        return version_named(self.record)

    @property
    def directories(self) -> ForkDirectories | None:
        """Its own directories; None where a commit on it could touch the target's files.

        That is so if it was only registered, and has written nothing.
        """
        found = self.facts.properties
        data, metadata = found.get(DATA_PATH, ""), found.get(METADATA_PATH, "")
        own = all(path.endswith(f"/{self.version}") for path in (data, metadata))
        keeps = all(found.get(key) == value for key, value in KEEPS_ALL.items())
        return ForkDirectories(data, metadata) if own and keeps else None

    @property
    def is_deleting(self) -> bool:
        """True if a clean-up has taken it; its writer publishes nothing from then on."""
        return self.facts.properties.get(STATE) == DELETING

    @property
    def expected(self) -> ExpectedBase | None:
        """The base of its writer's call; None for a creation; MetastoreError if it is not said."""
        return ExpectedBase.parse(self.facts.properties.get(BASE, ""))

    def may_land_on(self, table: TableFacts | None) -> bool:
        """True if the table is still what its writer's commit call expects."""
        expected = self.expected if self.directories is not None else None
        return expected is not None and expected.is_shown_by(table)

    @property
    def uuids(self) -> frozenset[str]:
        """The identities of tables that one of its attempts may have landed on."""
        expected = self.expected
        own = (self.facts.uuid, uuid_of_new(self.facts, self.version))
        return frozenset({*own, *([expected.uuid] if expected else ())})

    @property
    def attempts(self) -> tuple[SnapshotMarker, ...]:
        """The commits that were prepared on it, oldest first; one of them may be published."""
        found = (one.marker for one in self.facts.snapshots.values())
        return tuple(one for one in found if one is not None and one.fork == self.version)

    def is_in(self, table: TableFacts | None) -> bool:
        """True if one of its attempts is in the table's history."""
        return table is not None and any(table.has_commit(one.commit) for one in self.attempts)


def uuid_of_new(fork: TableFacts, version: str) -> str:
    """The identity of a table that a version creates in the place of one that was dropped."""
    return str(uuid5(NAMESPACE_OID, f"{fork.uuid} {version}"))


def published_properties(
    fork: Mapping[str, str], base: Mapping[str, str], asked: Mapping[str, str]
) -> dict[str, str]:
    """What the target gets: the fork's properties, and the model's or the base's for its own ones.

    As with Iceberg's own replace, properties that the model does not set stay.
    """
    kept = {k: v for k, v in fork.items() if k not in OWN_PROPERTIES and not k.startswith(PREFIX)}
    before = {**base, **asked}
    return kept | {key: before[key] for key in OWN_PROPERTIES if key in before}


def make_fork(
    tables: IcebergTables, record: TableName, base: LoadedTable, own: Mapping[str, str]
) -> LoadedTable:
    """Make ``record`` a fork of ``base``; RefusedError if the catalog takes neither way.

    The second is the same table at another location, with more properties, and without a past.
    """
    try:
        fork = tables.register(record, base.facts.metadata_location)
    except RefusedError as refused:
        logger.debug("%s is staged as a copy of the metadata: %s", record, refused)
        path = f"{own[METADATA_PATH]}/00000-{uuid4()}.metadata.json"
        properties = {**base.facts.properties, **own}
        location = tables.location_of_new(record)
        moved = {"location": location, "properties": properties, "metadata-log": []}
        tables.write_metadata(json.dumps({**base.facts.document, **moved}), base, path)
        fork = tables.register(record, path)
    else:
        fork = fork.with_properties(own)
    tables.has_forked = True
    return fork


def make_empty_fork(
    tables: IcebergTables, record: TableName, location: str, properties: Mapping[str, str]
) -> LoadedTable:
    """Make an empty staged table, if the catalog lets it where the table to create is to be."""
    try:
        return tables.create_empty(record, location, properties)
    except RefusedError as refused:
        logger.debug("%s is staged elsewhere: %s", record, refused)
        return tables.create_empty(record, tables.location_of_new(record), properties)


def replace_fork_as(
    fork: TableName, layout: TableLayout, directories: ForkDirectories, query: str
) -> str:
    """CREATE OR REPLACE of a fork that is there: Iceberg builds on what it was forked from.

    The model's values for what keeps the fork apart wait until the commit. The fork's own stand in
    the statement: a replace takes the catalog's defaults for what it does not name.
    """
    said = clauses("iceberg", layout, {**layout.properties, **directories.properties})
    return f"CREATE OR REPLACE TABLE {quoting.table(fork)}\n{said}\nAS\n{query}"


def forget(tables: IcebergTables, fork: Fork, report: StepReport) -> list[str]:
    """Remove a published fork's entry, then the metadata files that only it needed.

    Never raises; what is left.
    """
    delete, own = fork.table.storage.delete, own_metadata_files(fork.facts)
    removals = ((Step.DELETE_FILES, path, partial(delete, path)) for path in own)
    return drop_entry(tables, fork.record, report) or still_there(report, *removals)


def discard(directories: ForkDirectories, storage: FileIoStorage, report: StepReport) -> list[str]:
    """Remove both directories. Never raises; what is left."""
    own = (directories.data, directories.metadata)
    removals = ((Step.DELETE_FILES, one, partial(empty, storage, one)) for one in own)
    return still_there(report, *removals)


def own_metadata_files(fork: TableFacts) -> tuple[str, ...]:
    """The metadata files that commits on the fork have written: those in its own directory."""
    folder = fork.properties.get(METADATA_PATH, "")
    if not folder.endswith(f"/{fork.properties.get(VERSION)}"):
        return ()
    log = [one["metadata-file"] for one in fork.document.get("metadata-log", ())]
    return tuple(path for path in (*log, fork.metadata_location) if path.startswith(f"{folder}/"))


def drop_entry(tables: IcebergTables, record: TableName, report: StepReport) -> list[str]:
    """Remove a fork's name. Never raises; what is left."""
    drop = partial(tables.drop_entry, record)
    return still_there(report, (Step.DELETE_RECORD, f"the entry {record}", drop))
