"""What a target's lineage and the bases on the records of its versions say together.

Every publication that is known stands in one of them, with a time by which it had landed. So
nothing has to be noted after a publication: when a version was left follows from the next one that
is known, and no chain of bases is walked, so that a record that is gone in between does not matter.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ..publish.marker import order_of, version_in
from .base import FileBase
from .record import Record


@dataclass(frozen=True, slots=True)
class Landed:
    """A publication, and a time by which it had landed, in milliseconds since the epoch."""

    commit: str
    by_ms: int

    @property
    def order(self) -> int:
        return order_of(self.commit)

    @property
    def version(self) -> str:
        """What the target showed from then on."""
        return version_in(self.commit)


@dataclass(frozen=True)
class Chain:
    """``lineage`` is the target's, newest first; ``named`` are the publications that bases name."""

    lineage: tuple[Landed, ...]
    named: tuple[Landed, ...]

    @classmethod
    def of(cls, base: FileBase, records: Iterable[Record], read_ms: int) -> "Chain":
        """The chain of a target that was read after its records.

        Args:
            read_ms: when the target was read, by the storage's clock.
        """
        newest_ms = base.landed_ms(read_ms)  # the list has no time of its newest entry yet
        entries = base.marker.lineage.entries if base.marker is not None else ()
        lineage = (
            Landed(one.commit, newest_ms if one.landed_ms is None else one.landed_ms)
            for one in entries
        )
        named = (
            Landed(one.commit, one.landed_ms)
            for record in records
            for one in record.bases
            if one.commit is not None and one.landed_ms is not None
        )
        return cls(tuple(lineage), tuple(named))

    def last_commit(self, version: str) -> str | None:
        """The version's last publication that is known."""
        own = [one.commit for one in self._by_version.get(version, ())]
        return max(own, key=order_of, default=None)

    def first_landed_ms(self, version: str) -> int | None:
        """When the version's first publication that is known had landed."""
        return min((one.by_ms for one in self._by_version.get(version, ())), default=None)

    def published(self, versions: Iterable[str]) -> tuple[str, ...]:
        """Those of them that are known to have been published, the last one first.

        The order is the lineage's, then that of commit ids.
        """
        lived = {one: commit for one in versions if (commit := self.last_commit(one)) is not None}
        ranked = sorted(lived, key=lambda one: order_of(lived[one]), reverse=True)
        shown = (one for one in self._shown if one in lived)
        return tuple(dict.fromkeys((*shown, *ranked)))

    def left_ms(self, record: Record) -> int | None:
        """When the target had ceased to show the version, or its writer's call could not land.

        It is the landing of the first publication after both the version's last one and its
        record's last base; None if there is no such one. For what the lineage has, the lineage
        alone decides, because a renamed table may come back, except of a version that a rollback
        has taken since.
        """
        version, last = record.version, record.bases[-1] if record.bases else None
        place = self._shown.index(version) if version in self._shown else None
        if place is not None and not self._is_taken_since(record, self.lineage[place]):
            return self.lineage[place - 1].by_ms if place else None
        own = self.last_commit(version)
        after = -1 if own is None else order_of(own)
        if last is not None:
            after = max(after, order_of(last.commit) if last.commit else last.seen_ms)
        others = (found for key, found in self._by_version.items() if key != version)
        later = (one.by_ms for found in others for one in found if one.order > after)
        return min(later, default=None)

    def proves_unpublished(self, record: Record) -> bool:
        """True if a publication of the version would stand in the lineage, after one of its bases.

        All of them have to: a rollback by name takes a version that may have lived over an earlier
        one. Nobody publishes a version without a record.
        """
        if self.last_commit(record.version) is not None:
            return False
        reached = {one.commit for one in self.lineage}
        return all(one.commit in reached for one in record.bases)

    def is_of_this_life(self, version: str) -> bool:
        """True if all its known publications are in the lineage.

        A rename or a drop ends a life, so no other table shows what was superseded in this one.
        """
        own = {one.commit for one in self._by_version.get(version, ())}
        return bool(own) and own <= {one.commit for one in self.lineage}

    @cached_property
    def _by_version(self) -> dict[str, list[Landed]]:
        """All that are known: each version is asked for several times, and there may be many."""
        found: dict[str, list[Landed]] = {}
        for one in (*self.lineage, *self.named):
            found.setdefault(one.version, []).append(one)
        return found

    @cached_property
    def _shown(self) -> tuple[str, ...]:
        """The versions of the lineage."""
        return tuple(one.version for one in self.lineage)

    def _is_taken_since(self, record: Record, shown: Landed) -> bool:
        last = record.bases[-1].commit if record.bases else None
        return last is not None and order_of(last) > shown.order
