"""What attempts have left staged in a catalog that publishes by statement.

A copy has the rows of the staged table, and nothing that is published needs that again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from ..context import StagingContext
from ..publish.marker import VERSION_ID, started_ms
from ..retention.clean_up import Garbage
from ..retention.rules import KnownVersion, Place
from .base import TableFacts
from .by_copy import STAGED_AS, STAGED_FOR, staged_name
from .tables import SqlTables


@dataclass(frozen=True, slots=True)
class StatementGarbage(Garbage):
    """A ``Garbage``: the staged tables of one target, whoever made them.

    The handle of a version is the time of its last write, in ms.
    """

    context: StagingContext
    tables: SqlTables

    def versions(self) -> tuple[KnownVersion, ...]:
        """Every table whose name and properties say that it was staged for the target."""
        return tuple(self._versions())

    def age_ms(self, version: KnownVersion) -> int:
        """By its id's start and, where SQL tells it, by the time of its last commit."""
        written_ms = cast("int", version.handle)
        return self.tables.driver.now_ms() - max(started_ms(version.id), written_ms)

    def take(self, version: KnownVersion) -> bool:
        """True if it is still there; the drop itself takes it."""
        return self._find(version.id) is not None

    def delete_record(self, version: KnownVersion) -> None:
        """Drop the staged table, with its files where the catalog can."""
        self.tables.drop(staged_name(self.context, version.id))

    def _versions(self) -> Iterator[KnownVersion]:
        schema = self.context.staging_schema
        for name in self.tables.tables(schema) if self.tables.has_namespace(schema) else ():
            version = name.table.rpartition("__")[2]
            record = staged_name(self.context, version)
            if name.table != record.table or not VERSION_ID.fullmatch(version):
                continue
            facts = self._find(version)
            if facts is not None:
                written_ms = facts.written_ms or 0
                yield KnownVersion(version, Place.UNPUBLISHED, str(record), handle=written_ms)

    def _find(self, version: str) -> TableFacts | None:
        """The staged table; None if its properties say otherwise (forks have such names, too)."""
        facts = self.tables.find(staged_name(self.context, version))
        own = {STAGED_FOR: str(self.context.target), STAGED_AS: version}
        return facts if facts is not None and own.items() <= facts.properties.items() else None
