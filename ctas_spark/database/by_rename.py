"""Publish a new table of a database: stage it under another name next to it, then rename it.

The database refuses a rename to a name that something has. It moves the staged table itself, whose
number in the database therefore tells whether the target is ours. Nothing replaces a table: that
takes two renames, and a crash between them would leave none.
"""

import logging
from dataclasses import dataclass

from .. import quoting
from ..context import Atomicity, StagingContext, StagingPurpose, TableName
from ..engines.protocol import WriteFigures
from ..errors import (
    EntryExistsError,
    EntryMissingError,
    MetastoreError,
    NotSupportedError,
    RefusedError,
)
from ..publish import messages
from ..publish import version as outcome
from ..publish.marker import new_version_id, started_ms
from ..publish.version import Change, FormatVersion, Outcome, Reach
from ..retention.clean_up import Garbage, swept
from ..retention.rules import KnownVersion, Place, RetentionRules
from ..statement.by_copy import CREATE, ctas
from ..steps import Step, StepReport
from ..storage.client import still_there
from .tables import Database, DatabaseBase, staged_name

logger = logging.getLogger(__name__)

RENAME = "rename"
ONCE = (
    "no table in a database can be replaced, so the next run of this model will be refused; set "
    "staging_purpose: create_if_not_exists, or create"
)
WHY_NOT = (
    "a table in a database can't be replaced by one call: that takes two renames, and a crash "
    "between them would leave none"
)
INSTEAD = (
    "set staging_purpose: create_if_not_exists to keep it; drop it first, if readers may find no "
    "table meanwhile; or publish to an Iceberg or Delta catalog"
)


class RenamedVersion(FormatVersion[DatabaseBase]):
    """A ``Version`` of a table in a database."""

    def __init__(self, context: StagingContext, database: Database, report: StepReport) -> None:
        self.id = new_version_id(database.clock.wall_ms())
        self.record = staged_name(context.target, self.id)
        self.places = ""
        self._context = context
        self._database = database
        self._report = report

    def look(self) -> DatabaseBase:
        return self._database.look(self._context.target)

    def finish_interrupted(self, found: DatabaseBase) -> DatabaseBase:
        """Drop what killed runs have left, once it is old; what fails here stops no model.

        At begin, because a run that keeps a table has nothing to look after when it ends.
        """
        try:
            garbage = DatabaseGarbage(found.name, self._database)
            swept([garbage], RetentionRules(), self._report, dry_run=False)
        except MetastoreError as error:
            logger.warning(
                "%s: what earlier runs staged was not deleted this time: %s", found.name, error.what
            )
        return found

    def reach(self, over: DatabaseBase) -> Reach:
        """All or nothing; of two creations the database lets one through."""
        if over.exists:
            raise NotSupportedError(WHY_NOT, table=over.name, left=messages.NO_JOB, remedy=INSTEAD)
        warning = ONCE if self._context.purpose is StagingPurpose.CREATE_OR_REPLACE else ""
        return Reach(Atomicity.ISOLATED, RENAME, conflict_check="cas", warning=warning)

    def stage_on(self, base: DatabaseBase, level: Atomicity) -> None:  # noqa: ARG002 (absent; one)
        """Nothing is written yet; NoSuchSchemaError without a schema."""
        if not self._database.has_namespace(self._context.target.database):
            raise messages.no_such_schema(self._context.target)

    def statement(self, query: str) -> str:
        self.places = f"the staged table {self.record}"
        return ctas(CREATE, self.record, self._context.layout, {}, query)

    def check_staged(self, counted: WriteFigures) -> WriteFigures:
        """Spark does not count such a write; StagingError if the table is gone."""
        self._number()
        return counted

    def change(self, begun: DatabaseBase, now: DatabaseBase) -> Change:  # noqa: ARG002 (it was absent)
        return Change.CREATED if now.exists else Change.NONE

    def changed_by(self, begun: DatabaseBase, now: DatabaseBase) -> str:  # noqa: ARG002 (it was absent)
        return now.obstacle or "it was created by a writer whom the database does not name"

    def rebase(self, over: DatabaseBase) -> None:
        """Nothing to do: there is no record of a base."""

    def mark(self, over: DatabaseBase, level: Atomicity) -> str:  # noqa: ARG002 (absent; one)
        """The staged table's number, which will be the target's."""
        return str(self._number())

    def publish(self, over: DatabaseBase) -> None:
        target = over.name
        new = f"{quoting.identifier(target.database)}.{quoting.identifier(target.table)}"
        rename = f"ALTER TABLE {quoting.table(self.record)} RENAME TO {new}"
        try:
            self._database.run(f"publish {target}", rename)
        except EntryMissingError:
            raise
        except EntryExistsError as error:
            if self.look().exists:
                raise
            raise RefusedError(error.what) from error  # an index, say, or a type has the name
        except MetastoreError as error:
            raise self._judged(error) from error

    def decide(
        self,
        over: DatabaseBase,  # noqa: ARG002 (it was absent)
        after: DatabaseBase,
        commit: str,
        failure: MetastoreError | None,
    ) -> Outcome:
        ours = str(after.number) == commit
        return outcome.decide(failure, shows_ours=ours, can_not_land=False)

    def settle(self, report: StepReport) -> list[str]:  # noqa: ARG002 (no step)
        """The staged table is the target, and Spark keeps nothing of a database's tables."""
        return []

    def discard(self, report: StepReport) -> list[str]:
        drop = Step.DELETE_RECORD, self.places, lambda: self._database.drop(self.record)
        return still_there(report, drop)

    def _judged(self, error: MetastoreError) -> MetastoreError:
        """What a failed rename means: Spark says the same of a refusal and of a lost answer.

        A rename that is still under way either comes before this drop, which then finds nothing, or
        finds nothing itself.
        """
        try:
            self._database.drop(self.record)
            is_over = not self._database.look(self.record).exists
        except MetastoreError:
            is_over = False
        return RefusedError(error.what) if is_over else MetastoreError(error.what)

    def _number(self) -> int:
        found = self._database.look(self.record).number
        if found is None:
            target = self._context.target
            absent = messages.unchanged(DatabaseBase(target))
            raise messages.record_gone(target, self.record, absent)
        return found


@dataclass(frozen=True, slots=True)
class DatabaseGarbage(Garbage):
    """A ``Garbage``: what old attempts have left staged; a rename takes a table out of it."""

    target: TableName
    database: Database

    def versions(self) -> tuple[KnownVersion, ...]:
        found = self.database.staged_for(self.target)
        return tuple(KnownVersion(one, Place.UNPUBLISHED, str(name)) for one, name in found)

    def age_ms(self, version: KnownVersion) -> int:
        """By its id alone: the database keeps no time."""
        return self.database.now_ms() - started_ms(version.id)

    def take(self, version: KnownVersion) -> bool:
        """True if it is still there; the drop itself takes it."""
        return self.database.look(staged_name(self.target, version.id)).exists

    def delete_record(self, version: KnownVersion) -> None:
        self.database.drop(staged_name(self.target, version.id))
