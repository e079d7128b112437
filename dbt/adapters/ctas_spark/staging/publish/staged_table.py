"""The two-phase commit of one table, whatever kind it is (FLIP-305 ``StagedTable``)."""

import logging
from typing import Generic

from dbt.adapters.ctas_spark.staging.clock import Clock, Stopwatch
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import Job, WriteFigures
from dbt.adapters.ctas_spark.staging.publish import messages, purposes
from dbt.adapters.ctas_spark.staging.publish.commit import Commit
from dbt.adapters.ctas_spark.staging.publish.version import B, Outcome, Reach, Version
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)


class StagedTable(Generic[B]):
    """One attempt to publish one table; ``Plan.begin`` makes it.

    The calls come in this order: ``statement`` (the caller runs it), ``verify``, ``commit``,
    ``settle``; ``abort`` instead of the rest at any moment. ``outcome`` is None until the attempt
    is decided; ``left_behind`` is what an abort could not remove.
    """

    def __init__(  # noqa: PLR0913, PLR0917 (each was decided by itself)
        self,
        context: StagingContext,
        asked: Atomicity,
        version: Version[B],
        base: B,
        job: Job,
        report: StepReport,
        clock: Clock,
    ) -> None:
        self.context = context
        self.base = base
        keeps = purposes.keeps_what_exists(context, base)
        self.reach = Reach(asked, "keep") if keeps else version.reach(base)
        self.level = purposes.kept(context, asked, self.reach, messages.NO_JOB)
        self.figures = WriteFigures()
        self.outcome: Outcome | None = None
        self.left_behind: list[str] = []
        self._asked = asked
        self._version = version
        self._job = job
        self._report = report
        self._age = Stopwatch.start(clock)

    @property
    def target(self) -> TableName:
        return self.context.target

    @property
    def version(self) -> str:
        return self._version.id

    @property
    def partition_metadata(self) -> str | None:
        """Where the version's partitions are listed; None if it has none."""
        return self._version.partition_metadata

    @property
    def keeps_own_columns(self) -> bool:
        """True if the table's format, and not the metastore, keeps its columns."""
        return self._version.keeps_own_columns

    def prepare(self) -> None:
        """Prepare the staging, or keep what exists; nothing about the target is written."""
        if purposes.keeps_what_exists(self.context, self.base):
            self._decided(Outcome.KEPT)
            return
        purposes.warn_of_less(self.context, self.base, self.level)
        if self.reach.warning:
            logger.warning("%s: %s", self.target, self.reach.warning)
        self._version.stage_on(self.base, self.level)

    def statement(self, query: str) -> str:
        """The statement that stages the version; no reader of the target sees its effect."""
        self._report.enter(Step.STAGE)
        return self._version.statement(query)

    def fill_statement(self, query: str) -> str | None:
        """The statement that fills the published empty version; None but at level ``none``."""
        return self._version.fill_statement(query) if self.level is Atomicity.NONE else None

    def verify(self) -> TableName:
        """The job has ended; checks run against the record that this returns.

        Raises:
            StagingError: what the job wrote is not there, or not whole.
        """
        self._report.enter(Step.VERIFY)
        self.figures = self._version.check_staged(self._job.figures())
        return self._version.record

    def commit(self) -> None:
        """Publish the staged version, conditional on the base.

        Raises:
            ConcurrentWriteError, TableAlreadyExistsError, NoSuchTableError: refused; the target
                is what another made of it.
            CommitStateUnknownError: the call's fate can't be told; nothing was deleted.
            JobCanceledError: the run was cancelled before the call.
            AtomicityNotSupportedError: the level asked for by name can't be kept over the base.
            StagingError: the catalog refused the commit itself; or the version is gone.
        """
        self._version.check_staged(self.figures)
        self._report.enter(Step.COMMIT)
        commit = self._commit()
        try:
            commit.run()
        finally:
            self.base, self.level, self.reach = commit.over, commit.level, commit.reach
            if commit.outcome is not None and commit.outcome is not Outcome.KEPT:
                self._decided(commit.outcome)
        if commit.outcome is Outcome.KEPT:
            self._keep_theirs()

    def settle(self) -> None:
        """Make this session's own later statements see the version."""
        self._report.enter(Step.SETTLE)
        if self.level is Atomicity.NONE:
            self.figures = self._job.figures()  # the version was filled after its commit
        left = self._version.settle(self._report)
        if left:
            logger.info("%s: left for a later run: %s", self.target, ", ".join(left))
        self._report.leave()

    def abort(self, reason: str) -> None:
        """Stop the job and remove the version. Idempotent; never raises; nothing if decided."""
        if self.outcome is not None:
            return
        self._report.give_up()
        try:
            self._report.enter(Step.ABORT)
            self.left_behind = self._withdrawn(reason)
            self._report.leave()
        except Exception:
            logger.exception("abort of %s, version %s, did not finish", self.target, self.version)
            self.left_behind = [f"what was staged in {self._version.places}"]
        self.outcome = Outcome.NOT_COMMITTED

    def _commit(self) -> Commit[B]:
        return Commit(
            context=self.context,
            version=self._version,
            job=self._job,
            begun=self.base,
            asked=self._asked,
            report=self._report,
            age=self._age,
            over=self.base,
            reach=self.reach,
            level=self.level,
        )

    def _keep_theirs(self) -> None:
        logger.info("%s was created by another meanwhile; theirs is kept", self.target)
        self.left_behind = self._discarded("another created the table")
        self.outcome = Outcome.KEPT

    def _withdrawn(self, reason: str) -> list[str]:
        """What is left of the version; without places nothing was written yet."""
        places = self._version.places
        if not places:
            return []
        if self._job.stop():
            return self._discarded(reason)
        why = "a task of the job still runs"
        logger.warning("%s: %s, so %s stays; a later run deletes it", self.target, why, places)
        return [f"{places} ({why})"]

    def _discarded(self, reason: str) -> list[str]:
        left = self._version.discard(self._report)
        logger.info("version %s of %s was withdrawn: %s", self.version, self.target, reason)
        return left

    def _decided(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self._report.leave()
