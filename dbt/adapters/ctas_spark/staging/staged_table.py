"""The two-phase commit of one table: begin, stage, then commit or abort (FLIP-305)."""

import logging

from dbt.adapters.ctas_spark.staging import (
    base_checks,
    conflicts,
    ddl,
    outcome,
    publication,
    records,
)
from dbt.adapters.ctas_spark.staging.base import Base
from dbt.adapters.ctas_spark.staging.commits.choice import strategy_for
from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    StagingContext,
    TableName,
)
from dbt.adapters.ctas_spark.staging.directories import VersionRoot
from dbt.adapters.ctas_spark.staging.discard import discard
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.errors import (
    EntryModifiedError,
    MetastoreError,
)
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publication import Publication
from dbt.adapters.ctas_spark.staging.rebase import rebase
from dbt.adapters.ctas_spark.staging.records import RecordState
from dbt.adapters.ctas_spark.staging.services import Services
from dbt.adapters.ctas_spark.staging.steps import Step, StepObserver, StepReport
from dbt.adapters.ctas_spark.staging.takeover import wait_out

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 100


class StagedTable:
    """One attempt to publish one table.

    The calls come in this order: ``begin``, ``statement`` (the caller runs it), ``verify``,
    ``commit``, ``settle``; ``abort`` instead of the rest at any moment. ``outcome`` is None until
    the attempt is decided.
    """

    def __init__(
        self,
        context: StagingContext,
        level: Atomicity,
        services: Services,
        job: Job,
        observers: tuple[StepObserver, ...] = (),
    ) -> None:
        self.context = context
        self.level = level
        self.outcome: Outcome | None = None
        self.left_behind: list[str] = []
        self.version = services.lease.new_version()
        self._services = services
        self._take(Base(None))
        self._job = job
        self._root: VersionRoot | None = None
        self._record_state = RecordState.STAGED.value
        self._report = StepReport(context.target, observers)

    @property
    def target(self) -> TableName:
        """The table to publish."""
        return self.context.target

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
        """Look at the target and take it as the base; nothing about it is written.

        Raises:
            TableAlreadyExistsError, NoSuchTableError: the purpose does not fit what exists.
            AtomicityNotSupportedError: a commit over what exists can't be one conditional call.
        """
        self._report.enter(Step.BEGIN)
        entry = self._services.metastore.get_table(self.target)
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
        return ddl.create_table_as(
            self.record,
            self.root.version(self.version),
            self.context.layout,
            records.record_properties(
                target=self.target,
                version=self.version,
                base=self.base,
                lease=self._services.lease.id,
                root=str(self.root),
            ),
            ddl.without_rows(query) if filled_later else query,
        )

    def fill_statement(self, query: str) -> str:
        """The INSERT that fills a published empty version in place (level ``none`` only).

        A session that has read the table before would write into the version that it remembers.
        """
        self._services.engine.refresh(self.target)
        return ddl.insert_into(self.target, query)

    def verify(self) -> TableName:
        """The job has ended; checks run against the record that this returns."""
        self._report.enter(Step.VERIFY)
        self._copy_permissions(self.root.version(self.version))
        return self.record

    def commit(self) -> None:
        """Publish the staged version by one call, conditional on the base.

        Raises:
            ConcurrentWriteError, TableAlreadyExistsError, NoSuchTableError: refused; the target
                is what another made of it.
            CommitStateUnknownError: the call's fate can't be told; nothing was deleted.
            JobCanceledError: the run was cancelled before the call.
            StagingError: the metastore refused the new entry itself.
        """
        self._report.enter(Step.COMMIT)
        staged = self._read_record()
        with self._services.lock.held(self.target):
            for _ in range(MOST_ATTEMPTS):
                base = self._base_now()
                if base is None:
                    self._keep_theirs()
                    return
                self._attempt(staged, base)
                if self.outcome is not None:
                    return
        raise conflicts.never_alone(self.target, MOST_ATTEMPTS)

    def settle(self) -> None:
        """Make this session's own later statements see what was published."""
        self._report.enter(Step.SETTLE)
        self._services.engine.refresh(self.target)
        self._report.leave()

    def abort(self, reason: str) -> None:
        """Stop the job and remove the version. Idempotent; never raises; nothing if decided."""
        if self.outcome is not None:
            return
        self._report.give_up()
        try:
            self._report.enter(Step.ABORT)
            self._withdraw(reason)
            self._report.leave()
        except Exception:
            logger.exception("abort of %s, version %s, did not finish", self.target, self.version)

    def _prepare(self) -> None:
        base_checks.refuse_other_partition_keys(self.context, self.base)
        base_checks.warn_of_less(self.context, self.base, self.level)
        self._take(self.base)
        location = self._services.metastore.database_location(self.target.database)
        if location is None:
            raise conflicts.no_such_schema(self.target)
        self._root = VersionRoot.of(self.target, location, self.context.layout.location_root)
        self._services.lease.beat(self._root.leases)
        self._copy_permissions(str(self._root))

    def _copy_permissions(self, directory: str) -> None:
        """Who may read the base may read the version, and nobody else.

        The root gets them before the job, because Spark makes the version's directory anew.
        """
        entry = self.base.entry
        if entry is not None and entry.location is not None and not entry.is_view:
            self._services.storage.copy_permissions(entry.location, directory)

    def _take(self, base: Base) -> None:
        self.base = base
        self.strategy = strategy_for(base, self.target, conditional=self._services.conditional)

    def _read_record(self) -> TableEntry:
        record = self._services.metastore.get_table(self.record)
        if record is None:
            raise conflicts.record_gone(self.target, self.record, self.base)
        return record

    def _base_now(self) -> Base | None:
        """The base of the next attempt; None if theirs is to be kept."""
        now = self._services.metastore.get_table(self.target)
        return self.base if self.base.is_still(now) else rebase(self.context, self.base, now)

    def _attempt(self, staged: TableEntry, base: Base) -> None:
        """One commit call; the outcome stays None if a rival was faster."""
        again = self._record_state != RecordState.STAGED.value
        unfenced = base.entry is None or base is not self.base or again
        self._take(base)
        wait_out(base, staged, self._storage_time)
        ours = publication.build(
            target=self.target,
            staged=staged,
            base=base,
            version=self.version,
            level=self.level,
            now=self._storage_time(),
        )
        if self._job.canceled:
            raise conflicts.canceled(self.target, base)
        if unfenced:
            self._move_record(staged, ours.marker.commit)
        self._judge(ours, self._call(ours))

    def _storage_time(self) -> int:
        return self._services.lease.beat(self.root.leases)

    def _move_record(self, staged: TableEntry, attempt: str) -> None:
        try:
            self._record_state = records.mark_committing(
                self._services.metastore,
                staged,
                attempt,
                was=self._record_state,
                conditional=self._services.conditional,
            )
        except EntryModifiedError as error:
            raise conflicts.swept(self.target, self.base) from error

    def _call(self, ours: Publication) -> MetastoreError | None:
        try:
            self.strategy.publish(self._services.metastore, ours)
        except MetastoreError as error:
            return error
        return None

    def _judge(self, ours: Publication, failure: MetastoreError | None) -> None:
        try:
            after = self._services.metastore.get_table(self.target)
        except MetastoreError as error:
            self._resolve(Outcome.UNKNOWN)
            raise conflicts.unknown(self.target, self.version, failure or error) from error
        decided = outcome.decide(after, ours, failure)
        if decided is not Outcome.NOT_COMMITTED:
            self._resolve(decided)
        if decided is Outcome.UNKNOWN:
            raise conflicts.unknown(self.target, self.version, failure) from failure
        if decided is Outcome.NOT_COMMITTED and not conflicts.by_rival(failure):
            raise conflicts.refused_entry(self.target, self.base, failure)

    def _keep_theirs(self) -> None:
        logger.info("%s was created by another meanwhile; theirs is kept", self.target)
        self._remove("another created the table")
        self.outcome = Outcome.KEPT

    def _withdraw(self, reason: str) -> None:
        """Stop the job; remove what it wrote, if it stopped."""
        if self._root is None:
            self._resolve(Outcome.NOT_COMMITTED)
            return
        if self._job.stop():
            self._remove(reason)
        else:
            directory = self.root.version(self.version)
            self.left_behind = [f"directory {directory} (a task of the job still runs)"]
        self.outcome = Outcome.NOT_COMMITTED

    def _remove(self, reason: str) -> None:
        """Delete files and record of a version whose job has ended."""
        directory = self.root.version(self.version)
        self.left_behind = discard(self._services, self.record, directory)
        if not self.left_behind:
            self._services.lease.resolved(self.version)
        logger.info("version %s of %s was withdrawn: %s", self.version, self.target, reason)

    def _resolve(self, decided: Outcome) -> None:
        self.outcome = decided
        if decided is not Outcome.UNKNOWN:
            self._services.lease.resolved(self.version)
        self._report.leave()
