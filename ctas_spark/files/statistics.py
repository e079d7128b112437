"""The statistics in a table's entry: those that it is published with, and those after an ANALYZE.

An ANALYZE, or an INSERT that counts, sums up what the metastore's partitions hold. A table whose
directories Spark lists has none there: it would be empty, and every join would broadcast it.
"""

from collections.abc import Mapping
from contextlib import suppress

from ..context import TableName
from ..engines.protocol import WriteFigures
from ..errors import EntryModifiedError
from ..metastore.client import EntryChange, TableEntry
from ..publish.marker import Marker
from ..storage.client import Storage
from .base import (
    COLUMN_STATISTICS,
    PARTITION_PROVIDER,
    TOTAL_ROWS,
    TOTAL_SIZE,
    FileBase,
    look,
)
from .data_files import HIVES_BYTES, HIVES_FILES, counted_in
from .entries import MOST_ATTEMPTS, EntryWriter

COUNTED = (HIVES_FILES, HIVES_BYTES, "numRows", "rawDataSize", COLUMN_STATISTICS)
OF_SPARK = "spark.sql.statistics."
Statistics = Mapping[str, str]
"""Size and rows, as properties; what is not known is left out."""


def statistics(written: WriteFigures) -> dict[str, str]:
    """What a partitioned version is published with, as Spark itself would write it.

    Hive keeps no size of a partitioned table, and Spark takes one without a size for huge.
    """
    counted = {TOTAL_SIZE: written.bytes, TOTAL_ROWS: written.rows}
    if written.bytes is None:
        return {}  # Spark reads the rows only next to a size
    return {key: str(value) for key, value in counted.items() if value is not None}


def recounted(staged: Mapping[str, str], written: WriteFigures) -> dict[str, str]:
    """The properties of a version that is published again, with the size that it has by now.

    Rows may have come in place since its record was written, and Spark would broadcast by its size.
    """
    kept = {
        key: value
        for key, value in staged.items()
        if key not in COUNTED and not key.startswith(OF_SPARK)
    }
    counted = {HIVES_FILES: written.files, HIVES_BYTES: written.bytes}
    return kept | {key: str(value) for key, value in counted.items() if value is not None}


def statistics_of(entry: TableEntry | None) -> Statistics:
    """What the entry says; nothing of a table that Spark counts right, or that is not ours."""
    is_ours = Marker.of(entry) is not None
    if entry is None or not (is_ours and entry.partition_columns):
        return {}
    if PARTITION_PROVIDER in entry.parameters:
        return {}  # Spark does not list its directories
    return {
        key: entry.parameters[key] for key in (TOTAL_SIZE, TOTAL_ROWS) if key in entry.parameters
    }


def correct(entries: EntryWriter, storage: Storage, name: TableName, before: Statistics) -> bool:
    """Write the true size, and the rows as far as they are known; False where nothing was wrong.

    Args:
        before: what the entry said before the statement: rows that hold as long as the size does.

    Raises:
        MetastoreError, StorageError: they stay as the statement left them.
    """
    for _ in range(MOST_ATTEMPTS):
        now = look(entries.metastore, name)
        change = _correction(storage, now, before)
        if change is None:
            return False
        with suppress(EntryModifiedError):
            entries.change(name, change, now.expectation)
            return True
    return False


def _correction(storage: Storage, now: FileBase, before: Statistics) -> EntryChange | None:
    entry, written = now.entry, statistics_of(now.entry)
    if entry is None or entry.location is None or TOTAL_SIZE not in written:
        return None
    size = str(counted_in(storage, entry.location).bytes)
    rows = written.get(TOTAL_ROWS)
    if rows is None and before.get(TOTAL_SIZE) == size:
        rows = before.get(TOTAL_ROWS)
    wanted = {TOTAL_SIZE: size} if rows is None else {TOTAL_SIZE: size, TOTAL_ROWS: rows}
    return None if wanted == written else EntryChange.of(entry, {**entry.parameters, **wanted})
