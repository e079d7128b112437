"""What Iceberg counted of a snapshot."""

from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.iceberg.facts import Snapshot


def figures_of(snapshot: Snapshot) -> WriteFigures:
    """All rows, files and bytes that the snapshot shows; None where its writer counted none."""
    return WriteFigures(
        rows=_number(snapshot, "total-records"),
        files=_number(snapshot, "total-data-files"),
        bytes=_number(snapshot, "total-files-size"),
    )


def _number(snapshot: Snapshot, key: str) -> int | None:
    text = snapshot.summary.get(key, "")
    return int(text) if text.isdecimal() else None
