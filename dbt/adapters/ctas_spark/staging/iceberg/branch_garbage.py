"""The branches of an Iceberg table that runs have left: main needs none, so age alone decides.

A writer that is alive all the same finds its branch gone, and publishes nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

from ..context import TableName
from ..publish.marker import started_ms
from ..retention.clean_up import Unneeded
from ..retention.rules import KnownVersion, Place
from . import branches
from .facts import TableFacts


class BranchedTables(Protocol):
    """A catalog's tables, by SQL or through Java; every call raises MetastoreError."""

    def history(self, name: TableName) -> TableFacts:
        """The table's branches and snapshots now; an empty history without an Iceberg table."""

    def drop_branch(self, name: TableName, branch: str) -> None:
        """Drop a branch, if it is there; its snapshots go when Iceberg expires them."""


@dataclass(frozen=True, slots=True)
class BranchGarbage(Unneeded):
    """A ``Garbage``: every branch that is named after a version, whoever made it.

    ``now_ms`` is the clock of whoever writes. The handle of a version is its branch, and the time
    of its last write, in ms.
    """

    target: TableName
    tables: BranchedTables
    now_ms: Callable[[], int]

    def versions(self) -> tuple[KnownVersion, ...]:
        history = self.tables.history(self.target)
        named = ((name, branches.OURS.fullmatch(name)) for name in history.branches)
        return tuple(
            self._known(history, name, ours.group(1)) for name, ours in named if ours is not None
        )

    def age_ms(self, version: KnownVersion) -> int:
        """By its id's start, and by its last commit."""
        _, written_ms = _handle(version)
        return self.now_ms() - max(started_ms(version.id), written_ms)

    def take(self, version: KnownVersion) -> bool:
        """True if nobody has written to it meanwhile; the drop itself takes it."""
        return any(version.handle == one.handle for one in self.versions())

    def delete_record(self, version: KnownVersion) -> None:
        branch, _ = _handle(version)
        self.tables.drop_branch(self.target, branch)

    def _known(self, history: TableFacts, branch: str, version: str) -> KnownVersion:
        head = history.head(branch)
        what = f"the branch {branch} of {self.target}"
        handle = branch, head.time_ms if head else 0
        return KnownVersion(version, Place.UNPUBLISHED, what, handle=handle)


def _handle(version: KnownVersion) -> tuple[str, int]:
    return cast("tuple[str, int]", version.handle)
