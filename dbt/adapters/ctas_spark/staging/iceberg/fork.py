"""A fork: the target's metadata under a name of its own, on which one version is staged.

The fork's entry is the version's record, in its properties. It shares the target's files and adds
its own in two directories that nobody else writes to, so that they can go without a look at any
file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from uuid import NAMESPACE_OID, uuid5

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableLayout, TableName
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.iceberg.base import ExpectedBase, IcebergBase
from dbt.adapters.ctas_spark.staging.iceberg.facts import TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.publications import SnapshotMarker, attempts_of
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergServices
from dbt.adapters.ctas_spark.staging.publish.ddl import clauses
from dbt.adapters.ctas_spark.staging.publish.marker import BASE, PREFIX, TARGET, VERSION
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport
from dbt.adapters.ctas_spark.staging.storage.client import empty, still_there

STATE = PREFIX + "state"
GC = "gc.enabled"
DELETE_OLD_METADATA = "write.metadata.delete-after-commit.enabled"
OLD_METADATA_KEPT = "write.metadata.previous-versions-max"
DATA_PATH = "write.data.path"
METADATA_PATH = "write.metadata.path"
FORMAT_VERSION = "format-version"
OWN_PROPERTIES = (GC, DELETE_OLD_METADATA, OLD_METADATA_KEPT, DATA_PATH, METADATA_PATH)
EVERY_METADATA_FILE = "100000"
KEEPS_ALL = {GC: "false", DELETE_OLD_METADATA: "false", OLD_METADATA_KEPT: EVERY_METADATA_FILE}
"""With other values, a commit on a fork may delete files of the table that it shares them with."""
MOST_OF_THE_TABLE_NAME = 120


class ForkState(str, Enum):
    """What is remembered of a version; whether it is published, the target's history says."""

    STAGED = "staged"
    DELETING = "deleting"


@dataclass(frozen=True, slots=True)
class ForkDirectories:
    """Two directories that only one version's files are written to."""

    data: str
    metadata: str

    @classmethod
    def below(cls, location: str, properties: Mapping[str, str], version: str) -> "ForkDirectories":
        """Within those that the table itself writes to."""
        root = location.rstrip("/")
        data = properties.get(DATA_PATH, f"{root}/data").rstrip("/")
        metadata = properties.get(METADATA_PATH, f"{root}/metadata").rstrip("/")
        return cls(f"{data}/{version}", f"{metadata}/{version}")


@dataclass(frozen=True, slots=True)
class Fork:
    """A fork at one moment."""

    record: TableName
    facts: TableFacts

    @property
    def version(self) -> str:
        """Its version id."""
        return version_of_record(self.record)

    @property
    def directories(self) -> ForkDirectories | None:
        """Its own directories; None where a commit on it could touch the target's files.

        One that was only registered, and has written nothing, is such a fork.
        """
        found = self.facts.properties
        data, metadata = found.get(DATA_PATH, ""), found.get(METADATA_PATH, "")
        own = all(path.endswith(f"/{self.version}") for path in (data, metadata))
        keeps = all(found.get(key) == value for key, value in KEEPS_ALL.items())
        return ForkDirectories(data, metadata) if own and keeps else None

    @property
    def is_deleting(self) -> bool:
        """True if a clean-up has taken it; its writer publishes nothing from then on."""
        return self.facts.properties.get(STATE) == ForkState.DELETING.value

    @property
    def expected(self) -> ExpectedBase | None:
        """The base of its writer's commit call; None for a creation.

        Raises:
            MetastoreError: the record does not say it.
        """
        return ExpectedBase.parse(self.facts.properties.get(BASE, ""))

    @property
    def uuids(self) -> frozenset[str]:
        """The identities that a table has which one of its attempts may have landed on."""
        expected = self.expected
        own = (self.facts.uuid, uuid_of_new(self.facts, self.version))
        return frozenset({*own, *([expected.uuid] if expected else ())})

    @property
    def attempts(self) -> tuple[SnapshotMarker, ...]:
        """The commits that were prepared on it; one of them may be published."""
        return attempts_of(self.facts, self.version)

    def is_in(self, table: TableFacts | None) -> bool:
        """True if one of its attempts is in the table's history."""
        if table is None:
            return False
        commits = {one.commit for one in self.attempts}
        marked = (SnapshotMarker.of(one.summary) for one in table.snapshots.values())
        return any(one is not None and one.commit in commits for one in marked)


