"""The places that a metastore names: those of schemas, tables and partitions that it lists."""

import posixpath
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import unquote

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient

SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?")


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A location that the metastore names; ``who`` has it, ``name`` is the table's."""

    who: str
    name: TableName | None
    location: str


def named_places(metastore: MetastoreClient) -> Iterator[NamedPlace]:
    """Every schema, table and partition that this user may list.

    Raises:
        MetastoreError: something could not be listed.
    """
    for database in metastore.databases():
        location = metastore.database_location(database) or ""
        yield NamedPlace(f"schema {database}", None, location)
        for name in metastore.tables(database):
            yield from _places_of(metastore, name)


def _places_of(metastore: MetastoreClient, name: TableName) -> Iterator[NamedPlace]:
    entry = metastore.get_table(name)
    if entry is None:
        return
    yield NamedPlace(str(name), name, entry.location or "")
    if entry.partition_keys:
        with suppress(EntryMissingError):
            for one in metastore.partitions(name):
                yield NamedPlace(f"a partition of {name}", name, one.location)


class Listing:
    """All that the metastore names, listed at most once; safe to share between threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._places: tuple[NamedPlace, ...] | None = None

    def places(self, metastore: MetastoreClient) -> tuple[NamedPlace, ...]:
        """The places, as they were when somebody first asked.

        Raises:
            MetastoreError: something could not be listed.
        """
        with self._guard:
            if self._places is None:
                self._places = tuple(named_places(metastore))
            return self._places


def is_same(one: str, other: str) -> bool:
    """True if both paths are one, by whatever spelling."""
    return bool(_spellings(one) & _spellings(other))


def lies_within(location: str, directory: str) -> bool:
    """True if the location is the directory or below it, by whatever spelling."""
    return any(
        path == above or path.startswith(f"{above}/")
        for path in _spellings(location)
        for above in _spellings(directory)
    )


def _spellings(location: str) -> set[str]:
    """The path without scheme and authority: as it is, and with its escapes read."""
    path = SCHEME.sub("", location)
    return {posixpath.normpath(spelling) for spelling in (path, unquote(path))}
