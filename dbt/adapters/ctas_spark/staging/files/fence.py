"""Give a target a fresh commit id, and leave its version as it is.

An older attempt then misses what it expects (HIVE-26882's compare-and-swap refuses it).
"""

from dbt.adapters.ctas_spark.staging.files.base import LAST_DDL_TIME, FileBase
from dbt.adapters.ctas_spark.staging.files.publication import new_commit_id
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.publish.marker import Kind, LineageEntry, Marker


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
        return EntryChange(entry.name, entry, entry, {**entry.parameters, **time})
    commit = new_commit_id()
    stamp = LineageEntry(commit, before.version, Kind.FENCE, now_ms)
    marker = Marker(
        commit,
        before.version,
        before.commit,
        before.target,
        before.level,
        before.lineage.followed_by(stamp),
        before.number + 1,
    )
    parameters = {**entry.parameters, **marker.to_parameters(), **time}
    return EntryChange(entry.name, entry, entry, parameters)
