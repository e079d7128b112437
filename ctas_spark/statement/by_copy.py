"""Publish any table: stage a whole table in the staging schema, then copy it over the target.

The staged table is also the record. One CREATE TABLE or REPLACE TABLE that selects from it
publishes: Spark stages that in the catalog and commits it there at the end. So the rows are written
twice, and the published table never needs the staged one again.
"""

from collections.abc import Mapping

from .. import quoting
from ..context import Atomicity, StagingContext, TableLayout, TableName
from ..engines.protocol import WriteFigures
from ..publish import messages
from ..publish.ddl import clauses
from ..publish.marker import (
    PREFIX,
    TARGET,
    LineageEntry,
    Marker,
    PublicationKind,
    name_of_record,
    new_commit_id,
    order_of,
)
from ..steps import Step, StepReport
from ..storage.client import still_there
from .base import StatementBase
from .tables import SqlTables

STAGED_FOR = PREFIX + "staged_for"
"""The target of a staged table; only the tables of this kind have it."""
STAGED_AS = PREFIX + "staged_as"
"""The version's id; a copy of a staged table has the property, too, but another name."""
DROPS_FILES = "gc.enabled"
"""A property of Iceberg's; if the model or the catalog sets it to false, no purge works."""
CREATE, REPLACE = "create", "replace"


class ByCopy:
    """The calls of a ``StatementVersion`` by a copy; ``begun`` is the base that begin saw."""

    def __init__(
        self, context: StagingContext, tables: SqlTables, version: str, begun: StatementBase
    ) -> None:
        self.record = name_of_record(context.staging_schema, context.target, version)
        self.places = ""
        self._context = context
        self._tables = tables
        self._version = version
        self._begun = begun
        self._marker: dict[str, str] = {}

    def statement(self, query: str) -> str:
        self.places = f"the staged table {self.record}"
        # its own name as the marker's target: no clean-up of Iceberg's takes it for a fork
        own = {
            DROPS_FILES: "true",
            STAGED_FOR: str(self._context.target),
            STAGED_AS: self._version,
            TARGET: str(self.record),
        }
        return ctas(CREATE, self.record, self._context.layout, own, query)

    def check_staged(self) -> WriteFigures:
        """Spark does not count such a write; StagingError if the table is gone."""
        if not self._tables.exists(self.record):
            unchanged = messages.unchanged(self._begun)
            raise messages.record_gone(self._context.target, self.record, unchanged)
        return WriteFigures()

    def rebase(self, over: StatementBase) -> None:
        """Nothing to do: no clean-up asks for the base of a staged table, its age alone decides."""

    def mark(self, over: StatementBase, level: Atomicity) -> str:
        """Make the marker that the statement sets; StagingError if the staged table is gone."""
        self.check_staged()
        before, now_ms = over.marker, self._tables.driver.now_ms()
        order_ms = max(now_ms, order_of(before.commit) + 1) if before else now_ms
        commit = new_commit_id(order_ms, self._version)
        self._marker = Marker(
            commit=commit,
            version=self._version,
            base=over.commit,
            target=str(self._context.target),
            level=level.value,
            lineage=over.lineage.followed_by(LineageEntry(commit, PublicationKind.BUILD), now_ms),
            life=before.life if before else commit,
        ).to_parameters()
        return commit

    def publish(self, over: StatementBase) -> None:
        """Run one statement, which the catalog commits at its end or not at all."""
        target, rows = self._context.target, f"SELECT * FROM {quoting.table(self.record)}"  # noqa: S608 (quoted)
        verb = REPLACE if over.exists else CREATE
        statement = ctas(verb, target, self._context.layout, self._marker, rows)
        self._tables.run(f"publish {target}", statement)

    def can_not_land(self, over: StatementBase, after: StatementBase) -> bool:  # noqa: ARG002
        """False: no base refuses a statement that is still under way."""
        return False

    def settle(self, report: StepReport) -> list[str]:
        """The target has a copy."""
        return self.discard(report)

    def discard(self, report: StepReport) -> list[str]:
        """Drop the staged table, of which the target has a copy; return what is left."""
        return still_there(report, (Step.DELETE_RECORD, self.places, self._drop_record))

    def _drop_record(self) -> None:
        if self._tables.exists(self.record):
            self._tables.drop(self.record)


def ctas(
    verb: str, name: TableName, layout: TableLayout, properties: Mapping[str, str], query: str
) -> str:
    """Create a table that must not exist, or replace one that must."""
    using = quoting.identifier(layout.file_format) if layout.format_given else None
    said = clauses(using, layout, {**layout.properties, **properties})
    return f"{verb.upper()} TABLE {quoting.table(name)}\n{said}\nAS\n{query}"
