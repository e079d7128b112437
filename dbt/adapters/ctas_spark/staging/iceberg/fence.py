"""Make sure that an attempt over what an Iceberg table shows now can no longer land."""

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError
from dbt.adapters.ctas_spark.staging.files.publication import new_commit_id
from dbt.adapters.ctas_spark.staging.iceberg.publications import SnapshotMarker, live
from dbt.adapters.ctas_spark.staging.iceberg.tables import LoadedTable
from dbt.adapters.ctas_spark.staging.publish.marker import Kind


def fence(table: LoadedTable, target: TableName, now_ms: int) -> None:
    """Commit a snapshot of the same files, with a commit id; the version stays as it is.

    Iceberg makes it again over a rival's commit, which has changed the base, too. A table that is
    gone needs no fence.

    Raises:
        MetastoreError: the fence may or may not stand.
    """
    before = live(table.facts)
    marker = SnapshotMarker(
        commit=new_commit_id(),
        version=before.marker.version if before else "",
        base=before.marker.commit if before else "",
        target=str(target),
        level=before.marker.level if before else "",
        kind=Kind.FENCE,
        time_ms=now_ms,
        spec_id=int(table.facts.document["default-spec-id"]),
        sort_order_id=int(table.facts.document["default-sort-order-id"]),
        fork="",
    )
    try:
        table.append_nothing(marker.to_summary())
    except EntryMissingError:
        return
