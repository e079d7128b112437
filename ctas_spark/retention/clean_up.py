"""The one order in which versions are deleted, for every kind of table.

The records of all versions that may go are taken by compare-and-swap; then it is asked once who
shows any of them, the target last; then the files of each go, the oldest publication's first, and
its record after them. After a kill between any two, the next clean-up goes on from there.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from ..errors import StorageError
from ..steps import Step, StepReport
from .rules import KnownVersion, Place, Reason, RetentionRules, Sweep

logger = logging.getLogger(__name__)

SHOWN = (Reason.LIVE, Reason.REFERENCED, Reason.EXPECTED)


class Garbage(Protocol):
    """One target's versions, and how its kind removes one.

    Every call raises MetastoreError or StorageError if it can't find out what it asks for: that is
    never "absent" or "old". What is not asked of a kind here is asked of all that was staged and
    never published: its age alone decides, and its files go with its record.
    """

    __slots__ = ()

    def versions(self) -> tuple[KnownVersion, ...]:
        """All that can be seen; the superseded ones newest first."""

    def age_ms(self, version: KnownVersion) -> int:
        """Milliseconds since the youngest of: its id's start, its record, its newest file."""

    def take(self, version: KnownVersion) -> bool:
        """Move its record to ``deleting`` by compare-and-swap; make one where there is none.

        False if another process came first.
        """

    def delete_record(self, version: KnownVersion) -> None:
        """Delete its record, after its files."""

    def left_for_ms(self, version: KnownVersion) -> int | None:  # noqa: ARG002
        """Milliseconds since a later publication had landed; None if none is known."""
        return None

    def may_land(self, version: KnownVersion) -> bool:  # noqa: ARG002
        """True if the target is still what the version's writer expects at its commit call.

        False where a writer that is alive all the same finds what it staged gone.
        """
        return False

    def may_have_lived(self, version: KnownVersion) -> bool:  # noqa: ARG002
        """True if nothing proves that a version without a known publication never had one.

        Then it gets the grace of a superseded version. A fence may come too late: then this says
        what the target shows after it.
        """
        return False

    def fence(self) -> None:
        """Give the target a fresh commit id; the version that it shows stays."""
        return

    def shown(self, versions: Sequence[KnownVersion]) -> Mapping[str, Reason]:  # noqa: ARG002
        """Why some of these have to stay after all, by fresh reads: other tables, the target last.

        A table that a version's writer would still publish over counts as showing it.
        """
        return {}

    def give_back(self, version: KnownVersion) -> None:  # noqa: ARG002
        """Take its record out of ``deleting``: a table shows it."""
        return

    def delete_files(self, version: KnownVersion) -> bool:  # noqa: ARG002
        """Delete its files; False if they come back again and again."""
        return True


