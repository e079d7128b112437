"""The one change that publishes a version, or fences a target: every field of its new entry."""

from collections.abc import Mapping

from dbt.adapters.ctas_spark.staging.context import Atomicity, TableName
from dbt.adapters.ctas_spark.staging.files.base import (
    LAST_DDL_TIME,
    PARTITION_HOLDER,
    PARTITION_PROVIDER,
    PARTITIONS,
    FileBase,
)
from dbt.adapters.ctas_spark.staging.files.reach import PartitionState
from dbt.adapters.ctas_spark.staging.metastore.client import (
    PLACEHOLDER,
    Column,
    EntryChange,
    TableEntry,
)
from dbt.adapters.ctas_spark.staging.publish.marker import (
    PREFIX,
    Kind,
    Lineage,
    LineageEntry,
    Marker,
)
from dbt.adapters.ctas_spark.staging.version_id import new_commit_id

NEVER_CARRIED = frozenset(
    {
        "comment",
        "numRows",
        "rawDataSize",
        "totalSize",
        "numFiles",
        "COLUMN_STATS_ACCURATE",
        "EXTERNAL",
        "storage_handler",
        "transactional",
        "skip.header.line.count",
        "discover.partitions",
        "external.table.purge",
        "TRANSLATED_TO_EXTERNAL",
    }
)
PREFIXES_NEVER_CARRIED = (PREFIX, "spark.sql.", "transient_", "view.", "parquet.", "orc.", "avro.")
OF_THE_MODEL = PREFIX + "model_properties"
"""The names of the properties that the model set: the next one need not set them again."""


def marker_over(  # noqa: PLR0913, PLR0917 (each is one fact of the marker)
    base: FileBase, target: TableName, version: str, level: Atomicity, kind: Kind, now_ms: int
) -> Marker:
    """The marker of the next publication over ``base``.

    Args:
        now_ms: the storage's time just before the commit call.
    """
    commit, before = new_commit_id(), base.marker
    lineage = before.lineage if before else Lineage()
    return Marker(
        commit=commit,
        version=version,
        base=before.commit if before else "",
        target=str(target),
        level=level.value,
        lineage=lineage.followed_by(LineageEntry(commit, version, kind, now_ms)),
        number=before.number + 1 if before else 1,
    )


def change(  # noqa: PLR0913 (each is one fact of the publication)
    *,
    staged: TableEntry,
    base: FileBase,
    target: TableName,
    marker: Marker,
    partitions: PartitionState,
    columns: tuple[Column, ...] | None,
    of_model: Mapping[str, str],
) -> EntryChange:
    """The target's new entry: a staged version over ``base``.

    Args:
        partitions: what is to become of them after the call.
        columns: those that other engines read after the call, if not the staged ones.
        of_model: the properties that the model sets.
    """
    parameters = {
        **_carried(base.entry),
        **_own(staged),
        **marker.to_parameters(),
        **_ddl_time(base.entry, marker),
    }
    if of_model:
        parameters[OF_THE_MODEL] = ",".join(sorted(of_model))
    if staged.partition_columns:
        parameters[PARTITIONS] = partitions.value
    keeps_keys = changes_hive_keys(staged.partition_keys, base)
    if keeps_keys and columns is None:
        columns = columns_beside_kept_keys(staged, base.table)
    return EntryChange(
        target,
        staged,
        base.entry,
        parameters,
        columns=columns,
        keeps_partition_keys=keeps_keys,
    )


def changes_hive_keys(wanted: tuple[str, ...], base: FileBase) -> bool:
    """True if Hive's partition keys would change, which no metastore lets an alter do."""
    return base.table is not None and base.table.partition_keys != tuple(
        key.lower() for key in wanted
    )


def columns_beside_kept_keys(staged: TableEntry, base: TableEntry | None) -> tuple[Column, ...]:
    """Hive's columns without the names of kept partition keys; Spark's own one if none is left."""
    kept = base.partition_keys if base is not None else ()
    left = tuple(one for one in staged.described_columns if one[0].lower() not in kept)
    return left or (PLACEHOLDER,)


def _own(staged: TableEntry) -> dict[str, str]:
    """The staged properties.

    ``spark.sql.partitionProvider`` is left out: Spark then lists the version's own directories
    instead of the metastore's partitions, which still point at the old version's.
    """
    return {
        key: value
        for key, value in staged.parameters.items()
        if not key.startswith(PREFIX) and key not in (PARTITION_PROVIDER, LAST_DDL_TIME)
    }


def _carried(base: TableEntry | None) -> dict[str, str]:
    """The base's properties that outlive a replace: those that others have set on a table."""
    if base is None or base.is_view:
        return {}
    of_last_model = base.parameters.get(OF_THE_MODEL, "").split(",")
    kept = {
        key: value
        for key, value in base.parameters.items()
        if key not in NEVER_CARRIED
        and not key.startswith(PREFIXES_NEVER_CARRIED)
        and key not in of_last_model
    }
    holder = base.parameters.get(PARTITION_HOLDER)
    return kept if holder is None else {**kept, PARTITION_HOLDER: holder}


def _ddl_time(base: TableEntry | None, marker: Marker) -> dict[str, str]:
    """A time later than the base's, so that a compare-and-swap on it is used up."""
    before = base.last_ddl_time if base else None
    if before is None:
        return {}
    now = marker.lineage.entries[0].time_ms // 1000
    return {LAST_DDL_TIME: str(max(now, before + 1))}


def fenced(base: FileBase, now_ms: int) -> EntryChange | None:
    """The target's entry under a fresh commit id; None where there is no table.

    A target without our marker gets no id: the time that an attempt expects on it moves on.

    Args:
        now_ms: the storage's time just before the call.
    """
    entry, before = base.entry, base.marker
    if entry is None:
        return None
    time = {LAST_DDL_TIME: str(max(now_ms // 1000, (entry.last_ddl_time or 0) + 1))}
    if before is None:
        return EntryChange.of(entry, {**entry.parameters, **time})
    level = Atomicity(before.level)
    marker = marker_over(base, entry.name, before.version, level, Kind.FENCE, now_ms)
    return EntryChange.of(entry, {**entry.parameters, **marker.to_parameters(), **time})
