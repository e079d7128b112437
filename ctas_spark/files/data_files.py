"""What data files tell: whether a version is whole, and whether others have changed a table's rows.

A version that holds the old rows replaces them, so what an INSERT, LOAD DATA or DELETE made of them
meanwhile would be lost. No property shows that: engines write different ones, or none. So the files
are compared, by name, size and time.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..engines.protocol import UNKNOWN, WriteFigures
from ..metastore.client import PROVIDER, MetastoreClient, TableEntry
from ..storage.client import Storage, StoredFile, data_files
from .base import PARTITION_PROVIDER
from .directories import FOLDER

HIVES_FILES, HIVES_BYTES = "numFiles", "totalSize"
NEVER_EMPTY = ("parquet", "orc", "avro")
"""Formats whose files begin with something."""
EXACT = ("file:", "hdfs:", "viewfs:")
"""Where Spark's own committers write, and count the very bytes that then lie there."""


def what_is_wrong(storage: Storage, directory: str, wanted: WriteFigures) -> str:
    """How a directory differs from what the job wrote; empty if it does not."""
    now, exact = counted_in(storage, directory), directory.startswith(EXACT)
    found, expected = now.files or 0, wanted.files or 0
    if found < expected or (exact and found > expected):
        return f"{directory} has {found} data files, and the job wrote {expected}"
    if exact and wanted.bytes is not None and now.bytes != wanted.bytes:
        return f"{directory} has {now.bytes} bytes, and the job wrote {wanted.bytes}"
    return ""


def has_changed(storage: Storage, directory: str, counted: WriteFigures) -> bool:
    """Whether a statement has added or replaced rows in place since the version was published."""
    if counted.files is None:
        return False
    now, exact = counted_in(storage, directory), directory.startswith(EXACT)
    return now.files != counted.files or (exact and counted.bytes not in (None, now.bytes))


def written(storage: Storage, directory: str, counted: WriteFigures) -> WriteFigures:
    """What has to stand until the commit: the figures, and a listing of those nobody counted."""
    if counted.files is not None and counted.bytes is not None:
        return counted
    found = counted_in(storage, directory)
    return replace(found, rows=counted.rows, files=counted.files or found.files)


def listed_by_metastore(staged: TableEntry) -> WriteFigures:
    """What a Hive metastore found in the directory when it made the entry, after the job.

    By default it lists a table without partitions then, all but hidden names. Nothing is known of
    formats whose files may be empty: not every listing shows these.
    """
    found = [staged.parameters.get(name, "") for name in (HIVES_FILES, HIVES_BYTES)]
    is_counted = all(one.isdecimal() and int(one) for one in found)
    if staged.partition_columns or staged.provider not in NEVER_EMPTY or not is_counted:
        return UNKNOWN
    return WriteFigures(files=int(found[0]), bytes=int(found[1]))


class ListingByMetastore:
    """Whether what the metastore has listed stands for a listing of ours: one of a run tells."""

    def __init__(self) -> None:
        self._agrees: bool | None = None

    def of(self, staged: TableEntry, count: Callable[[], WriteFigures]) -> WriteFigures:
        """What was found in the directory; UNKNOWN if it still has to be listed."""
        said = listed_by_metastore(staged)
        if said == UNKNOWN or self._agrees is False:
            return UNKNOWN
        if self._agrees:
            return said
        found = count()
        self._agrees = found == said
        return found


def counted_in(storage: Storage, directory: str) -> WriteFigures:
    """The data files of a directory and their bytes."""
    found = data_files(storage.files(directory), directory)
    return WriteFigures(files=len(found), bytes=sum(one.bytes for one in found))


@dataclass(frozen=True, slots=True)
class StoredRows:
    """A table's data files, below ``places``, and its partitions where the metastore has them."""

    places: tuple[str, ...]
    files: frozenset[StoredFile]
    partitions: frozenset[tuple[tuple[str, ...], str]] = frozenset()
    """Values and location of each."""

    def came_since(self, storage: Storage) -> frozenset[StoredFile]:
        """The files that are in the same places now, and were not when this was listed."""
        return _files(storage, self.places) - self.files


def stored_rows(metastore: MetastoreClient, storage: Storage, table: TableEntry) -> StoredRows:
    """List the files of a table, those of partitions outside its directory included.

    Raises:
        MetastoreError, StorageError: they could not be listed.
    """
    by_spark = PROVIDER in table.parameters
    are_tracked = PARTITION_PROVIDER in table.parameters if by_spark else table.partition_keys
    found = metastore.partitions(table.name) if are_tracked else ()
    own = () if table.location is None else (table.location,)
    below = tuple(f"{place.rstrip('/')}/" for place in own)
    elsewhere = {one.location for one in found if not one.location.startswith(below)}
    places = (*own, *sorted(elsewhere))
    partitions = frozenset((one.values, one.location) for one in found)
    return StoredRows(places, _files(storage, places), partitions)


def _files(storage: Storage, places: tuple[str, ...]) -> frozenset[StoredFile]:
    """Versions of ours may lie below a table's directory; they are no rows of it."""
    return frozenset(
        one
        for place in places
        for one in data_files(storage.files(place), place)
        if f"/{place.rstrip('/').rpartition('/')[2]}/{FOLDER}/" not in one.path
    )