@dataclass(frozen=True, slots=True)
class CleanUp:
    """One clean-up of one target; a dry run only looks.

    A version that the storage does not let go stops none of the others. Every call raises like
    ``Garbage``.
    """

    garbage: Garbage
    rules: RetentionRules
    report: StepReport
    dry_run: bool = False
    taken: list[KnownVersion] = field(default_factory=list)
    _done: Sweep = field(default_factory=Sweep)

    def run(self) -> Sweep:
        """Delete what may go."""
        self.take()
        return self.delete()

    def take(self) -> None:
        """Take the records of all versions that may go, the oldest publication's first."""
        going, rank = list[KnownVersion](), 0
        for version in self.garbage.versions():
            with _of_one(version, self._done):
                reason = self._reason_to_stay(version, rank)
                if reason is None:
                    going.insert(0, version)
                else:
                    self._done.note(version, reason)
            if version.place is Place.SUPERSEDED and not version.is_deleting:
                rank += 1
        self._take(going)

    def delete(self) -> Sweep:
        """Delete what was taken and what nobody shows; what became of every version."""
        shown = self.garbage.shown(self.taken) if self.taken else {}
        for version in self.taken:
            with _of_one(version, self._done):
                self._done.note(version, self._deleted(version, shown.get(version.id)))
        return self._done

    def finish(self) -> Sweep:
        """Finish the deletions that another clean-up began, and begin none."""
        found = self.garbage.versions()
        self._take([one for one in found if one.is_deleting and one.stays is None])
        return self.delete()

    def _reason_to_stay(self, version: KnownVersion, rank: int) -> Reason | None:
        """Why the version is not to be deleted; None if the rules let it go."""
        if version.stays is not None:
            return version.stays
        if version.is_deleting:
            return None
        if version.place is Place.LIVE:
            return Reason.LIVE
        if version.place is Place.SUPERSEDED:
            return self._superseded(version, rank)
        return self._unpublished(version)

    def _superseded(self, version: KnownVersion, rank: int) -> Reason | None:
        """A rollback to it may be under way, and may land like a build."""
        if rank < self.rules.versions_to_keep:
            return Reason.KEPT
        return self._may_land(version) or self._left(version, self.rules.grace_ms)

    def _unpublished(self, version: KnownVersion) -> Reason | None:
        """By an age that is not below zero, though the look began before a file was written."""
        age_ms = self.rules.orphan_age_ms
        if max(0, self.garbage.age_ms(version)) < age_ms:
            return Reason.YOUNG
        landing = self._may_land(version)
        if landing is not None or not self.garbage.may_have_lived(version):
            return landing
        return self._left(version, max(self.rules.grace_ms, age_ms))

    def _left(self, version: KnownVersion, grace_ms: int) -> Reason | None:
        """GRACE until its readers have had their time; what nobody is known to have left stays."""
        left_ms = self.garbage.left_for_ms(version)
        if left_ms is None:
            return Reason.NOT_LEFT
        return Reason.GRACE if left_ms < grace_ms else None

    def _may_land(self, version: KnownVersion) -> Reason | None:
        """MAY_LAND if its writer's call may still succeed; a fence ends that."""
        if not self.garbage.may_land(version):
            return None
        if not self.rules.fences:
            return Reason.MAY_LAND
        if self.dry_run:
            return None
        with self.report.within(Step.FENCE):
            self.garbage.fence()
        return Reason.MAY_LAND if self.garbage.may_land(version) else None

    def _take(self, going: Sequence[KnownVersion]) -> None:
        self.taken.extend(one for one in going if self._is_taken(one))

    def _is_taken(self, version: KnownVersion) -> bool:
        if self.dry_run or version.is_deleting:
            return True
        with self.report.within(Step.TAKE_RECORD):
            taken = self.garbage.take(version)
        if not taken:
            self._done.note(version, Reason.TAKEN)
        return taken

    def _deleted(self, version: KnownVersion, shown: Reason | None) -> Reason | None:
        """None if the version is gone now, else why it stays."""
        if self.dry_run:
            would_be_fenced = shown is Reason.EXPECTED and self.rules.fences
            return None if would_be_fenced else shown
        if shown is not None:
            if shown in SHOWN:
                self.garbage.give_back(version)
            return shown
        with self.report.within(Step.DELETE_FILES):
            is_empty = self.garbage.delete_files(version)
        if not is_empty:
            return Reason.FULL
        with self.report.within(Step.DELETE_RECORD):
            self.garbage.delete_record(version)
        said = "version %s of %s was deleted: %s"
        logger.info(said, version.id, self.report.target, version.directory)
        return None


@contextmanager
def _of_one(version: KnownVersion, done: Sweep) -> Iterator[None]:
    """What the storage refuses for one version, such as a file of another user, stops no other."""
    try:
        yield
    except StorageError as error:
        done.failed[version.id] = error


def swept(
    found: Iterable[Garbage], rules: RetentionRules, report: StepReport, *, dry_run: bool
) -> Sweep:
    """Clean up what each kind of garbage of one target knows."""
    done = Sweep()
    for garbage in found:
        done.add(CleanUp(garbage, rules, report, dry_run).run())
    return done
