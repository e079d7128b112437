"""Find the tables that show versions of a table of files; clean-ups and rollbacks both ask it.

Other tables come first and the target last, so that a table which is renamed meanwhile is met in
one of its places. Other tables are found by the target's marker, which a rename takes along, and
which SHOW CREATE TABLE copies into clones. Tables and partitions that merely lie in a version
(external tables, clones without the marker) are found by a search of everything. ``ctas_vacuum``
makes one for all that it has taken, and needs no other.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..context import TableName
from ..errors import MetastoreError
from ..metastore.client import TableEntry
from ..publish.marker import COMMIT, TARGET
from ..retention.rules import Reason
from .base import PARTITION_PROVIDER, FileBase, lies_in
from .chain import Chain
from .follow_up import track_partitions
from .places import NamedPlace, partition_places
from .record import Record, taken_back
from .table import FileTable


@dataclass(frozen=True, slots=True)
class Showing:
    """A look for versions of one target; a thorough one compares all locations, too."""

    table: FileTable
    thorough: bool = False
    dry_run: bool = False

    def of(self, found: Sequence[Record], chain: Chain) -> dict[str, Reason]:
        """Why some of these versions may not go, by what the metastore says now.

        Raises:
            MetastoreError: the target could not be read.
        """
        reasons = self._reasons_by_search(found) if self.thorough else {}
        if not self.thorough:
            lost = [one for one in found if not chain.is_of_this_life(one.version)]
            reasons |= self._reasons_elsewhere(found, (self.table.name.database,))
            reasons |= self._reasons_elsewhere(lost, None)
        base = self.table.look()
        shown = base.entry.location if base.entry is not None else None
        commit = base.marker.commit if base.marker is not None else None
        partitions = self._partitions(base, found)
        for one in found:
            if lies_in(shown, one.version):
                reasons[one.version] = Reason.LIVE
            elif any(lies_in(place, one.version) for place in partitions):
                reasons[one.version] = Reason.REFERENCED
            elif self._lets_land(commit, one):
                reasons[one.version] = Reason.EXPECTED
        return reasons

    def elsewhere(self, record: Record) -> TableName | None:
        """Another table that shows the version.

        Raises:
            MetastoreError: a database could not be searched.
        """
        entries = self._others(self.table.metastore.databases())
        return next((one.name for one in entries if self._shows(one, record)), None)

    def _reasons_elsewhere(
        self, found: Sequence[Record], databases: Iterable[str] | None
    ) -> dict[str, Reason]:
        """By the tables that have the target's marker in these databases, or in all there are."""
        if not found:
            return {}
        try:
            searched = self.table.metastore.databases() if databases is None else databases
            others = tuple(self._others(searched))
        except MetastoreError:
            return {one.version: Reason.UNSEARCHED for one in found}
        reasons = {}
        for one, entry in ((one, entry) for one in found for entry in others):
            if self._shows(entry, one):
                reasons[one.version] = Reason.REFERENCED
            elif self._lets_land(entry.parameters.get(COMMIT), one):
                reasons.setdefault(one.version, Reason.EXPECTED)
        return reasons

    def _others(self, databases: Iterable[str]) -> Iterator[TableEntry]:
        metastore, target = self.table.metastore, self.table.name
        for database in sorted({target.database, *databases}):
            names = metastore.tables_with(database, TARGET, str(target))
            yield from metastore.entries([one for one in names if one != target])

    def _shows(self, entry: TableEntry, record: Record) -> bool:
        """But for what a run that was killed while it took a creation back has left."""
        places = (entry.location, entry.also_at)
        is_inside = any(lies_in(place, record.version) for place in places)
        return is_inside and entry.name not in _own(record)

    def _lets_land(self, commit: str | None, record: Record) -> bool:
        """True if the version's call would still succeed over this commit."""
        expected = record.bases[-1].commit if record.bases else None
        return self.table.services.conditional and commit is not None and commit == expected

    def _reasons_by_search(self, found: Sequence[Record]) -> dict[str, Reason]:
        """By the locations of all tables and partitions, and the commits of those with a marker.

        Of the target it counts what was its entry then: it may have been renamed since.
        """
        try:
            places = self.table.services.search.found()
        except MetastoreError:
            return {one.version: Reason.UNSEARCHED for one in found}
        commits = places.commits.get(str(self.table.name), set())
        reasons = {}
        for one in found:
            inside = places.in_versions.get(one.version, ())
            if any(self._is_shown_at(place, one) for place in inside):
                reasons[one.version] = Reason.REFERENCED
            elif any(self._lets_land(commit, one) for commit in commits):
                reasons[one.version] = Reason.EXPECTED
        return reasons

    def _is_shown_at(self, place: NamedPlace, record: Record) -> bool:
        is_of_target = place.is_partition and place.name == self.table.name
        return place.name not in _own(record) and not is_of_target

    def _partitions(self, base: FileBase, found: Sequence[Record]) -> tuple[str, ...]:
        """Where the target's partitions lie, as far as they count.

        Entries below an older version do not count while Spark lists directories. They are dropped
        under the lock: MSCK REPAIR TABLE would bring them back to life. Without a lock nobody ever
        tracks them.
        """
        if base.entry is None:
            return ()
        listed = partition_places(self.table.metastore, base.entry)
        if not any(lies_in(place, one.version) for place in listed for one in found):
            return ()
        if base.version is None or PARTITION_PROVIDER in base.entry.parameters:
            return listed
        if self.dry_run or self.table.services.find_partition_lock() is None:
            return ()
        track_partitions(self.table)
        return partition_places(self.table.metastore, base.entry)


def _own(record: Record) -> tuple[TableName, ...]:
    """The entry of a version, and the name that a creation is taken back to."""
    return () if record.entry is None else (record.entry.name, taken_back(record.entry.name))
