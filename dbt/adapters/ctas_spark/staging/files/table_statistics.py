"""The statistics in a table's entry: which they are, and what a version is published with."""

from ..engines.protocol import WriteFigures

SPARKS = "spark.sql.statistics."
TOTAL_SIZE, TOTAL_ROWS = f"{SPARKS}totalSize", f"{SPARKS}numRows"
COLUMN_STATISTICS = "COLUMN_STATS_ACCURATE"
OF_THE_METASTORE = frozenset({"numFiles", "totalSize", "numRows", "rawDataSize"})
OF_OTHERS = frozenset(
    {
        "numFilesErasureCoded",
        "DO_NOT_UPDATE_STATS",
        "STATS_GENERATED",
        "STATS_GENERATED_VIA_STATS_TASK",
    }
)
OF_IMPALA = "impala."


def is_statistic(key: str) -> bool:
    """True for a property that only says how much the table holds."""
    return key.startswith((SPARKS, OF_IMPALA)) or key in (
        COLUMN_STATISTICS,
        *OF_THE_METASTORE,
        *OF_OTHERS,
    )


def statistics(written: WriteFigures) -> dict[str, str]:
    """What a partitioned version is published with, as Spark itself would write it.

    Hive keeps no size of a partitioned table, and Spark takes one without a size for huge.
    """
    told = {TOTAL_SIZE: written.bytes, TOTAL_ROWS: written.rows}
    if written.bytes is None:
        return {}  # Spark reads the rows only next to a size
    return {key: str(value) for key, value in told.items() if value is not None}
