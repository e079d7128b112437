"""One dbt run of the model: its clock, its catalog, its attempts, its calls of the fakes."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from ctas_spark.context import StagingContext
from ctas_spark.errors import MetastoreError, StagingError, StorageError
from ctas_spark.files.catalog import SessionCatalog
from ctas_spark.metastore.client import MetastoreClient, TableLockClient
from ctas_spark.publish.catalog import Deletion
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import RetentionRules
from ctas_spark.storage.client import Storage
from fakes.engine import OWN_ROWS, FakeJob
from fakes.world import ADDRESS
from model.attempts import STAGING_SCHEMAS, Attempt, Doing, Plan
from model.faults import LATE, Fate, Fault
from model.spark import RunEngine
from model.turns import KilledError, Turn
from model.wire import Late, Wire

if TYPE_CHECKING:
    from model.world import ModelWorld


class RunClock:
    """The clocks of a run's machine; somebody may set the wall clock, by ``skew_ms`` so far."""

    def __init__(self, world: "ModelWorld") -> None:
        self._world = world
        self.skew_ms = 0

    def wall_ms(self) -> int:
        return self._world.true_ms + self.skew_ms

    def running_ms(self) -> int:
        return self._world.clock.running


@dataclass(eq=False)
class Run:
    """One process. ``turn`` is its work on hold."""

    world: "ModelWorld"
    number: int
    attempts: list[Attempt] = field(default_factory=list)
    turn: Turn | None = None
    doing: Doing = field(default_factory=lambda: Doing("nothing"))
    is_dead: bool = False
    is_over: bool = False
    is_asleep: bool = False
    waits_for_lock: bool = False
    held_since_ms: int = 0

    def __post_init__(self) -> None:
        self.job = FakeJob()
        self.clock = RunClock(self.world)
        metastore = Wire(self, self.world.metastore, MetastoreError)
        storage = Wire(self, self.world.storage, StorageError)
        self.spark = RunEngine(metastore, storage, self.world)
        self._fault: Fault | None = None
        self.catalog = SessionCatalog(
            cast("MetastoreClient", metastore),
            cast("Storage", storage),
            self.spark,
            locks=cast("TableLockClient", metastore),
            address=ADDRESS,
            repeatable_reads=True,
            clock=self.clock,
        )
        for staging_schema in STAGING_SCHEMAS:
            self.catalog.capabilities(staging_schema)

    def __repr__(self) -> str:
        return f"run {self.number}"

    @property
    def lock_owner(self) -> str:
        """By which the metastore's locks are told to be this run's."""
        return self.catalog._owner  # noqa: SLF001 (locks of dead runs end)

    @property
    def is_idle(self) -> bool:
        """True if it lives and waits for its next model."""
        return not self.is_dead and not self.is_over and self.turn is None

    @property
    def is_held(self) -> bool:
        """True if it stands in the middle of a call."""
        return self.turn is not None

    def begins(self, plan: Plan) -> None:
        """Begin, stage, verify; a failure is aborted, as dbt's hook does it."""
        self.doing = Doing("begin")
        try:
            staged = self.catalog.plan(plan.context, self.job).begin()
        except StagingError:
            return
        seen, now = staged.base.entry, self.world.true_ms
        attempt = Attempt(staged, plan.columns, plan.months, now, seen)
        self.attempts.append(attempt)
        if staged.outcome is not None:
            return
        try:
            self._stages(attempt, reads=plan.reads)
        except StagingError as error:
            self._aborts(attempt, str(error))

    def commits(self, attempt: Attempt) -> None:
        """Commit; what is not decided is aborted."""
        self.doing = Doing("commit", attempt)
        attempt.is_staged = False
        attempt.is_committing = True
        attempt.touches = self.world.touches[attempt.staged.target]
        try:
            attempt.staged.commit()
        except StagingError as error:
            self._aborts(attempt, str(error))
        attempt.is_committing = False

    def settles(self, attempt: Attempt) -> None:
        """Make it visible to other engines, too."""
        self.doing = Doing("settle", attempt)
        attempt.is_settled = True
        with suppress(StagingError):
            attempt.staged.settle()

    def looks_after(self, attempt: Attempt) -> None:
        """Keep its figures and clean up, at the end of the run."""
        staged, rules = attempt.staged, RetentionRules()
        self.doing = Doing("clean", rules=rules, staging_schema=staged.context.staging_schema)
        with suppress(StagingError):
            clean_up = self.catalog.clean_ups([(staged.context, rules)])
            clean_up(staged.context, rules)

    def publishes(self, attempt: Attempt) -> None:
        """Commit and settle."""
        self.commits(attempt)
        if attempt.outcome is Outcome.COMMITTED:
            self.settles(attempt)

    def builds(self, plan: Plan) -> None:
        """All steps of a model."""
        before = len(self.attempts)
        self.begins(plan)
        if len(self.attempts) > before and self.attempts[-1].is_staged:
            self.publishes(self.attempts[-1])

    def looks(self, context: StagingContext) -> None:
        """Begin, which mends what others left, and nothing more."""
        self.doing = Doing("begin")
        self.catalog.plan(context, self.job).begin().abort("it only looked")

    def aborts(self, attempt: Attempt) -> None:
        """Give up."""
        attempt.is_staged = False
        self._aborts(attempt, "cancelled")

    def cleans(self, context: StagingContext, rules: RetentionRules) -> None:
        """Delete what may go; an error leaves the rest."""
        self.doing = Doing("clean", rules=rules, staging_schema=context.staging_schema)
        with suppress(StagingError):
            self.catalog.clean_up(context, rules)

    def vacuums(self, contexts: Sequence[StagingContext], rules: RetentionRules) -> None:
        """Take what may go of all of them, then delete it."""
        begun: list[tuple[str, Deletion]] = []
        for context in contexts:
            self.doing = Doing("clean", rules=rules, staging_schema=context.staging_schema)
            with suppress(StagingError):
                begun.append((context.staging_schema, self.catalog.begin_clean_up(context, rules)))
        for schema, delete in begun:
            self.doing = Doing("clean", rules=rules, staging_schema=schema)
            with suppress(StagingError):
                delete()

    def recovers(self, context: StagingContext) -> None:
        """Finish what others left half done; an error leaves the rest."""
        schema = context.staging_schema
        self.doing = Doing("recover", rules=RetentionRules(), staging_schema=schema)
        with suppress(StagingError):
            self.catalog.recover(context)

    def rolls_back(self, context: StagingContext) -> None:
        """Publish the version before the live one again."""
        self.doing = Doing("rollback")
        with suppress(StagingError):
            self.catalog.roll_back(context)

    def ends(self) -> None:
        """The process ends by itself: what it did not decide is aborted."""
        for attempt in self.attempts:
            if attempt.outcome is None:
                self.aborts(attempt)
        self.is_over = True

    def dies(self) -> None:
        """The process ends without a word; what it wrote stays."""
        self.is_dead = True
        if self.turn is not None:
            turn, self.turn = self.turn, None
            turn.kill()

    def works(self, fault: Fault | None, work: Callable[[], None]) -> None:
        """Do it until it ends, dies or is held."""
        self.turn = Turn(work)
        self.goes_on(fault)

    def goes_on(self, fault: Fault | None) -> None:
        """Let what is held go on, to the next fault."""
        self._fault = fault
        self.is_asleep = False
        turn = self.turn
        if turn is None:
            return
        turn.goes_on()
        if not turn.ended:
            return
        self.turn = None
        if turn.failure is not None:
            raise turn.failure
        if self.is_dead:
            self.dies()

    def calls(
        self, name: str, effect: Callable[[], Any], lost: type[StagingError], args: tuple[Any, ...]
    ) -> Any:
        """One call, with its fate."""
        if self.is_dead:
            raise KilledError
        fate = self._fate_of(name)
        if fate is not None and fate.comes_before:
            self._meets(fate, lost)
        if fate is not None and fate.lands_late:
            if name == "delete":
                self.world.deletes_half(args[0])
            else:
                self.world.postpone(Late(self, self.doing, effect, self.world.true_ms, name, args))
            self._meets(fate, lost)
        result = self._had(name, effect, args)
        if fate is not None and not fate.comes_before:
            self._meets(fate, lost)
        return result

    def _had(self, name: str, effect: Callable[[], Any], args: tuple[Any, ...]) -> Any:
        while True:
            result = self.world.has(self, self.doing, effect, name, args)
            if name != "is_granted" or result:
                self.waits_for_lock = False
                return result
            self.waits_for_lock = True
            self._is_held()

    def _meets(self, fate: Fate, lost: type[StagingError]) -> None:
        if fate.kills:
            self.is_dead = True
            raise KilledError
        if not fate.holds:
            raise lost(f"{fate.value}")
        self.is_asleep = fate.sleeps
        self._is_held()

    def _is_held(self) -> None:
        turn = self.turn
        if turn is None:
            return
        self.doing.was_held = True
        self.held_since_ms = self.world.true_ms
        turn.hold()

    def _fate_of(self, name: str) -> Fate | None:
        fault = self._fault
        if fault is None or self.turn is None or not fault.concerns(name):
            return None
        if fault.skipped:
            self._fault = replace(fault, skipped=fault.skipped - 1)
            return None
        self._fault = None
        if fault.fate.lands_late and name not in LATE:
            return Fate.DIES_BEFORE if fault.fate.kills else Fate.LOST_BEFORE
        return fault.fate

    def _stages(self, attempt: Attempt, *, reads: bool) -> None:
        self.doing = Doing("stage", attempt)
        self.job.reading = OWN_ROWS if reads else frozenset()
        attempt.staged.statement("select 1 as id")
        if reads and attempt.staged.base.exists:
            attempt.inserts = self.world.inserts[attempt.staged.target]
        self.job.counted = self.spark.create_table_as(attempt)
        attempt.staged.verify()
        attempt.is_staged = True

    def _aborts(self, attempt: Attempt, reason: str) -> None:
        self.doing = Doing("abort", attempt)
        attempt.staged.abort(reason)