def record_of(staging_schema: str, target: TableName, version: str) -> TableName:
    """The fork's name: the target's, cut to what a catalog holds, and the version id."""
    return TableName(staging_schema, f"{record_prefix(target)}{version}", target.catalog)


def record_prefix(target: TableName) -> str:
    """How the names of a target's forks begin; another target's may begin so, too.

    In lower case: a Hive metastore lists all names so.
    """
    return f"{target.table[:MOST_OF_THE_TABLE_NAME].lower()}__"


def version_of_record(record: TableName) -> str:
    """The version id in a fork's name."""
    return record.table.rpartition("__")[2]


def uuid_of_new(fork: TableFacts, version: str) -> str:
    """The identity of a table that a version creates in the place of one that was dropped."""
    return str(uuid5(NAMESPACE_OID, f"{fork.uuid} {version}"))


def record_properties(target: TableName, version: str, base: IcebergBase) -> dict[str, str]:
    """What a version's record says from its beginning."""
    return {
        STATE: ForkState.STAGED.value,
        TARGET: str(target),
        VERSION: version,
        BASE: str(base),
    }


def properties_of_a_fork(directories: ForkDirectories) -> dict[str, str]:
    """What a fork's first commit sets: it shares the target's files, so it deletes none, ever.

    All of its metadata files stay in its log, and all of its files lie in its own directories.
    """
    return {**KEEPS_ALL, DATA_PATH: directories.data, METADATA_PATH: directories.metadata}


def published_properties(
    fork: Mapping[str, str], base: Mapping[str, str], asked: Mapping[str, str]
) -> dict[str, str]:
    """What the target gets: the fork's, but in the place of its own ones the model's or the base's.

    As with Iceberg's own replace, properties that the model does not set stay.
    """
    kept = {k: v for k, v in fork.items() if k not in OWN_PROPERTIES and not k.startswith(PREFIX)}
    for key in OWN_PROPERTIES:
        value = asked.get(key, base.get(key))
        if value is not None:
            kept[key] = value
    return kept


def replace_fork_as(
    fork: TableName, layout: TableLayout, directories: ForkDirectories, query: str
) -> str:
    """CREATE OR REPLACE of a fork that is there: Iceberg builds on what it was forked from.

    The model's values for what keeps the fork apart wait until the commit. The fork's own stand in
    the statement: a replace takes the catalog's defaults for what it does not name.
    """
    said = clauses("iceberg", layout, {**layout.properties, **properties_of_a_fork(directories)})
    return f"CREATE OR REPLACE TABLE {quoting.table(fork)}\n{said}\nAS\n{query}"


def forget(services: IcebergServices, record: TableName, report: StepReport) -> list[str]:
    """Remove a published fork's entry, then the metadata files that nothing but it needed.

    Never raises; what is still there, in words.
    """
    try:
        found = services.tables.find(record)
    except MetastoreError:
        return [f"the entry {record}"]
    left = _drop_entry(services, record, report)
    if left or found is None:
        return left
    delete = services.storage.delete
    own = own_metadata_files(found.facts)
    return still_there(report, *((Step.DELETE_FILES, p, partial(delete, p)) for p in own))


def discard(
    services: IcebergServices, record: TableName, directories: ForkDirectories, report: StepReport
) -> list[str]:
    """Remove both directories, then the entry: it leads to them. Never raises; what is left."""
    storage = services.storage
    left = still_there(
        report,
        (Step.DELETE_FILES, directories.data, lambda: empty(storage, directories.data)),
        (Step.DELETE_FILES, directories.metadata, lambda: empty(storage, directories.metadata)),
    )
    return left or _drop_entry(services, record, report)


def own_metadata_files(fork: TableFacts) -> tuple[str, ...]:
    """The metadata files that commits on the fork have written: those in its own directory."""
    folder = fork.properties.get(METADATA_PATH, "")
    if not folder.endswith(f"/{fork.properties.get(VERSION)}"):
        return ()
    log = [one["metadata-file"] for one in fork.document.get("metadata-log", ())]
    return tuple(path for path in (*log, fork.metadata_location) if path.startswith(f"{folder}/"))


def _drop_entry(services: IcebergServices, record: TableName, report: StepReport) -> list[str]:
    return still_there(
        report,
        (Step.DELETE_RECORD, f"the entry {record}", lambda: services.tables.drop_entry(record)),
    )
