"""The one order in which versions are deleted, for every kind of table.

The record is taken by compare-and-swap, then the target is read again, then the files go, then the
record. After a kill between any two, the next clean-up goes on from there.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from ..context import TableName
from ..errors import StorageError
from ..steps import Step, StepReport
from .rules import KnownVersion, Place, Reason, RetentionRules, Sweep

logger = logging.getLogger(__name__)

SHOWN = (Reason.LIVE, Reason.REFERENCED)


class Garbage(Protocol):
    """One target's versions, and how its kind removes one.

    Every call raises MetastoreError or StorageError if it can't find out what it asks for: that is
    never "absent" or "old".
    """

    @property
    def target(self) -> TableName:
        """The table whose versions these are."""

    def versions(self) -> tuple[KnownVersion, ...]:
        """All that can be seen; the superseded ones newest first."""

    def superseded_for_ms(self, version: KnownVersion, *, note: bool) -> int:
        """Milliseconds since a clean-up first noted that the version is superseded.

        With ``note`` it is noted now, by compare-and-swap, if nobody has done so before.
        """

    def age_ms(self, version: KnownVersion) -> int:
        """Milliseconds since the youngest of: its id's start, its record, its newest file."""

    def may_land(self, version: KnownVersion) -> bool:
        """True if the target is still what the version's writer expects at its commit call."""

    def fence(self) -> None:
        """Give the target a fresh commit id; the version that it shows stays."""

    def take(self, version: KnownVersion) -> bool:
        """Move its record to ``deleting`` by compare-and-swap; make one where there is none.

        False if another process came first.
        """

    def reason_shown(self, version: KnownVersion) -> Reason | None:
        """Why it has to stay after all, by fresh reads of target, partitions and clones."""

    def give_back(self, version: KnownVersion) -> None:
        """Move its record from ``deleting`` to ``published``: the target shows it."""

    def delete_files(self, version: KnownVersion) -> bool:
        """Delete its files; False if they come back again and again."""

    def delete_record(self, version: KnownVersion) -> None:
        """Delete its record, after its files."""


class Unneeded:
    """What is the same in a ``Garbage`` of what no published table needs: age alone decides.

    A writer that is alive all the same finds what it staged gone, and publishes nothing.
    """

    __slots__ = ()

    def superseded_for_ms(self, version: KnownVersion, *, note: bool) -> int:  # noqa: ARG002
        """Nothing that is staged was ever published itself."""
        return 0

    def may_land(self, version: KnownVersion) -> bool:  # noqa: ARG002
        """False: what it would publish is gone."""
        return False

    def fence(self) -> None:
        """Nothing has to be kept from landing."""

    def reason_shown(self, version: KnownVersion) -> Reason | None:  # noqa: ARG002
        """None: the target does not need it."""
        return None

    def give_back(self, version: KnownVersion) -> None:
        """Nothing was taken from the target."""

    def delete_files(self, version: KnownVersion) -> bool:  # noqa: ARG002
        """They go with the record."""
        return True


@dataclass(frozen=True, slots=True)
class CleanUp:
    """One clean-up of one target; a dry run only looks."""

    garbage: Garbage
    rules: RetentionRules
    report: StepReport
    dry_run: bool = False

    def run(self) -> Sweep:
        """Delete what may go; raises like ``Garbage``.

        A version that the storage does not let go stops none of the others, and is told at the end.
        """
        done, rank, failure = Sweep(), 0, None
        for version in self.garbage.versions():
            try:
                done.note(version, self._reason_to_stay(version, rank) or self._deleted(version))
            except StorageError as error:
                failure = failure or error  # of one version, such as a file of another user
            if version.place is Place.SUPERSEDED and not version.is_deleting:
                rank += 1
        if failure is not None:
            raise failure
        return done

    def finish(self) -> Sweep:
        """Finish the deletions that another clean-up began, and begin none."""
        done = Sweep()
        for version in self.garbage.versions():
            if version.is_deleting and version.stays is None:
                done.note(version, self._deleted(version))
        return done

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
        landing = self._may_land(version)
        if landing is not None:
            return landing
        grace = self._grace(version)  # noted now: it runs while a version is kept for a rollback
        return Reason.KEPT if rank < self.rules.versions_to_keep else grace

    def _unpublished(self, version: KnownVersion) -> Reason | None:
        if self.garbage.age_ms(version) < self.rules.orphan_age_ms:
            return Reason.YOUNG
        landing = self._may_land(version)
        if landing is not None or not version.may_have_lived:
            return landing
        return self._grace(version)

    def _grace(self, version: KnownVersion) -> Reason | None:
        """GRACE until its readers have had their time."""
        noted_ms = self.garbage.superseded_for_ms(version, note=not self.dry_run)
        return Reason.GRACE if noted_ms < self.rules.grace_ms else None

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

    def _deleted(self, version: KnownVersion) -> Reason | None:
        """None if the version is gone now, else why it stays."""
        if self.dry_run:
            return self.garbage.reason_shown(version)
        if not version.is_deleting:
            with self.report.within(Step.TAKE_RECORD):
                taken = self.garbage.take(version)
            if not taken:
                return Reason.TAKEN
        reason = self.garbage.reason_shown(version)
        if reason is not None:
            if reason in SHOWN:
                self.garbage.give_back(version)
            return reason
        with self.report.within(Step.DELETE_FILES):
            is_empty = self.garbage.delete_files(version)
        if not is_empty:
            return Reason.FULL
        with self.report.within(Step.DELETE_RECORD):
            self.garbage.delete_record(version)
        target, directory = self.garbage.target, version.directory
        logger.info("version %s of %s was deleted: %s", version.id, target, directory)
        return None


def swept(
    found: Iterable[Garbage], rules: RetentionRules, report: StepReport, *, dry_run: bool
) -> Sweep:
    """Clean up what each kind of garbage of one target knows."""
    done = Sweep()
    for garbage in found:
        done.add(CleanUp(garbage, rules, report, dry_run).run())
    return done
