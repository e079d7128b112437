"""The two-phase commit of one table, whatever kind it is (FLIP-305 ``StagedTable``)."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from .. import quoting
from ..clock import ORPHAN_AGE_MS, SYSTEM_CLOCK, Clock, Stopwatch
from ..context import Atomicity, OnConflict, StagingContext, TableName
from ..engines.protocol import Job, WriteFigures
from ..errors import MetastoreError, NotSupportedError, StagingError
from ..steps import Step, StepObserver, StepReport
from . import messages, purposes
from .locks import HeldCheck
from .version import (
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

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 100
LONGEST_CREATION_MS = ORPHAN_AGE_MS // 2


@dataclass(frozen=True, slots=True)
class Plan:
    """One publication, validated; nothing about the target was read or written yet.

    ``level`` is what the catalog reaches of what the model asks for. ``open_version`` opens one
    attempt at a level; the kind may look at what stands in the target's place. ``adds`` says that
    the query will have the target's own rows, as far as that is known before there is one.
    ``only_by_query`` says that nothing but this query, whose text is told, reads the target before
    the commit; and ``is_planned`` that the query is a DataFrame, whose plan may be an old one.
    """

    context: StagingContext
    level: Atomicity
    job: Job
    open_version: Callable[[Atomicity, StepReport], Version[Any]]
    clock: Clock = SYSTEM_CLOCK
    observers: tuple[StepObserver, ...] = ()
    adds: bool = False
    only_by_query: bool = False
    is_planned: bool = False

    def begin(self) -> "StagedTable[Any]":
        """Look at the target and take it as the base; first what a crash left is finished.

        The outcome is decided already where the purpose keeps what exists.

        Raises:
            TableAlreadyExistsError, NoSuchTableError: the purpose does not fit what exists.
            AtomicityNotSupportedError: the level can't be kept over what exists.
        """
        report = StepReport(self.context.target, self.observers)
        report.enter(Step.BEGIN)
        version = self.open_version(self.level, report)
        base = version.finish_interrupted(version.look())
        purposes.check_base(self.context, base)
        staged = StagedTable(self, version, base, report)
        try:
            staged.prepare()
        except BaseException as error:
            staged.abort(f"failed before its job: {type(error).__name__}")
            raise
        return staged


class StagedTable(Generic[B]):
    """One attempt to publish one table; ``Plan.begin`` makes it.

    The calls come in this order: ``statement`` (the caller runs it), ``verify``, ``commit``,
    ``settle``; ``abort`` instead of the rest at any moment. ``base``, ``reach`` and ``level`` are
    begin's until a commit call takes others. ``outcome`` is None until the attempt is decided;
    ``left_behind`` is what an abort could not remove.
    """

    def __init__(self, plan: Plan, version: Version[B], base: B, report: StepReport) -> None:
        self.context = plan.context
        self.base = base
        keeps = base.exists and not plan.context.purpose.may_replace
        self.reach = Reach(plan.level, "keep") if keeps else version.reach(base)
        self.level = purposes.kept(plan.context, plan.level, self.reach, messages.NO_JOB)
        self.figures = WriteFigures()
        self.outcome: Outcome | None = Outcome.KEPT if keeps else None
        self.left_behind: list[str] = []
        self._begun = base
        self._asked = plan.level
        self._version = version
        self._job = plan.job
        self._report = report
        self._age = Stopwatch(plan.clock)
        self._rival = ""
        self._has_job = False
        self._adds = plan.adds and base.exists
        self._is_planned = plan.is_planned
        self._may_be_read = base.exists and not plan.only_by_query
        self._holds_old_rows = False

    @property
    def target(self) -> TableName:
        return self.context.target

    @property
    def version(self) -> str:
        return self._version.id

    @property
    def record(self) -> TableName:
        """The entry under which the version is staged."""
        return self._version.record

    @property
    def partition_metadata(self) -> str | None:
        """Where the version's partitions are listed; None if it has none."""
        return self._version.partition_metadata

    @property
    def keeps_own_columns(self) -> bool:
        """True if the table's format keeps its columns, and counts what is written, by itself."""
        return self._version.keeps_own_columns

    def prepare(self) -> None:
        """Prepare the staging, or keep what exists; nothing about the target is written."""
        if self.outcome is Outcome.KEPT:
            self._report.leave()
            return
        purposes.warn_of(self.context, self.base, self.level, self.reach)
        self._version.stage_on(self.base, self.level)
        if self._adds:
            self._hold_old_rows()
        elif self._may_be_read:
            self._version.read_afresh()

    def read_new_rows(self, stream: Any, *, resumes: bool) -> Any:
        """What is new in a stream, as a batch; None, and KEPT, if the base has all there is."""
        batch = self._version.read_new_rows(stream, self._job, resumes=resumes)
        if batch is None:
            self.left_behind = self._withdrawn("nothing is new in its stream")
            self.outcome = Outcome.KEPT
            self._report.leave()
        return batch

    def statement(self, query: str) -> str:
        """The statement that stages the version; no reader of the target sees its effect.

        Raises:
            ConcurrentWriteError: the query reads the target as it was before another's change.
            AtomicityNotSupportedError: it reads a target that is emptied first (level ``none``).
        """
        self._report.enter(Step.STAGE)
        overwrites = self.context.on_conflict is OnConflict.OVERWRITE
        looks = overwrites or self._is_planned or not self._version.has_log
        if self._begun.exists and looks:
            self._look_for_old_rows(query)
        self._has_job = True
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
        counted = WriteFigures() if self.keeps_own_columns else self._job.figures()
        self.figures = self._version.check_staged(counted)
        return self._version.record

    def commit(self) -> None:
        """Publish the staged version over the base, or over what the purpose allows instead.

        Raises:
            ConcurrentWriteError, TableAlreadyExistsError, NoSuchTableError: refused; the target
                is what another made of it.
            CommitStateUnknownError: nothing shows whether the call did it; nothing was deleted.
            JobCanceledError: the run was cancelled before the call.
            AtomicityNotSupportedError: the level asked for by name can't be kept over the base.
            StagingError: the catalog refused the commit itself; or the version is gone.
        """
        self._version.check_staged(self.figures)
        self._report.enter(Step.COMMIT)
        try:
            with self._version.held() as check:
                decided = self._call_until_decided(check)
        finally:
            if self.outcome is not None:
                self._report.leave()
        if decided is Outcome.COMMITTED:
            logger.info("%s: published as version %s", self.target, self.version)
        if decided is Outcome.KEPT:
            logger.info("another writer created %s meanwhile; that table is kept", self.target)
            self.left_behind = self._discarded("another created the table")
            self.outcome = Outcome.KEPT

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

    def _look_for_old_rows(self, query: str) -> None:
        """Where the query reads its own target, it has to read what is there now."""
        if not self._job.reads(query, self.target):
            return
        if self.level is Atomicity.NONE:
            raise messages.reads_what_is_emptied(self.target)
        self._hold_old_rows()
        reads = self._job.reads(query, self.target)  # again: what the session knew may be old
        if reads != self._job.reads(f"SELECT * FROM {quoting.table(self.target)}", self.target):  # noqa: S608 (quoted)
            raise messages.old_read(self.target)

    def _hold_old_rows(self) -> None:
        if not self._holds_old_rows:
            self._version.hold_old_rows()
        self._holds_old_rows = True

    def _call_until_decided(self, check: HeldCheck) -> Outcome:
        for _ in range(MOST_ATTEMPTS):
            decided = self._attempt(check)
            if decided is not Outcome.NOT_COMMITTED:
                return decided
        who = f"others committed before each of {MOST_ATTEMPTS} attempts to overwrite"
        raise messages.concurrent_write(self.target, who)

    def _attempt(self, check: HeldCheck) -> Outcome:
        """One commit call; after NOT_COMMITTED another one may be made."""
        now = self._version.look()
        change = self._version.change(self._begun, now)
        if purposes.keeps_theirs(self.context, change, now):
            return Outcome.KEPT
        self._take(change, now)
        if self._job.canceled:
            raise messages.canceled(self.target, self._unchanged)
        # no compare-and-swap refuses a creation that woke up after its version was swept
        if not self.base.exists and self._age.elapsed_ms() > LONGEST_CREATION_MS:
            raise messages.too_old(self.target, self._unchanged)
        commit = self._version.mark(self.base, self.level)
        check()
        self.outcome = Outcome.UNKNOWN  # until it is judged: the call may land, whatever ends it
        decided = self._judged(commit, self._call())
        self.outcome = None if decided is Outcome.NOT_COMMITTED else decided
        return decided

    def _take(self, change: Change, now: B) -> None:
        """Decide over what to publish, and what that keeps; nothing weakens silently."""
        reported = self.level, self.reach.warning
        self.base = now
        if change is not Change.NONE:
            self._rival = self._version.changed_by(self._begun, now)
            purposes.check_change(
                self.context, change, now, self._rival, holds_old_rows=self._holds_old_rows
            )
        self.reach = self._version.reach(now)
        self.level = purposes.kept(self.context, self._asked, self.reach, self._unchanged)
        if (self.level, self.reach.warning) != reported:
            purposes.warn_of(self.context, now, self.level, self.reach)
        if change is not Change.NONE:  # begin's base is on the record already
            self._version.rebase(now)

    def _call(self) -> MetastoreError | None:
        """The failure of the commit call, if any."""
        try:
            with self._report.within(Step.PUBLISH):
                self._version.publish(self.base)
        except MetastoreError as error:
            return error
        return None

    def _judged(self, commit: str, failure: MetastoreError | None) -> Outcome:
        """COMMITTED, or NOT_COMMITTED because a rival came first; anything else raises."""
        not_called = self._why_not_called(failure)
        if not_called is not None:
            self.outcome = None
            raise not_called from failure
        try:
            after = self._version.look()
        except (MetastoreError, NotSupportedError) as error:
            raise messages.unknown(self.target, self.version, failure or error) from error
        decided = self._version.decide(self.base, after, commit, failure)
        if decided is Outcome.UNKNOWN:
            raise messages.unknown(self.target, self.version, failure) from failure
        if decided is Outcome.NOT_COMMITTED and not is_by_rival(failure):
            self.outcome = None
            raise messages.refused(self.target, self._unchanged, failure)
        return decided

    def _why_not_called(self, failure: MetastoreError | None) -> StagingError | None:
        """The error of a commit that its kind refused before the call."""
        if isinstance(failure, CannotReplayError):
            what = f"the staged version can't be put over that: {failure}"
            return messages.concurrent_write(self.target, f"{self._rival}; {what}")
        if isinstance(failure, SweptError):
            return messages.swept(self.target, self._unchanged)
        if isinstance(failure, NotWholeError):
            return messages.files_gone(self.target, failure.what, self._unchanged)
        return None

    @property
    def _unchanged(self) -> str:
        return messages.unchanged(self._begun)

    def _withdrawn(self, reason: str) -> list[str]:
        """What is left of the version; without places nothing was written yet."""
        places = self._version.places
        if not places:
            return []
        if not self._has_job or self._job.stop():
            return self._discarded(reason)
        why = "a task of the job still runs"
        logger.warning("%s: %s, so %s stays; a later run deletes it", self.target, why, places)
        return [f"{places} ({why})"]

    def _discarded(self, reason: str) -> list[str]:
        left = self._version.discard(self._report)
        logger.info("version %s of %s was withdrawn: %s", self.version, self.target, reason)
        return left
