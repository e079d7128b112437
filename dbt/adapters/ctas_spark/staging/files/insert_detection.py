"""Whether rows came to a table, or went, without a commit of ours: INSERT, LOAD DATA, DELETE.

A version that holds the old rows replaces them, so what came to them meanwhile would be lost. No
property shows that: engines write different ones, or none. So the files are compared, by name, size
and time.
"""

from dataclasses import dataclass

from ..metastore.client import PROVIDER, MetastoreClient, TableEntry
from ..storage.client import Storage, StoredFile, data_files
from .base import PARTITION_PROVIDER
from .directories import FOLDER

Entries = frozenset[tuple[tuple[str, ...], str]]
"""Values and location of each partition."""


@dataclass(frozen=True, slots=True)
class StoredRows:
    """A table's data files, below ``places``, and its partitions where the metastore has them."""

    places: tuple[str, ...]
    files: frozenset[StoredFile]
    partitions: Entries = frozenset()

    def came_since(self, storage: Storage) -> frozenset[StoredFile]:
        """The files that are in the same places now, and were not when this was listed."""
        return _files(storage, self.places) - self.files


def stored_rows(metastore: MetastoreClient, storage: Storage, table: TableEntry) -> StoredRows:
    """List the files of a table, those of partitions outside its directory included.

    Raises:
        MetastoreError, StorageError: they could not be listed.
    """
    found = metastore.partitions(table.name) if _has_entries(table) else ()
    entries = frozenset((one.values, one.location) for one in found)
    own = () if table.location is None else (table.location,)
    elsewhere = {one.location for one in found if not _is_below(one.location, own)}
    places = (*own, *sorted(elsewhere))
    return StoredRows(places, _files(storage, places), entries)


def _has_entries(table: TableEntry) -> bool:
    """True where readers take the partitions from the metastore, and not from the directories."""
    if PROVIDER in table.parameters:
        return PARTITION_PROVIDER in table.parameters
    return bool(table.partition_keys)


def _is_below(location: str, places: tuple[str, ...]) -> bool:
    return any(location.startswith(f"{place.rstrip('/')}/") for place in places)


def _files(storage: Storage, places: tuple[str, ...]) -> frozenset[StoredFile]:
    """Versions of ours may lie below a table's directory; they are no rows of it."""
    return frozenset(
        one
        for place in places
        for one in data_files(storage.files(place), place)
        if f"/{place.rstrip('/').rpartition('/')[2]}/{FOLDER}/" not in one.path
    )
