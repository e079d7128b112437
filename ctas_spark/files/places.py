"""Where every table and partition of a metastore lies, by one search that serves many tables.

Such a search tells who shows a version if it was begun after the version's record was taken: from
then on nobody publishes the version. So a clean-up takes what may go of all of its tables, and then
searches once; whoever takes a record makes the last search be forgotten.
"""

import posixpath
import re
from bisect import bisect_left
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import unquote

from ..context import TableName
from ..errors import EntryMissingError, MetastoreError
from ..metastore.client import MetastoreClient, TableEntry
from ..metastore.messages import SCRATCH
from ..publish.marker import COMMIT, TARGET, VERSION_ID
from .record_scan import MOST_TOGETHER

SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?")


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A location that the metastore names: what is there, for people, and its table's name."""

    what: str
    name: TableName | None
    location: str
    is_partition: bool = False


@dataclass(slots=True)
class Places:
    """What one search has found.

    ``commits`` are those of the entries that carry a target's marker, the target among them.
    """

    in_versions: dict[str, list[NamedPlace]] = field(default_factory=dict)
    commits: dict[str, set[str]] = field(default_factory=dict)
    _paths: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, metastore: MetastoreClient) -> "Places":
        """Search every schema, table and partition that this user may list.

        Raises:
            MetastoreError: something could not be listed.
        """
        found = cls()
        for database in metastore.databases():
            location = metastore.database_location(database) or ""
            found.add(NamedPlace(f"schema {database}", None, location))
            names = metastore.tables(database)
            for start in range(0, len(names), MOST_TOGETHER):
                for entry in metastore.entries(names[start : start + MOST_TOGETHER]):
                    found.add_entry(metastore, entry)
        found._paths.sort()
        return found

    def add(self, place: NamedPlace) -> None:
        """One more place; of those in no version only the path is kept."""
        for part in filter(VERSION_ID.fullmatch, place.location.split("/")):
            self.in_versions.setdefault(part, []).append(place)
        self._paths += [(path, place.what) for path in _spellings(place.location)]

    def add_entry(self, metastore: MetastoreClient, entry: TableEntry) -> None:
        """Its own locations, and those of its partitions.

        An entry by which a run was deleting a directory when it was killed shows nothing to anyone.
        """
        if SCRATCH in entry.parameters:
            return
        for location in dict.fromkeys(filter(None, (entry.location, entry.also_at))):
            self.add(NamedPlace(str(entry.name), entry.name, location))
        if {TARGET, COMMIT} <= entry.parameters.keys():
            target, commit = entry.parameters[TARGET], entry.parameters[COMMIT]
            self.commits.setdefault(target, set()).add(commit)
        for place in partition_places(metastore, entry):
            what = f"a partition of {entry.name}"
            self.add(NamedPlace(what, entry.name, place, is_partition=True))

    def first_within(self, directory: str) -> str | None:
        """What lies at the directory or below it, by whatever spelling; None if nothing does."""
        for path in _spellings(directory):
            for wanted in (path, f"{path}/"):
                at = bisect_left(self._paths, (wanted,))
                if at < len(self._paths) and lies_within(self._paths[at][0], path):
                    return self._paths[at][1]
        return None


@dataclass(slots=True)
class PlaceSearch:
    """The last search of a metastore, for as long as nothing was taken since."""

    metastore: MetastoreClient
    _found: Places | MetastoreError | None = None

    def found(self) -> Places:
        """What it has found; the search is made if there is none.

        Raises:
            MetastoreError: something could not be listed, which is not tried again.
        """
        if self._found is None:
            try:
                self._found = Places.of(self.metastore)
            except MetastoreError as error:
                self._found = error
        if isinstance(self._found, MetastoreError):
            raise self._found
        return self._found

    def forget(self) -> None:
        """A record was taken: only a search that begins now shows who has its version."""
        self._found = None


def partition_places(metastore: MetastoreClient, entry: TableEntry) -> tuple[str, ...]:
    """Where the metastore's partitions of a table lie; none of one that is gone by now."""
    with suppress(EntryMissingError):
        if entry.partition_keys:
            return tuple(one.location for one in metastore.partitions(entry.name))
    return ()


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
