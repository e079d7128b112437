"""The partitions of a version, found in the names of its directories, as Spark finds them."""

from collections import defaultdict
from collections.abc import Sequence
from urllib.parse import unquote

from ..metastore.client import Partition, values_in
from ..storage.client import Storage, StoredFile, data_files, path_below
from .data_files import HIVES_BYTES, HIVES_FILES


def partitions_in(storage: Storage, directory: str, keys: Sequence[str]) -> tuple[Partition, ...]:
    """The partitions that have data files, with the number of these and their bytes.

    Raises:
        StorageError: the directory could not be listed.
    """
    place = directory.rstrip("/")
    found: dict[str, list[StoredFile]] = defaultdict(list)
    for one in data_files(storage.files(place), place):
        parts = path_below(place, one).split("/")
        found["/".join(parts[: len(keys)])].append(one)
    return tuple(
        Partition(
            values_in(name),
            f"{place}/{name}",
            {HIVES_FILES: str(len(own)), HIVES_BYTES: str(sum(one.bytes for one in own))},
        )
        for name, own in found.items()
        if _keys_in(name) == [key.casefold() for key in keys]
    )


def _keys_in(name: str) -> list[str]:
    """The keys that its directories are named by; a file is named by none."""
    parts = [part.partition("=") for part in name.split("/")]
    return [unquote(key).casefold() for key, equals, _ in parts if equals]
