"""What attempts have left staged in a catalog that publishes by statement.

A copy has the rows of the staged table, and nothing that is published needs that again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from ..context import StagingContext, TableName, named_in
from ..publish.marker import (
    VERSION_ID,
    is_record_of,
    name_of_record,
    started_ms,
    version_named,
)
from ..retention.clean_up import Garbage
from ..retention.rules import KnownVersion, Place
from .base import TableFacts
from .by_copy import STAGED_AS, STAGED_FOR
from .tables import SqlTables


def staged_for(tables: SqlTables, staging_schema: str) -> Iterator[TableName]:
    """The targets of the staged tables in a staging schema."""
    for name in tables.tables(staging_schema) if tables.has_namespace(staging_schema) else ():
        if VERSION_ID.fullmatch(version_named(name)) is None:
            continue
        facts = tables.find(name)
        said = facts.properties.get(STAGED_FOR, "") if facts is not None else ""
        target = named_in(name.catalog, said)
        if target is not None and is_record_of(name, target):
            yield target


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
        self.tables.drop(self._record(version.id))

    def _versions(self) -> Iterator[KnownVersion]:
        schema = self.context.staging_schema
        for name in self.tables.tables(schema) if self.tables.has_namespace(schema) else ():
            version = version_named(name)
            facts = self._find(version) if is_record_of(name, self.context.target) else None
            if facts is not None:
                record, written_ms = str(self._record(version)), facts.written_ms or 0
                yield KnownVersion(version, Place.UNPUBLISHED, record, handle=written_ms)

    def _record(self, version: str) -> TableName:
        return name_of_record(self.context.staging_schema, self.context.target, version)

    def _find(self, version: str) -> TableFacts | None:
        """The staged table; None if its properties say otherwise (forks have such names, too)."""
        facts = self.tables.find(self._record(version))
        own = {STAGED_FOR: str(self.context.target), STAGED_AS: version}
        return facts if facts is not None and own.items() <= facts.properties.items() else None
