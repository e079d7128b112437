"""The commit calls of one version, until one of them is decided."""

import logging
from dataclasses import dataclass
from typing import Generic

from dbt.adapters.ctas_spark.staging.clock import Stopwatch
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.publish import messages, purposes
from dbt.adapters.ctas_spark.staging.publish.locks import HeldCheck
from dbt.adapters.ctas_spark.staging.publish.version import (
    B,
    CannotReplayError,
    Change,
    NotWholeError,
    Outcome,
    Reach,
    SweptError,
    Version,
    is_by_rival,
)
from dbt.adapters.ctas_spark.staging.retention.rules import ORPHAN_AGE_MS
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 100
LONGEST_CREATION_MS = ORPHAN_AGE_MS // 2


@dataclass(slots=True)
class Commit(Generic[B]):
    """Publishes one version over what begin saw, or over what the purpose allows instead.

    ``asked`` is the level to keep if the base found lets it. ``outcome`` is None until it is
    decided; ``over``, ``reach`` and ``level`` are those of the last attempt. ``age`` runs since
    begin.
    """

    context: StagingContext
    version: Version[B]
    job: Job
    begun: B
    asked: Atomicity
    report: StepReport
    age: Stopwatch
    over: B
    reach: Reach
    level: Atomicity
    outcome: Outcome | None = None
    who: str = ""

    def run(self) -> None:
        """Try until the fate of one call is known; raises as ``StagedTable.commit`` does."""
        with self.version.held() as check:
            for _ in range(MOST_ATTEMPTS):
                self._attempt(check)
                if self.outcome is not None:
                    return
        who = f"others committed before each of {MOST_ATTEMPTS} attempts to overwrite"
        raise messages.concurrent_write(self.context.target, who)

    def _attempt(self, check: HeldCheck) -> None:
        """One commit call; the outcome stays None if another attempt is to be made."""
        now = self.version.look()
        change = self.version.change(self.begun, now)
        if purposes.keeps_theirs(self.context, change, now):
            self.outcome = Outcome.KEPT
            return
        self._take(change, now)
        if self.job.canceled:
            raise messages.canceled(self.context.target, messages.unchanged(self.begun))
        self._check_creation()
        commit = self.version.mark(self.over, self.level)
        check()
        self._judge(commit, self._call())

    def _take(self, change: Change, now: B) -> None:
        """Decide over what to publish, and what that keeps."""
        self.over = self.begun
        if change is not Change.NONE:
            self.who = self.version.who(self.begun, now)
            purposes.check_change(self.context, change, now, self.who)
            self.over = now
        self.reach = self.version.reach(self.over)
        unchanged = messages.unchanged(self.begun)
        self.level = purposes.kept(self.context, self.asked, self.reach, unchanged)
        if self.over is not self.begun:  # identity: begin's base is on the record already
            self.version.rebase(self.over)

    def _check_creation(self) -> None:
        """No compare-and-swap refuses a creation that woke up after its version was swept."""
        if not self.over.exists and self.age.elapsed_ms() > LONGEST_CREATION_MS:
            raise messages.too_old(self.context.target, messages.unchanged(self.begun))

    def _call(self) -> MetastoreError | None:
        """The failure of the call, if any; until it is judged it may land, whatever ended it."""
        self.outcome = Outcome.UNKNOWN
        try:
            with self.report.within(Step.PUBLISH):
                self.version.publish(self.over)
        except MetastoreError as error:
            return error
        return None

    def _judge(self, commit: str, failure: MetastoreError | None) -> None:
        target = self.context.target
        if isinstance(failure, CannotReplayError):
            self.outcome = None
            what = f"on_conflict: overwrite can't put the staged version over that: {failure}"
            raise messages.concurrent_write(target, f"{self.who}; {what}") from failure
        if isinstance(failure, SweptError):
            self.outcome = None
            raise messages.swept(target, messages.unchanged(self.begun)) from failure
        if isinstance(failure, NotWholeError):
            self.outcome = None
            unchanged = messages.unchanged(self.begun)
            raise messages.files_gone(target, failure.what, unchanged) from failure
        try:
            after = self.version.look()
        except MetastoreError as error:
            raise messages.unknown(target, self.version.id, failure or error) from error
        decided = self.version.decide(self.over, after, commit, failure)
        self.outcome = None if decided is Outcome.NOT_COMMITTED else decided
        if decided is Outcome.UNKNOWN:
            raise messages.unknown(target, self.version.id, failure) from failure
        if decided is Outcome.NOT_COMMITTED and not is_by_rival(failure):
            raise messages.refused(target, messages.unchanged(self.begun), failure)
