"""What became of an Iceberg target since begin, and who did it."""

from dbt.adapters.ctas_spark.staging.iceberg.base import IcebergBase
from dbt.adapters.ctas_spark.staging.iceberg.facts import TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.publications import live, only_fenced_since
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts
from dbt.adapters.ctas_spark.staging.publish.version import Change

WRITERS = ("engine-name", "spark.app.id", "app-name")


def change_between(begun: IcebergBase, now: IcebergBase) -> Change:
    """By identity and metadata file: each commit writes another, of properties alone, too."""
    if begun.facts is None:
        return Change.CREATED if now.exists else Change.NONE
    if now.facts is None:
        return Change.WRITTEN if now.exists else Change.DROPPED
    same = begun.facts.metadata_location == now.facts.metadata_location
    if same and begun.facts.uuid == now.facts.uuid:
        return Change.NONE
    return Change.FENCED if only_fenced_since(now.facts, begun.facts) else Change.WRITTEN


def who_changed(begun: IcebergBase, now: IcebergBase) -> str:
    """The version that was committed, or what the snapshot says of its writer."""
    if now.facts is None:
        return now.obstacle or "it was dropped"
    found = live(now.facts)
    if found is not None and found.marker.commit != begun.commit:
        version, when = found.marker.version, conflicts.moment(found.marker.time_ms)
        return f"version {version} was committed at {when}"
    if begun.facts is not None and begun.facts.uuid != now.facts.uuid:
        return f"it was dropped, and created anew {_last_commit(now.facts)}"
    if begun.facts is not None and begun.facts.main == now.facts.main:
        return "a writer without our marker changed its schema or properties"
    return f"a writer without our marker committed {_last_commit(now.facts)}"


def _last_commit(table: TableFacts) -> str:
    snapshot = table.snapshots.get(table.main) if table.main is not None else None
    if snapshot is None:
        return "(no data yet)"
    writer = " ".join(snapshot.summary[key] for key in WRITERS if key in snapshot.summary)
    what = snapshot.summary.get("operation", "a snapshot")
    return (
        f"({what} {snapshot.id} at {conflicts.moment(snapshot.time_ms)} by {writer or 'unknown'})"
    )
