"""How another's INSERT into a table of files is told from upkeep of its entry.

Spark's INSERT into a table without partitions writes the new size into the entry. One into a
partitioned table writes nothing there, and drops Spark's statistics if there are any. So a
partitioned version is published with its own, and a partitioned base without any is listed.
"""

from ..engines.protocol import WriteFigures
from ..metastore.client import TableEntry
from ..storage.client import Storage

STATISTICS = "spark.sql.statistics."
TOTAL_SIZE, TOTAL_ROWS = f"{STATISTICS}totalSize", f"{STATISTICS}numRows"
COLUMN_STATISTICS = "COLUMN_STATS_ACCURATE"
FIGURES = frozenset({"numFiles", "totalSize", "numRows", "rawDataSize"})

Listing = frozenset[tuple[str, int, int]]
"""Path, bytes and time of each file."""


def statistics(written: WriteFigures) -> dict[str, str]:
    """What a partitioned version is published with, as Spark itself would write it."""
    told = {TOTAL_SIZE: written.bytes, TOTAL_ROWS: written.rows}
    if written.bytes is None:
        return {}  # Spark reads the rows only next to a size
    return {key: str(value) for key, value in told.items() if value is not None}


def is_upkeep(key: str, begun: TableEntry, now: TableEntry) -> bool:
    """True for a changed property that no INSERT has changed.

    ANALYZE counts the rows: as many as before, if nobody has inserted any.
    """
    if key in (TOTAL_SIZE, TOTAL_ROWS) and key in begun.parameters:
        same_rows = begun.parameters.get(TOTAL_ROWS, now.parameters.get(TOTAL_ROWS))
        return same_rows is not None and now.parameters.get(TOTAL_ROWS) == same_rows
    if key.startswith(STATISTICS) or key == COLUMN_STATISTICS:
        return True
    return key in FIGURES and key not in begun.parameters


def listing(storage: Storage, table: TableEntry | None) -> Listing | None:
    """The files of a table whose entry would not show an INSERT; None of any other.

    Raises:
        StorageError: they could not be listed.
    """
    if table is None or table.location is None or TOTAL_SIZE in table.parameters:
        return None
    if not (table.partition_columns or table.partition_keys):
        return None
    found = storage.files(table.location)
    return frozenset((one.path, one.bytes, one.modified_ms) for one in found)
