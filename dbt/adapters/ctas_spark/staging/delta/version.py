"""A version of a Delta table that is there: staged inside its directory, as a table of its own."""

import logging
from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.delta import features, outcomes, removal, transaction
from dbt.adapters.ctas_spark.staging.delta.base import DeltaBase, look
from dbt.adapters.ctas_spark.staging.delta.marker import CommitMarker
from dbt.adapters.ctas_spark.staging.delta.notes import Note
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, LoadedTable
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
    StagingError,
)
from dbt.adapters.ctas_spark.staging.files import ddl, records
from dbt.adapters.ctas_spark.staging.files.publication import new_commit_id
from dbt.adapters.ctas_spark.staging.files.records import RecordState, record_name
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.version_root import version_root
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from dbt.adapters.ctas_spark.staging.publish.native_commit import unchanged
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.version import CannotReplayError, Change
from dbt.adapters.ctas_spark.staging.steps import StepReport

logger = logging.getLogger(__name__)

NO_JOB = "it is unchanged; no job was started"


class DeltaVersion:
    """A ``NativeVersion`` of Delta, over a table that begin found there."""

    def __init__(
        self,
        context: StagingContext,
        services: Services,
        tables: DeltaTables,
        version: str,
        tend: Callable[[], object],
    ) -> None:
        self.id = version
        self._context = context
        self._services = services
        self._tables = tables
        self._sweep = tend
        self._begun = DeltaBase(None)
        self._note: Note | None = None
        self._state = RecordState.STAGED.value
        self._marker: CommitMarker | None = None
        self._figures = WriteFigures()
        self._commits: set[str] = set()

    @property
    def record(self) -> TableName:
        """The staged table's entry."""
        return record_name(self._context.staging_schema, self._context.target, self.id)

    @property
    def places(self) -> str:
        """The directory, and the entries that lead to it."""
        if self._note is None:
            return f"the entry {self.record}"
        return f"the directory {self._note.stage} and the entries {self.record}, {self._note.name}"

    def tend(self) -> None:
        """Remove what dead runs staged; what can't be is left for later."""
        try:
            self._sweep()
        except StagingError as error:
            target = self._context.target
            logger.warning("%s: what dead runs left stays for now: %s", target, error.what)

    def look(self) -> DeltaBase:
        """The target as it is now."""
        return look(self._tables, self._services.metastore, self._context.target)

    def stage_on(self, base: DeltaBase) -> None:
        """Write the record, before the first file is."""
        if base.facts is None:
            raise conflicts.concurrent_write(self._context.target, "it was dropped just now")
        self._refuse_or_warn(base)
        self._begun = base
        root = version_root(self._services.metastore, self._context)
        self._services.lease.beat(root.leases)
        note = Note(
            target=self._context.target,
            staging_schema=self._context.staging_schema,
            version=self.id,
            root=base.facts.root,
            id=base.facts.id,
            number=base.facts.number,
            leases=root.leases,
        )
        note.write(self._services)
        self._note = note

    def statement(self, query: str) -> str:
        """The CTAS of the staged table; the record says all that is ours."""
        return ddl.create_table_as(
            self.record, self._staged_on.stage, self._context.layout, {}, query
        )

    def check_staged(self) -> WriteFigures:
        """What the job counted; StagingError if it is gone, or needs what was not tried."""
        note = self._staged_on
        staged = self._staged()
        self._services.storage.copy_permissions(note.root, note.stage)
        found = features.untried(staged.facts)
        if found:
            raise AtomicityNotSupportedError(
                f"the staged table needs features of Delta with which no publication was tried: "
                f"{', '.join(found)}",
                table=self._context.target,
                left=unchanged(self._begun),
                remedy="leave out the property or the column type that needs them",
            )
        self._figures = self._tables.figures(staged)
        return self._figures

    def mark(self, over: DeltaBase, level: Atomicity) -> str:
        """A fresh commit id; the record is taken again before any base but that of begin."""
        note = self._staged_on.read(self._services)
        if note is None or note.is_deleting:
            raise self._swept()
        commit = new_commit_id()
        self._commits.add(commit)
        if over is not self._begun:
            self._take(note, commit)
        self._marker = CommitMarker(
            commit=commit,
            version=self.id,
            base=over.commit,
            target=str(self._context.target),
            level=level.value,
            kind=Kind.BUILD,
            time_ms=self._services.lease.beat(note.leases),
            rows=self._figures.rows,
            bytes=self._figures.bytes,
        )
        return commit

    def publish(self, over: DeltaBase) -> None:
        """One transaction, conditional on the table and the version of its log."""
        if over.table is None or not self._is_inside(over.table):
            raise CannotReplayError("the version was staged inside the table that was there")
        if self._marker is None:
            raise RuntimeError("mark() was not called")
        self._check_still(over.table)
        try:
            transaction.publish(self._tables, over.table, self._staged(), self._marker)
        except RefusedError:
            self._check_still(over.table)
            raise

    def change(self, begun: DeltaBase, now: DeltaBase) -> Change:
        """What became of the target."""
        return outcomes.change_between(self._context, begun, now, self._since(begun, now))

    def who(self, begun: DeltaBase, now: DeltaBase) -> str:
        """Who changed it, and when."""
        return outcomes.who_changed(begun, now, self._since(begun, now))

    def decide(
        self, over: DeltaBase, after: DeltaBase, commit: str, failure: MetastoreError | None
    ) -> Outcome:
        """By the target's own history."""
        return outcomes.decide(over, after, commit, failure, self._since(over, after))

    def refresh(self) -> None:
        """Forget what the session's caches hold of the target."""
        self._services.engine.refresh(self._context.target)

    def forget(self, report: StepReport) -> list[str]:
        """Remove the staged table's own log and both entries; its files are the target's now."""
        return removal.forget(self._services, self._staged_on, report)

    def discard(self, report: StepReport) -> list[str]:
        """Remove exactly the version's directory, then both entries; never what is published."""
        if self._note is None:
            return []
        if self._commits and self._has_landed():
            return self.forget(report)
        return removal.discard(self._services, self._note, report, keep=False)

    def _has_landed(self) -> bool:
        """Looked up just before a deletion."""
        since = self._since(self._begun, self.look()) or ()
        return any(one.marker is not None and one.marker.commit in self._commits for one in since)

    @property
    def _staged_on(self) -> Note:
        if self._note is None:
            raise RuntimeError(f"begin() was not called for {self._context.target}")
        return self._note

    def _staged(self) -> LoadedTable:
        stage = self._staged_on.stage
        found = self._tables.at(stage)
        if found is None:
            raise self._gone(stage)
        return found

    def _gone(self, stage: str) -> StagingError:
        """Who drops a managed table deletes what is staged in its directory."""
        target, now = self._context.target, self.look()
        change = self.change(self._begun, now)
        if change is Change.DROPPED:
            why = "another dropped it meanwhile; "
            return conflicts.no_such_table(target, "nothing was created", why)
        if change is Change.WRITTEN:
            return conflicts.concurrent_write(target, self.who(self._begun, now))
        return conflicts.files_gone(target, stage, unchanged(self._begun))

    def _check_still(self, table: LoadedTable) -> None:
        """Return if nobody has committed since, or created the table anew.

        It comes just before the transaction, which by itself would commit into a log that another
        has begun anew in the same directory; and after a refusal, whose cause may be a rival's.
        """
        now = self._tables.find(self._context.target)
        if now is None:
            raise EntryMissingError("it was dropped")
        if not now.facts.is_same_as(table.facts):
            raise EntryModifiedError(f"it is at {now.facts.number} of {now.facts.id} by now")

    def _is_inside(self, table: LoadedTable) -> bool:
        return self._begun.facts is not None and table.facts.is_same_table(self._begun.facts)

    def _since(self, begun: DeltaBase, now: DeltaBase) -> outcomes.Since:
        """By place, because another's REPLACE TABLE gives the table a new identity."""
        if begun.facts is None or now.table is None or now.table.facts.root != begun.facts.root:
            return None
        return self._tables.commits_since(now.table, begun.facts.number)

    def _take(self, note: Note, commit: str) -> None:
        if note.entry is None:
            raise self._swept()
        state = f"{RecordState.COMMITTING.value}:{commit}"
        conditional = self._services.conditional
        try:
            with self._services.lock.held(self._context.target):
                records.move(
                    self._services.metastore,
                    note.entry,
                    state,
                    was=self._state,
                    conditional=conditional,
                )
        except EntryModifiedError as error:
            raise self._swept() from error
        self._state = state

    def _swept(self) -> StagingError:
        return conflicts.swept(self._context.target, unchanged(self._begun))

    def _refuse_or_warn(self, base: DeltaBase) -> None:
        if base.facts is None:
            return
        target = self._context.target
        untried = features.untried(base.facts)
        if untried:
            raise AtomicityNotSupportedError(
                "the table uses features of Delta with which no publication was tried: "
                f"{', '.join(untried)}",
                table=target,
                left=NO_JOB,
                remedy="drop the feature (ALTER TABLE ... DROP FEATURE), or give the model "
                "another alias",
            )
        if features.is_append_only(base.facts):
            raise AtomicityNotSupportedError(
                f"the table forbids that its rows are replaced ({features.APPEND_ONLY})",
                table=target,
                left=NO_JOB,
                remedy=f"ALTER TABLE {target} SET TBLPROPERTIES ('{features.APPEND_ONLY}'='false')",
            )
        for what in features.ended_by_replace(base.facts, self._context.layout.properties):
            logger.warning(
                "%s: its %s ends with this publication, as with Delta's own REPLACE TABLE AS",
                target,
                what,
            )
