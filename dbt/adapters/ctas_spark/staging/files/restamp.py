"""Give a target's entry a new commit id, and leave its version as it is.

A fence does so to make an older attempt miss what it expects; a repair, to change what the
metastore keeps besides. Source of the idea: HIVE-26882's compare-and-swap refuses every call that
expects the id before.
"""

from collections.abc import Mapping
from types import MappingProxyType

from dbt.adapters.ctas_spark.staging.files.base import LAST_DDL_TIME, Base
from dbt.adapters.ctas_spark.staging.files.publication import PARTITION_PROVIDER, new_commit_id
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import (
    COMMIT,
    MARKER_KEYS,
    PREFIX,
    TARGET,
    VERSION,
    Kind,
    Lineage,
    LineageEntry,
    Marker,
)
from dbt.adapters.ctas_spark.staging.publish.marker import LINEAGE as LINEAGE_KEY

NOTHING: Mapping[str, str] = MappingProxyType({})


def restamped(
    entry: TableEntry, kind: Kind, now: int, also: Mapping[str, str] = NOTHING
) -> EntryChange:
    """The entry under a fresh commit id.

    Args:
        now: the storage's time just before the call, in milliseconds.
        also: parameters to set in the same call.
    """
    base = Base(entry)
    stamp = _stamp(base.marker, entry, kind, now) if base.marker else _first(entry, kind, now)
    kept = entry.parameters if _is_own(entry) else _without_marker(entry)
    return EntryChange(entry.name, entry, entry, {**kept, **also, **stamp})


def is_only_restamped(base: Base, now: TableEntry) -> bool:
    """True if nothing but fences and repairs came between ``base`` and ``now``."""
    if base.entry is None or _without_stamps(base.entry) != _without_stamps(now):
        return False
    stamps = _stamps_since(base, now) or ()
    return bool(stamps) and all(stamp.kind.keeps_the_version for stamp in stamps)


def _stamp(marker: Marker, entry: TableEntry, kind: Kind, now: int) -> dict[str, str]:
    commit = new_commit_id()
    lineage = marker.lineage.followed_by(LineageEntry(commit, marker.version, kind, now))
    after = Marker(commit, marker.version, marker.commit, str(entry.name), marker.level, lineage)
    return after.to_parameters()


def _first(entry: TableEntry, kind: Kind, now: int) -> dict[str, str]:
    """A stamp without a version: the target still counts as one to be taken over.

    The time that an attempt expects on such a target moves on with it.
    """
    commit = new_commit_id()
    before = _lineage(entry)
    return {
        COMMIT: commit,
        TARGET: str(entry.name),
        LINEAGE_KEY: str(before.followed_by(LineageEntry(commit, "", kind, now))),
        LAST_DDL_TIME: str(max(now // 1000, (entry.last_ddl_time or 0) + 1)),
    }


def _stamps_since(base: Base, now: TableEntry) -> tuple[LineageEntry, ...] | None:
    before = base.entry.parameters.get(COMMIT) if base.entry and _is_own(base.entry) else None
    lineage = _lineage(now)
    if before is None:
        return lineage.entries
    return lineage.since(before)


def _is_own(entry: TableEntry) -> bool:
    """False for what a clone or a renamed table has brought along from another target."""
    return entry.parameters.get(TARGET, str(entry.name)) == str(entry.name)


def _without_marker(entry: TableEntry) -> dict[str, str]:
    """All but the marker; the version stays, by which a clean-up finds who shows its files."""
    marker = set(MARKER_KEYS) - {VERSION}
    return {key: value for key, value in entry.parameters.items() if key not in marker}


def _lineage(entry: TableEntry) -> Lineage:
    if not _is_own(entry):
        return Lineage()
    try:
        return Lineage.parse(entry.parameters.get(LINEAGE_KEY, ""))
    except ValueError:
        return Lineage()


def _without_stamps(entry: TableEntry) -> tuple[object, ...]:
    own = {
        key: value
        for key, value in entry.parameters.items()
        if not key.startswith(PREFIX) and key not in (LAST_DDL_TIME, PARTITION_PROVIDER)
    }
    return entry.location, entry.columns, entry.partition_keys, entry.table_type, own
