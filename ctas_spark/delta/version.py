"""A version of a Delta table that is there: staged inside its directory, as a table of its own."""

import logging
from dataclasses import replace
from urllib.parse import unquote

from ..context import Atomicity, TableName
from ..engines.calls import refresh
from ..engines.protocol import WriteFigures
from ..errors import EntryModifiedError, RefusedError, StagingError
from ..publish import ddl, messages
from ..publish.marker import name_of_record, new_version_id
from ..publish.version import CannotReplayError, NotWholeError, before_the_call
from ..steps import StepReport
from . import limits, transaction
from . import record as records
from .base import DeltaAttempt, DeltaBase, DeltaTable
from .facts import Files, publishes
from .record import DeltaRecord, RecordState
from .tables import LoadedTable

logger = logging.getLogger(__name__)


class DeltaVersion(DeltaAttempt):
    """A ``Version`` over a Delta table that begin found."""

    def __init__(self, table: DeltaTable) -> None:
        super().__init__(table)
        self.id = new_version_id(table.services.clock.wall_ms())
        self._begun = DeltaBase(None)
        self._record: DeltaRecord | None = None

    @property
    def record(self) -> TableName:
        """The staged table's entry."""
        return name_of_record(self._table.context.staging_schema, self._table.name, self.id)

    @property
    def places(self) -> str:
        """The directory, and the entries that lead to it; empty before there are any."""
        return f"the directory {self._record.stage} and its entries" if self._record else ""

    def stage_on(self, base: DeltaBase, level: Atomicity) -> None:  # noqa: ARG002 (always isolated)
        """Write the record, before the first file."""
        target, facts = self._table.name, base.facts
        if facts is None:
            raise messages.concurrent_write(target, "it was dropped just now")
        self._begun = base
        limits.check(facts, target, messages.NO_JOB)
        for what in limits.ended_by_replace(facts, self._table.context.layout.properties):
            said = "%s: this publication removes its %s, as Delta's own REPLACE TABLE AS does"
            logger.warning(said, target, what)
        state, on = RecordState.STAGED, (facts.root, facts.id, facts.number)
        record = DeltaRecord(str(target), self.id, state, *on)
        records.create(self._table, record)
        self._record = record

    def statement(self, query: str) -> str:
        """The CTAS of the staged table; the record says all that is ours."""
        layout = self._table.context.layout
        return ddl.create_table_as(self.record, self._staged_on.stage, layout, {}, query)

    def check_staged(self, counted: WriteFigures) -> WriteFigures:  # noqa: ARG002 (its log knows)
        """What its job counted; ``publish`` checks last that all of it is still there."""
        if self._figures is None:
            record = self._staged_on
            try:
                self._figures = self._table.tables.figures(self._loaded())
            except NotWholeError as error:
                unchanged = messages.unchanged(self._begun)
                raise messages.files_gone(self._table.name, error.what, unchanged) from error
            self._table.services.storage.copy_permissions(record.root, record.stage)
        return self._figures

    def rebase(self, over: DeltaBase) -> None:
        """Write to the record which version of the log it is published over."""
        if over.facts is None or not over.is_same_table(self._begun):
            return  # publish() refuses it by name
        limits.check(over.facts, self._table.name, messages.NOTHING_PUBLISHED)
        rebased = replace(self._staged_on, number=over.facts.number)
        try:
            records.move(self._table, rebased, self._staged_on)
        except EntryModifiedError as error:
            raise self._swept() from error
        self._record = rebased

    def mark(self, over: DeltaBase, level: Atomicity) -> str:
        """A fresh commit id, if no clean-up has taken the record."""
        if records.read(self._table, self._staged_on) != self._record:
            raise self._swept()
        return super().mark(over, level)

    def publish(self, over: DeltaBase) -> None:
        """One transaction, conditional on the table and the version of its log.

        The staged log is read here: comments on columns are commits to it.
        """
        if over.table is None or not over.is_same_table(self._begun):
            raise CannotReplayError("the version was staged inside the table that was there")
        tables = self._table.tables
        try:
            with before_the_call():
                self._check_still(over.table)
                staged = self._loaded()
            transaction.publish(tables, over.table, staged, self._marked, self._check_whole)
        except RefusedError:
            self._check_still(over.table)
            raise

    def settle(self, report: StepReport) -> list[str]:
        """Remove the staged table's own log and both entries; its files are the target's now."""
        refresh(self._table.services.engine, self._table.name)
        return records.remove(self._table, self._staged_on, report, is_published=True)

    def discard(self, report: StepReport) -> list[str]:
        """Remove exactly the version's directory, then both entries; never what is published."""
        try:
            landed = self._marker is not None and self._has_landed()
        except StagingError as error:
            logger.warning("%s: %s stays: %s", self._table.name, self.places, error.what)
            return [self.places]
        return records.remove(self._table, self._staged_on, report, is_published=landed)

    @property
    def _staged_on(self) -> DeltaRecord:
        if self._record is None:
            raise RuntimeError(f"stage_on() was not called for {self._table.name}")
        return self._record

    def _has_landed(self) -> bool:
        """Looked up just before a deletion; what can't be found out is kept."""
        now = self.look()
        since = self._since(self._begun, now)
        if since is None and now.is_same_table(self._begun):
            raise StagingError("the table's history no longer reaches back to where it began")
        return publishes(since or (), self.id)

    def _loaded(self) -> LoadedTable:
        stage = self._staged_on.stage
        staged = self._table.tables.at(stage)
        if staged is None:
            raise NotWholeError(f"there is no Delta log in {stage}")
        limits.check_staged(staged.facts, self._table.name, messages.unchanged(self._begun))
        return staged

    def _check_whole(self, files: Files) -> None:
        """One listing against its log: VACUUM RETAIN 0 HOURS deletes what is staged."""
        stage = self._staged_on.stage
        below = f"/{transaction.stage_name(self.id)}/"
        found = self._table.services.storage.files(stage)
        listed = {one.path.partition(below)[2]: one.bytes for one in found}
        missing = [path for path in files if listed.get(unquote(path)) != files[path]["size"]]
        if missing:
            raise NotWholeError(f"{len(missing)} of its files are missing in {stage}: {missing[0]}")

    def _swept(self) -> StagingError:
        return messages.swept(self._table.name, messages.unchanged(self._begun))
