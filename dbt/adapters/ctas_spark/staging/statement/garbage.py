"""What attempts have left staged in a catalog that publishes by statement.

Nothing that is published needs it: a copy has the rows of the staged table, and main does not need
the branch. So age alone decides. A writer that is alive all the same finds that what it staged is
gone, and publishes nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from ..context import StagingContext, TableName
from ..publish.marker import VERSION_ID, started_ms
from ..retention.rules import KnownVersion, Place, Reason
from .base import TableFacts
from .by_branch import OURS, drop_branch
from .by_copy import STAGED_AS, STAGED_FOR, staged_name
from .tables import SqlTables


@dataclass(frozen=True, slots=True)
class StatementGarbage:
    """A ``Garbage``: the staged tables and the branches of one target, whoever made them.

    The handle of a version is its branch, or empty for a staged table, and its last write, in ms.
    """

    context: StagingContext
    tables: SqlTables

    @property
    def target(self) -> TableName:
        return self.context.target

    def versions(self) -> tuple[KnownVersion, ...]:
        return (*self._staged_tables(), *self._branches())

    def superseded_for_ms(self, version: KnownVersion, *, note: bool) -> int:  # noqa: ARG002
        """Nothing that is staged was ever published itself."""
        return 0

    def age_ms(self, version: KnownVersion) -> int:
        """By its id's start and, where SQL tells it, by the time of its last commit."""
        _, written_ms = _handle(version)
        return self.tables.driver.now_ms() - max(started_ms(version.id), written_ms)

    def may_land(self, version: KnownVersion) -> bool:  # noqa: ARG002 (of none)
        """False: its writer would find what it staged gone, and publish nothing."""
        return False

    def fence(self) -> None:
        """Nothing has to be kept from landing."""

    def take(self, version: KnownVersion) -> bool:
        """True if it is still there; the drop itself takes it."""
        branch, _ = _handle(version)
        if branch:
            return version in self._branches()
        return self._find(version.id) is not None

    def reason_shown(self, version: KnownVersion) -> Reason | None:  # noqa: ARG002 (of none)
        """None: the target does not need it."""
        return None

    def give_back(self, version: KnownVersion) -> None:
        """Nothing was taken from the target."""

    def delete_files(self, version: KnownVersion) -> bool:  # noqa: ARG002 (with the record)
        """They go with the table, or when Iceberg expires the branch's snapshots."""
        return True

    def delete_record(self, version: KnownVersion) -> None:
        """Drop the branch, or the staged table with its files where the catalog can."""
        branch, _ = _handle(version)
        if branch:
            drop_branch(self.tables, self.target, branch)
        else:
            self.tables.drop(staged_name(self.context, version.id))

    def _staged_tables(self) -> Iterator[KnownVersion]:
        """Every table whose name and properties say that it was staged for the target."""
        schema = self.context.staging_schema
        for name in self.tables.tables(schema) if self.tables.has_namespace(schema) else ():
            version = name.table.rpartition("__")[2]
            record = staged_name(self.context, version)
            if name.table != record.table or not VERSION_ID.fullmatch(version):
                continue
            facts = self._find(version)
            if facts is not None:
                handle = "", facts.written_ms or 0
                yield KnownVersion(version, Place.UNPUBLISHED, str(record), handle=handle)

    def _branches(self) -> Iterator[KnownVersion]:
        """Every branch that is named after a version; a table of another format has none."""
        if not self.tables.has_branches or self.tables.find(self.target) is None:
            return
        lines = self.tables.lines(self.target)
        for name in lines.branches:
            ours, head = OURS.fullmatch(name), lines.head(name)
            if ours is not None:
                handle = name, head.time_ms if head else 0
                what = f"the branch {name} of {self.target}"
                yield KnownVersion(ours.group(1), Place.UNPUBLISHED, what, handle=handle)

    def _find(self, version: str) -> TableFacts | None:
        """The staged table; None if its properties say otherwise (forks have such names, too)."""
        facts = self.tables.find(staged_name(self.context, version))
        own = {STAGED_FOR: str(self.target), STAGED_AS: version}
        return facts if facts is not None and own.items() <= facts.properties.items() else None


def _handle(version: KnownVersion) -> tuple[str, int]:
    return cast("tuple[str, int]", version.handle)
