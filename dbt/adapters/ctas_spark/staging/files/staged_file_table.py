"""The two-phase commit of a table of files: a version's directory, then one metastore call."""

import logging
from collections.abc import Mapping

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.files import base_checks, ddl, pending, records, tidy
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.bookkeeping import Bookkeeping
from dbt.adapters.ctas_spark.staging.files.commit import Commit
from dbt.adapters.ctas_spark.staging.files.commits.choice import strategy_for
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoot
from dbt.adapters.ctas_spark.staging.files.publication import PartitionState, tracks_partitions
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.version_root import version_root
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts
from dbt.adapters.ctas_spark.staging.publish.discard import discard
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.withdrawal import Withdrawal
from dbt.adapters.ctas_spark.staging.steps import Step, StepObserver, StepReport

logger = logging.getLogger(__name__)


class StagedFileTable:
    """A ``StagedTable`` of the session catalog."""

    def __init__(  # noqa: PLR0913, PLR0917 (each was decided by itself)
        self,
        context: StagingContext,
        level: Atomicity,
        partitions: PartitionState,
        services: Services,
        job: Job,
        observers: tuple[StepObserver, ...] = (),
    ) -> None:
        self.context = context
        self.level = level
        self.partitions = partitions
        self.outcome: Outcome | None = None
        self.left_behind: list[str] = []
        self.version = services.lease.new_version()
        self._services = services
        self._level_asked = level
        self._take(Base(None))
        self._job = job
        self._root: VersionRoot | None = None
        self._report = StepReport(context.target, observers)

    @property
    def target(self) -> TableName:
        """The table to publish."""
        return self.context.target

    @property
    def base_version(self) -> str | None:
        """The version of ours that the base shows."""
        return self.base.version

    @property
    def unchanged(self) -> str:
        """What the base is, as the end of a sentence."""
        return conflicts.unchanged(self.base)

    @property
    def partition_metadata(self) -> str | None:
        """``tracked``, ``files`` or ``pending``; None without partitions."""
        return self.partitions.value if self.context.layout.partition_keys else None

    @property
    def record(self) -> TableName:
        """The version's record, which readers of the staged data select from."""
        return records.record_name(self.context.staging_schema, self.target, self.version)

    @property
    def root(self) -> VersionRoot:
        """Where the target's versions lie; known from ``begin`` on."""
        if self._root is None:
            raise RuntimeError(f"begin() was not called for {self.target}")
        return self._root

    def begin(self) -> None:
        """Look at the target and take it as the base; what a crash left half done is mended first.

        Raises:
            TableAlreadyExistsError, NoSuchTableError: the purpose does not fit what exists.
            AtomicityNotSupportedError: a commit over what exists can't be one conditional call.
        """
        self._report.enter(Step.BEGIN)
        self._root = version_root(self._services.metastore, self.context)
        entry = self._mended_entry()
        self.base = Base(entry)
        refusal = conflicts.refuses_to_begin(self.context.purpose, self.target, entry)
        if refusal is not None:
            raise refusal
        if entry is not None and not self.context.purpose.may_replace:
            self._resolve(Outcome.KEPT)
        else:
            self._prepare()

    def statement(self, query: str) -> str:
        """The CTAS that stages the version; at level ``none`` it stages no rows."""
        self._report.enter(Step.STAGE)
        filled_later = self.level is Atomicity.NONE
        in_entry = self.context.layout.has_properties_in_entry
        return ddl.create_table_as(
            self.record,
            self.root.version(self.version),
            self.context.layout,
            self._record_properties() if in_entry else {},
            ddl.without_rows(query) if filled_later else query,
        )

    def fill_statement(self, query: str) -> str:
        """The INSERT that fills a published empty version in place (level ``none`` only).

        A session that has read the table before would write into the version that it remembers.
        """
        self._services.engine.refresh(self.target)
        return ddl.insert_into(self.target, query)

    def verify(self) -> TableName:
        """The job has ended; checks run against the record that this returns.

        Raises:
            StagingError: somebody removed the version's directory.
        """
        self._report.enter(Step.VERIFY)
        if not self.context.layout.has_properties_in_entry:
            self._mark_record()
        self._copy_permissions(self._directory_there())
        return self.record

    def commit(self) -> None:
        """Publish the staged version, conditional on the base.

        Raises:
            ConcurrentWriteError, TableAlreadyExistsError, NoSuchTableError: refused; the target
                is what another made of it.
            CommitStateUnknownError: the call's fate can't be told; nothing was deleted.
            JobCanceledError: the run was cancelled before the call.
            AtomicityNotSupportedError: ``isolated`` by name, and one call can't do it.
            StagingError: the metastore refused the new entry itself; or somebody removed the
                version's record or directory.
        """
        self._report.enter(Step.COMMIT)
        staged = self._read_record()
        self._directory_there()
        commit = self._commit(staged)
        try:
            commit.run(staged)
        finally:
            self.base, self.level, self.strategy = commit.base, commit.level, commit.strategy
            if commit.outcome is not None and commit.outcome is not Outcome.KEPT:
                self._resolve(commit.outcome)
        if commit.outcome is Outcome.KEPT:
            self._keep_theirs()

    def settle(self) -> None:
        """Track the partitions; make this session's own later statements see the version."""
        self._keep_partitions()
        self._report.enter(Step.SETTLE)
        tidy.remove_set_aside(self.context, self._services, self._report)
        tidy.forget_column_statistics(self._services, self.base)
        self._services.engine.refresh(self.target)
        self._report.leave()

    def note(self, facts: Mapping[str, str]) -> None:
        """Keep facts of the version on its record, for the history; without them it works, too."""
        try:
            records.annotate(self._services, self.record, facts)
        except MetastoreError as error:
            logger.warning("%s: figures of %s were not kept: %s", self.target, self.version, error)

    def abort(self, reason: str) -> None:
        """Stop the job and remove the version. Idempotent; never raises; nothing if decided."""
        if self.outcome is not None:
            return
        self.left_behind = self._withdrawal().run(reason)
        self.outcome = Outcome.NOT_COMMITTED

    def _mended_entry(self) -> TableEntry | None:
        """The target's entry, after a dead run's rename or bookkeeping of it."""
        pending.undo_renames(self.context, self._services, self._storage_time, self._report)
        entry = self._services.metastore.get_table(self.target)
        if entry is None or not pending.has_pending_partitions(entry):
            return entry
        if self._services.partition_lock is not None:
            pending.track_partitions(self.target, entry, self._bookkeeping())
        return self._services.metastore.get_table(self.target)

    def _prepare(self) -> None:
        base_checks.refuse_other_formats_table(self.context, self.base)
        base_checks.refuse_other_partition_keys(self.context, self.base)
        self._take(self.base)
        base_checks.warn_of_less(self.context, self.base, self.level)
        if self.partitions is PartitionState.FILES:
            base_checks.warn_of_untracked(self.context, self.base)
        self._services.lease.beat(self.root.leases)
        self._copy_permissions(str(self.root))

    def _take(self, base: Base) -> None:
        self.base = base
        self.strategy = strategy_for(self.context, self.version, base, self._services)
        weaker = self._level_asked.strength > self.strategy.reaches.strength
        self.level = self.strategy.reaches if weaker else self._level_asked

    def _copy_permissions(self, directory: str) -> None:
        """Who may read the base may read the version, and nobody else.

        The root gets them before the job, because Spark makes the version's directory anew.
        """
        entry = self.base.entry
        if entry is not None and entry.location is not None and not entry.is_view:
            self._services.storage.copy_permissions(entry.location, directory)

    def _commit(self, staged: TableEntry) -> Commit:
        if not tracks_partitions(staged):
            self.partitions = PartitionState.FILES
        return Commit(
            self.context,
            self._services,
            self._job,
            version=self.version,
            level=self._level_asked,
            base=self.base,
            partitions=self.partitions,
            storage_time=self._storage_time,
            report=self._report,
        )

    def _bookkeeping(self) -> Bookkeeping:
        lock = self._services.partition_lock
        if lock is None:
            raise RuntimeError(f"partitions of {self.target} are tracked without a lock")
        return Bookkeeping(self.context, self._services, lock, self._report, self._storage_time)

    def _keep_partitions(self) -> None:
        if self.partitions is PartitionState.PENDING:
            self.partitions = self._bookkeeping().run(self.version)

    def _record_properties(self) -> Mapping[str, str]:
        return records.record_properties(
            target=self.target,
            version=self.version,
            base=self.base,
            lease=self._services.lease.id,
            root=str(self.root),
        )

    def _mark_record(self) -> None:
        """What a CTAS does not write into its entry is written by a call of its own."""
        record = self._read_record()
        marked = {**record.parameters, **self._record_properties()}
        change = EntryChange(self.record, record, record, marked)
        self._services.metastore.alter_table(change, None)

    def _read_record(self) -> TableEntry:
        record = self._services.metastore.get_table(self.record)
        if record is None:
            raise conflicts.record_gone(self.target, self.record, self.unchanged)
        return record

    def _directory_there(self) -> str:
        directory = self.root.version(self.version)
        if not self._services.storage.exists(directory):
            raise conflicts.files_gone(self.target, directory, self.unchanged)
        return directory

    def _storage_time(self) -> int:
        return self._services.lease.beat(self.root.leases)

    def _keep_theirs(self) -> None:
        logger.info("%s was created by another meanwhile; theirs is kept", self.target)
        self.left_behind = self._withdrawal().remove("another created the table")
        self.outcome = Outcome.KEPT

    def _withdrawal(self) -> Withdrawal:
        directory = self._root.version(self.version) if self._root else ""
        return Withdrawal(
            target=self.target,
            version=self.version,
            places=f"directory {directory}" if directory else "",
            lease=self._services.lease,
            job=self._job,
            report=self._report,
            discard=lambda: discard(self._services, self.record, directory, self._report),
        )

    def _resolve(self, decided: Outcome) -> None:
        self.outcome = decided
        if decided is not Outcome.UNKNOWN:
            self._services.lease.resolved(self.version)
        self._report.leave()
