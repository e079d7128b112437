"""A version of a Delta table that is there: staged inside its directory, as a table of its own."""

import logging
from dataclasses import replace
from urllib.parse import unquote

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.delta import limits, transaction
from dbt.adapters.ctas_spark.staging.delta import record as records
from dbt.adapters.ctas_spark.staging.delta.base import DeltaBase, DeltaTarget
from dbt.adapters.ctas_spark.staging.delta.facts import TableFacts, publishes
from dbt.adapters.ctas_spark.staging.delta.record import DeltaRecord
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, Files, LoadedTable
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    EntryModifiedError,
    RefusedError,
    StagingError,
)
from dbt.adapters.ctas_spark.staging.files.record import RecordState
from dbt.adapters.ctas_spark.staging.files.table import Services
from dbt.adapters.ctas_spark.staging.publish import ddl, messages
from dbt.adapters.ctas_spark.staging.publish.version import CannotReplayError, NotWholeError
from dbt.adapters.ctas_spark.staging.steps import StepReport
from dbt.adapters.ctas_spark.staging.version_id import new_version_id

logger = logging.getLogger(__name__)


class DeltaVersion(DeltaTarget):
    """A ``Version`` over a Delta table that begin found."""

    def __init__(self, context: StagingContext, services: Services, tables: DeltaTables) -> None:
        super().__init__(context, services, tables)
        self.id = new_version_id(services.clock.wall_ms())
        self._begun = DeltaBase(None)
        self._record: DeltaRecord | None = None

    @property
    def record(self) -> TableName:
        """The staged table's entry."""
        return records.staged_name(self._context.staging_schema, self._context.target, self.id)

    @property
    def places(self) -> str:
        """The directory, and the entries that lead to it; empty before there are any."""
        return f"the directory {self._record.stage} and its entries" if self._record else ""

    def stage_on(self, base: DeltaBase, level: Atomicity) -> None:  # noqa: ARG002 (always isolated)
        """Write the record, before the first file is."""
        if base.facts is None:
            raise messages.concurrent_write(self._context.target, "it was dropped just now")
        self._begun = base
        limits.check(base.facts, self._context.target, messages.NO_JOB)
        self._warn(base.facts)
        self._record = records.create(
            self._services,
            self._context.staging_schema,
            DeltaRecord(
                target=str(self._context.target),
                version=self.id,
                state=RecordState.STAGED,
                root=base.facts.root,
                id=base.facts.id,
                number=base.facts.number,
            ),
        )

    def statement(self, query: str) -> str:
        """The CTAS of the staged table; the record says all that is ours."""
        stage = self._of_ours.stage
        return ddl.create_table_as(self.record, stage, self._context.layout, {}, query)

    def check_staged(self, counted: WriteFigures) -> WriteFigures:  # noqa: ARG002 (its log knows)
        """What its job counted; that all of it is there yet is the last that ``publish`` asks."""
        if self._figures is None:
            record = self._of_ours
            try:
                self._figures = self._tables.figures(self._loaded())
            except NotWholeError as error:
                unchanged = messages.unchanged(self._begun)
                raise messages.files_gone(self._context.target, error.what, unchanged) from error
            self._services.storage.copy_permissions(record.root, record.stage)
        return self._figures

    def rebase(self, over: DeltaBase) -> None:
        """Write to the record over which version of the log it is published."""
        if over.facts is None or not over.is_same_table(self._begun):
            return  # publish() refuses it by name
        limits.check(over.facts, self._context.target, messages.NOTHING_PUBLISHED)
        record = self._of_ours
        rebased = replace(record, number=over.facts.number)
        try:
            self._record = records.move(self._services, self._context, rebased, record)
        except EntryModifiedError as error:
            raise self._swept() from error

    def mark(self, over: DeltaBase, level: Atomicity) -> str:
        """A fresh commit id, if no clean-up has taken the record."""
        now = records.read(self._services, self._context.staging_schema, self._of_ours)
        if now != self._record:
            raise self._swept()
        return super().mark(over, level)

    def publish(self, over: DeltaBase) -> None:
        """One transaction, conditional on the table and the version of its log.

        The staged log is read here: comments on columns are commits to it.
        """
        if over.table is None or not over.is_same_table(self._begun):
            raise CannotReplayError("the version was staged inside the table that was there")
        try:
            with transaction.nothing_called():
                self.check_still(over.table)
                staged = self._loaded()
            transaction.publish(self._tables, over.table, staged, self._marked, self._check_whole)
        except RefusedError:
            self.check_still(over.table)
            raise

    def settle(self, report: StepReport) -> list[str]:
        """Remove the staged table's own log and both entries; its files are the target's now."""
        self._services.engine.refresh(self._context.target)
        return self._removed(self._of_ours, report, is_published=True)

    def discard(self, report: StepReport) -> list[str]:
        """Remove exactly the version's directory, then both entries; never what is published."""
        if self._record is None:
            return []
        try:
            landed = self._marker is not None and self._has_landed()
        except StagingError as error:
            logger.warning("%s: %s stays: %s", self._context.target, self.places, error.what)
            return [self.places]
        return self._removed(self._record, report, is_published=landed)

    def _removed(self, record: DeltaRecord, report: StepReport, *, is_published: bool) -> list[str]:
        schema = self._context.staging_schema
        return records.remove(self._services, schema, record, report, is_published=is_published)

    def _has_landed(self) -> bool:
        """Looked up just before a deletion; what can't be found out is kept."""
        now = self.look()
        since = self.since(self._begun, now)
        if since is None and now.is_same_table(self._begun):
            raise StagingError("the table's history no longer reaches back to where it began")
        return publishes(since or (), self.id)

    @property
    def _of_ours(self) -> DeltaRecord:
        if self._record is None:
            raise RuntimeError(f"stage_on() was not called for {self._context.target}")
        return self._record

    def _loaded(self) -> LoadedTable:
        record = self._of_ours
        staged = self._tables.at(record.stage)
        if staged is None:
            raise NotWholeError(f"there is no Delta log in {record.stage}")
        found = limits.untried(staged.facts)
        if found:
            raise AtomicityNotSupportedError(
                f"the staged table needs features of Delta with which no publication was tried: "
                f"{', '.join(found)}",
                table=self._context.target,
                left=messages.unchanged(self._begun),
                remedy="leave out the property or the column type that needs them",
            )
        return staged

    def _check_whole(self, files: Files) -> None:
        """One listing against its log: VACUUM RETAIN 0 HOURS takes staged files for forgotten."""
        stage = self._of_ours.stage
        below = f"/{transaction.stage_name(self.id)}/"
        listed = {
            one.path.partition(below)[2]: one.bytes for one in self._services.storage.files(stage)
        }
        missing = [path for path in files if listed.get(unquote(path)) != files[path]["size"]]
        if missing:
            raise NotWholeError(f"{len(missing)} of its files are missing in {stage}: {missing[0]}")

    def _swept(self) -> StagingError:
        return messages.swept(self._context.target, messages.unchanged(self._begun))

    def _warn(self, facts: TableFacts) -> None:
        for what in limits.ended_by_replace(facts, self._context.layout.properties):
            logger.warning(
                "%s: its %s ends with this publication, as with Delta's own REPLACE TABLE AS",
                self._context.target,
                what,
            )
