"""The two-phase commit of a table whose format commits by itself: a version beside it, one call."""

import logging
from collections.abc import Mapping
from typing import Generic

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import Job, WriteFigures
from dbt.adapters.ctas_spark.staging.publish import native_purposes as purposes
from dbt.adapters.ctas_spark.staging.publish import ways
from dbt.adapters.ctas_spark.staging.publish.native_commit import NativeCommit, unchanged
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.version import B, NativeVersion
from dbt.adapters.ctas_spark.staging.publish.withdrawal import Withdrawal
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.steps import Step, StepObserver, StepReport

logger = logging.getLogger(__name__)


class StagedNativeTable(Generic[B]):
    """A ``StagedTable`` of a format; all that is the format's own is in its ``NativeVersion``."""

    partition_metadata: str | None = None

    def __init__(  # noqa: PLR0913, PLR0917 (each was decided by itself)
        self,
        context: StagingContext,
        level: Atomicity,
        version: NativeVersion[B],
        lease: Lease,
        job: Job,
        observers: tuple[StepObserver, ...] = (),
        by: ways.Ways = ways.OWN_COMMIT,
    ) -> None:
        self.context = context
        self.level = level
        self.outcome: Outcome | None = None
        self.left_behind: list[str] = []
        self.strategy = by.create
        self.figures = WriteFigures()
        self._by = by
        self._version = version
        self._lease = lease
        self._job = job
        self._begun: B | None = None
        self._report = StepReport(context.target, observers)

    @property
    def target(self) -> TableName:
        """The table to publish."""
        return self.context.target

    @property
    def version(self) -> str:
        """The version's id."""
        return self._version.id

    @property
    def base_version(self) -> str | None:
        """The version of ours that begin saw."""
        return self._begun.version if self._begun is not None else None

    @property
    def unchanged(self) -> str:
        """What the base is, as the end of a sentence."""
        return unchanged(self._begun) if self._begun is not None else "it was not looked at"

    def begin(self) -> None:
        """Look at the target and make the version's record; what dead runs left goes first.

        Raises:
            TableAlreadyExistsError, NoSuchTableError: the purpose does not fit what exists.
            AtomicityNotSupportedError: something else is in the table's place.
        """
        self._report.enter(Step.BEGIN)
        self._version.tend()
        base = self._begun = self._version.look()
        refusal = purposes.refuses_to_begin(self.context, base)
        if refusal is not None:
            raise refusal
        self.strategy = self._by.replace if base.exists else self._by.create
        if base.exists and not self.context.purpose.may_replace:
            self._resolve(Outcome.KEPT)
            return
        self._warn_of_less(base)
        self._version.stage_on(base)

    def statement(self, query: str) -> str:
        """The statement that stages the version."""
        self._report.enter(Step.STAGE)
        return self._version.statement(query)

    def fill_statement(self, query: str) -> str:
        """There is none: level ``none`` is refused for such a table before it begins."""
        raise RuntimeError(f"{self.target} is not filled in place, and was to be by {query}")

    def verify(self) -> TableName:
        """The job has ended; checks run against the record that this returns."""
        self._report.enter(Step.VERIFY)
        self.figures = self._version.check_staged()
        return self._version.record

    def commit(self) -> None:
        """Publish the staged version, conditional on the base.

        Raises:
            ConcurrentWriteError, TableAlreadyExistsError, NoSuchTableError: refused; the target
                is what another made of it.
            CommitStateUnknownError: the call's fate can't be told; nothing was deleted.
            JobCanceledError: the run was cancelled before the call.
            StagingError: the catalog refused the commit itself; or the record is gone.
        """
        self._report.enter(Step.COMMIT)
        if self._begun is None:
            raise RuntimeError(f"begin() was not called for {self.target}")
        self._version.check_staged()
        commit = NativeCommit(
            self.context, self._version, self._job, self._begun, self.level, self._report
        )
        try:
            commit.run()
        finally:
            self.strategy = self._by.replace if commit.over.exists else self._by.create
            if commit.outcome is not None and commit.outcome is not Outcome.KEPT:
                self._resolve(commit.outcome)
        if commit.outcome is Outcome.KEPT:
            self._keep_theirs()

    def settle(self) -> None:
        """Remove the record; make this session's own later statements see the version."""
        self._report.enter(Step.SETTLE)
        left = self._version.forget(self._report)
        if left:
            logger.info("%s: left for a later run: %s", self.target, ", ".join(left))
        self._version.refresh()
        self._report.leave()

    def note(self, facts: Mapping[str, str]) -> None:
        """The format counts what it writes itself, and its history has that."""

    def abort(self, reason: str) -> None:
        """Stop the job and remove the version. Idempotent; never raises; nothing if decided."""
        if self.outcome is not None:
            return
        self.left_behind = self._withdrawal().run(reason)
        self.outcome = Outcome.NOT_COMMITTED

    def _warn_of_less(self, base: B) -> None:
        """Nothing weakens silently."""
        if base.level is not None and self.level.strength < Atomicity(base.level).strength:
            logger.warning(
                "%s was last published at atomicity %s, and is now at %s",
                self.target,
                base.level,
                self.level.value,
            )

    def _withdrawal(self) -> Withdrawal:
        return Withdrawal(
            target=self.target,
            version=self.version,
            places=self._version.places if self._begun is not None else "",
            lease=self._lease,
            job=self._job,
            report=self._report,
            discard=lambda: self._version.discard(self._report),
        )

    def _keep_theirs(self) -> None:
        logger.info("%s was created by another meanwhile; theirs is kept", self.target)
        self.left_behind = self._withdrawal().remove("another created the table")
        self.outcome = Outcome.KEPT

    def _resolve(self, decided: Outcome) -> None:
        self.outcome = decided
        if decided is not Outcome.UNKNOWN:
            self._lease.resolved(self.version)
        self._report.leave()
