"""The commit calls of one version of a native format, until one of them is decided."""

from typing import Generic

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts
from dbt.adapters.ctas_spark.staging.publish import native_purposes as purposes
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.version import (
    B,
    CannotReplayError,
    Change,
    NativeVersion,
)
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

MOST_ATTEMPTS = 20
SHOWN_BY = "the table's history"


class NativeCommit(Generic[B]):
    """Publishes one version over what begin saw, or over what the purpose allows instead.

    ``outcome`` is None until it is decided; ``over`` is what the last attempt was conditional on.
    """

    def __init__(  # noqa: PLR0913, PLR0917 (each was decided by itself)
        self,
        context: StagingContext,
        version: NativeVersion[B],
        job: Job,
        begun: B,
        level: Atomicity,
        report: StepReport,
    ) -> None:
        self.outcome: Outcome | None = None
        self.over = begun
        self._context = context
        self._version = version
        self._job = job
        self._begun = begun
        self._level = level
        self._report = report
        self._who = ""

    def run(self) -> None:
        """Try until the fate of one call is known.

        Raises:
            ConcurrentWriteError, TableAlreadyExistsError, NoSuchTableError: refused.
            CommitStateUnknownError: the call's fate can't be told.
            JobCanceledError: the run was cancelled before the call.
            StagingError: the catalog refused the commit itself.
        """
        for _ in range(MOST_ATTEMPTS):
            now = self._version.look()
            change = self._version.change(self._begun, now)
            if purposes.keeps_theirs(self._context, change) and not now.obstacle:
                self.outcome = Outcome.KEPT
                return
            self.over = self._begun if change is Change.NONE else self._rebased(change, now)
            self._attempt()
            if self.outcome is not None:
                return
        raise conflicts.never_alone(self._context.target, MOST_ATTEMPTS)

    def _rebased(self, change: Change, now: B) -> B:
        self._who = self._version.who(self._begun, now)
        purposes.check_change(self._context, change, now, self._who)
        return now

    def _attempt(self) -> None:
        """One commit call; the outcome stays None if another attempt is to be made."""
        target = self._context.target
        if self._job.canceled:
            raise conflicts.canceled(target, unchanged(self._begun))
        commit = self._version.mark(self.over, self._level)
        self._judge(commit, self._call())

    def _call(self) -> MetastoreError | None:
        """The failure of the call, if any; until it is judged it may land, whatever ended it."""
        self.outcome = Outcome.UNKNOWN
        try:
            with self._report.within(Step.PUBLISH):
                self._version.publish(self.over)
        except MetastoreError as error:
            return error
        return None

    def _judge(self, commit: str, failure: MetastoreError | None) -> None:
        target = self._context.target
        if isinstance(failure, CannotReplayError):
            self.outcome = None
            raise purposes.cannot_replay(self._context, self._who, failure) from failure
        try:
            after = self._version.look()
        except MetastoreError as error:
            cause = failure or error
            raise conflicts.unknown(target, self._version.id, cause, SHOWN_BY) from error
        decided = self._version.decide(self.over, after, commit, failure)
        self.outcome = None if decided is Outcome.NOT_COMMITTED else decided
        if decided is Outcome.UNKNOWN:
            raise conflicts.unknown(target, self._version.id, failure, SHOWN_BY) from failure
        if decided is Outcome.NOT_COMMITTED and not conflicts.by_rival(failure):
            raise purposes.refused(target, unchanged(self._begun), failure)


def unchanged(base: B) -> str:
    """What the target is when nothing was published."""
    if not base.exists:
        return "it does not exist, as before"
    if base.version is not None:
        return f"it still holds version {base.version}"
    return "it is unchanged"
