"""The one change that publishes a version: every field of the target's new entry."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from dbt.adapters.ctas_spark.staging.context import Atomicity, TableName
from dbt.adapters.ctas_spark.staging.files.base import LAST_DDL_TIME, Base
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, HiveColumns
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import (
    PREFIX,
    Kind,
    Lineage,
    LineageEntry,
    Marker,
)

PARTITIONS = PREFIX + "partitions"
PARTITION_PROVIDER = "spark.sql.partitionProvider"
FORMAT_PREFIXES = ("parquet.", "orc.", "avro.")
OF_ONE_VERSION = frozenset(
    {
        "comment",
        "numRows",
        "rawDataSize",
        "totalSize",
        "numFiles",
        "COLUMN_STATS_ACCURATE",
        "EXTERNAL",
    }
)


class PartitionState(str, Enum):
    """Where Spark finds a target's partitions; ``PENDING``: in the directories until tracked."""

    FILES = "files"
    PENDING = "pending"
    TRACKED = "tracked"


@dataclass(frozen=True, slots=True)
class Publication:
    """A version, the base it replaces, and the marker that will say so."""

    staged: TableEntry
    base: Base
    marker: Marker
    change: EntryChange


def new_commit_id() -> str:
    """A fresh id; every publication has its own."""
    return "c" + secrets.token_hex(8)


def build(  # noqa: PLR0913 (each is one fact of the publication)
    *,
    target: TableName,
    staged: TableEntry,
    base: Base,
    version: str,
    level: Atomicity,
    now: int,
    partitions: PartitionState = PartitionState.FILES,
    columns_of_base: bool = False,
    kind: Kind = Kind.BUILD,
) -> Publication:
    """The publication of a staged version over ``base``.

    Args:
        now: the storage's time just before the commit call, in milliseconds.
        partitions: what is to become of them after the call.
        columns_of_base: leave the columns that other engines read.
    """
    commit = new_commit_id()
    before = base.marker
    lineage = before.lineage if before else Lineage()
    marker = Marker(
        commit=commit,
        version=version,
        base=before.commit if before else "",
        target=str(target),
        level=level.value,
        lineage=lineage.followed_by(LineageEntry(commit, version, kind, now)),
    )
    parameters = _parameters(staged, base.entry, marker, now)
    if staged.partition_keys:
        parameters[PARTITIONS] = partitions.value
    columns = HiveColumns.BASE if columns_of_base else HiveColumns.STAGED
    change = EntryChange(target, staged, base.entry, parameters, columns)
    return Publication(staged, base, marker, change)


def tracks_partitions(entry: TableEntry) -> bool:
    """True if Spark takes the table's partitions from the metastore."""
    return bool(entry.partition_keys) and PARTITION_PROVIDER in entry.parameters


def _parameters(
    staged: TableEntry, base: TableEntry | None, marker: Marker, now: int
) -> dict[str, str]:
    """The base's foreign properties, the staged ones, the marker.

    ``spark.sql.partitionProvider`` is left out: Spark then lists the version's own directories
    instead of the metastore's partitions, which still point at the old version's.
    """
    own = {
        key: value
        for key, value in staged.parameters.items()
        if not key.startswith(PREFIX) and key not in (PARTITION_PROVIDER, LAST_DDL_TIME)
    }
    carried = _carried(base.parameters) if base else {}
    return {**carried, **own, **marker.to_parameters(), **_ddl_time(base, now)}


def _carried(parameters: Mapping[str, str]) -> dict[str, str]:
    """The base's properties that outlive a replace: neither ours, Spark's nor its format's."""
    return {key: value for key, value in parameters.items() if not _belongs_to_a_version(key)}


def _belongs_to_a_version(key: str) -> bool:
    prefixes = (PREFIX, "spark.sql.", "transient_", *FORMAT_PREFIXES)
    return key in OF_ONE_VERSION or key.startswith(prefixes)


def _ddl_time(base: TableEntry | None, now: int) -> dict[str, str]:
    """A time later than the base's, so that a compare-and-swap on it is used up."""
    before = base.last_ddl_time if base else None
    if before is None:
        return {}
    return {LAST_DDL_TIME: str(max(now // 1000, before + 1))}
