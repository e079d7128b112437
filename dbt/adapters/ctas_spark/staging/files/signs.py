"""How another's INSERT into a table of files is told from upkeep of its entry.

Spark's INSERT into a table without partitions writes the new size into the entry, if that has a
size. One into a partitioned table writes nothing there, and drops Spark's statistics if there are
any. So a partitioned version is published with its own, and a base is listed if it lacks one of
them and is partitioned, or has no size.
"""

from ..context import OnConflict, StagingContext
from ..engines.protocol import WriteFigures
from ..errors import StorageError
from ..metastore.client import TableEntry
from ..publish import messages
from ..storage.client import Storage, data_files
from .directories import FOLDER

STATISTICS = "spark.sql.statistics."
TOTAL_SIZE, TOTAL_ROWS = f"{STATISTICS}totalSize", f"{STATISTICS}numRows"
COLUMN_STATISTICS = "COLUMN_STATS_ACCURATE"
HIVE_SIZE = "totalSize"
FIGURES = frozenset({"numFiles", HIVE_SIZE, "numRows", "rawDataSize"})

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


def listing_before(
    context: StagingContext, storage: Storage, table: TableEntry | None
) -> Listing | None:
    """``listing`` at begin; None where another's INSERT is to be replaced anyway.

    Raises:
        StorageError: the base could not be listed; no job was started.
    """
    if context.on_conflict is OnConflict.OVERWRITE:
        return None
    try:
        return listing(storage, table)
    except StorageError as error:
        raise messages.base_not_listed(context.target, error) from error


def listing(storage: Storage, table: TableEntry | None) -> Listing | None:
    """The data files of a table whose entry would not show an INSERT; None of any other.

    Versions of ours may lie below it.

    Raises:
        StorageError: they could not be listed.
    """
    if table is None or table.location is None:
        return None
    if not (table.partition_columns or table.partition_keys or _lacks_size(table)):
        return None
    if {TOTAL_SIZE, TOTAL_ROWS} <= table.parameters.keys():
        return None
    found = data_files(storage.files(table.location), table.location)
    own = f"/{table.directory_name}/{FOLDER}/"
    return frozenset((one.path, one.bytes, one.modified_ms) for one in found if own not in one.path)


def _lacks_size(table: TableEntry) -> bool:
    """True for empty files, and where the metastore does not look at the storage."""
    return not table.is_view and table.parameters.get(HIVE_SIZE, "0").strip() in ("", "0", "-1")
