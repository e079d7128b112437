"""Any order of what runs, users, clocks and faults do to one or two targets."""

import logging
import secrets
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import TypeVar
from unittest.mock import patch

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ctas_spark.clock import HOUR_MS, ORPHAN_AGE_MS
from ctas_spark.context import (
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableName,
)
from ctas_spark.files import publication
from ctas_spark.publish import locks
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import RetentionRules
from fakes.world import STAGING_SCHEMA
from model import checks, ending
from model.attempts import OTHER_SCHEMA, STAGING_SCHEMAS, TARGETS, Attempt, Plan
from model.faults import Fate, Fault
from model.runs import Run
from model.users import Statement, Users
from model.world import ModelWorld

Picked = TypeVar("Picked")

MOST_RUNS = 4
JUMPS = (-400_000, -3_600, -5, 5, 3_600, 400_000)
"""Seconds; some of them are longer than the orphan age."""

which = st.integers(0, 7)
tables = st.sampled_from([TARGETS[0]] * 9 + [TARGETS[1]])
month = st.sampled_from(["may", "june", "august"])
faults = st.none() | st.builds(
    Fault,
    fate=st.sampled_from(Fate),
    skipped=st.integers(0, 12),
    reads_too=st.booleans(),
)
often = [Fate.SLEEPS_BEFORE, Fate.DIES_LATE, Fate.LOST_LATE] * 3
faults_of_a_commit = st.none() | st.builds(
    Fault, fate=st.sampled_from([*often, *Fate]), skipped=st.integers(0, 2)
)
pauses = st.sampled_from([0, 0, 240, 3_700])
rules = st.builds(
    RetentionRules,
    versions_to_keep=st.sampled_from([0, 0, 1, 2]),
    grace_ms=st.sampled_from([0, HOUR_MS]),
    orphan_age_ms=st.sampled_from([0, 0, HOUR_MS, ORPHAN_AGE_MS]),
    fences=st.booleans(),
    thorough=st.booleans(),
)
slow = st.builds(
    Fault,
    fate=st.sampled_from([Fate.HELD_BEFORE, Fate.HELD_AFTER, Fate.SLEEPS_BEFORE]),
    skipped=st.integers(0, 25),
    reads_too=st.booleans(),
)
staging_schemas = st.sampled_from([STAGING_SCHEMA] * 4 + [OTHER_SCHEMA])

plans = st.builds(
    Plan,
    target=tables,
    purpose=st.sampled_from([*[StagingPurpose.CREATE_OR_REPLACE] * 9, *StagingPurpose]),
    on_conflict=st.sampled_from(OnConflict),
    months=st.sampled_from([(), (), (), ("may", "june"), ("june", "july")]),
    tracked=st.sampled_from([True, True, True, False]),
    schema=st.integers(0, 2),
    staging_schema=staging_schemas,
    reads=st.booleans(),
)


class Lives(RuleBasedStateMachine):
    """Rules take numbers and pick by them, so that each can run at any moment."""

    def __init__(self) -> None:
        super().__init__()
        self._patches = ExitStack()
        self._replace_what_is_random_or_slow()
        self.world = ModelWorld()
        self.users = Users(self.world)
        self._has_jumps = False

    def _replace_what_is_random_or_slow(self) -> None:
        numbers = count(1)

        def token_hex(length: int) -> str:
            scattered = f"{next(numbers) * 2654435761 % 2**32:08x}"
            return (scattered * length)[: 2 * length]

        clock = SimpleNamespace(
            monotonic=lambda: self.world.clock.running / 1000,
            sleep=lambda seconds: self.world.clock.pass_ms(int(seconds * 1000)),
        )
        logging.disable(logging.CRITICAL)
        self._patches.callback(logging.disable, logging.NOTSET)
        for module, name, value in (
            (secrets, "token_hex", token_hex),
            (locks, "HEARTBEAT_SECONDS", 10_000.0),
            (locks, "POLL_SECONDS", 0.0),
            (publication, "time", clock),
        ):
            self._patches.enter_context(patch.object(module, name, value))

    def _living(self) -> list[Run]:
        return [run for run in self.world.runs if not run.is_dead and not run.is_over]

    def _idle(self) -> list[Run]:
        return [run for run in self._living() if run.is_idle]

    def _held(self) -> list[Run]:
        return [run for run in self._living() if run.is_held]

    def _some_run(self, number: int) -> Run | None:
        """An idle run by its number, or a new one."""
        idle = self._idle()
        if number < len(idle):
            return idle[number]
        if len(self._living()) < MOST_RUNS:
            return self.world.new_run()
        return idle[number % len(idle)] if idle else None

    def _staged(self) -> list[tuple[Run, Attempt]]:
        return [(run, one) for run in self._idle() for one in run.attempts if one.is_staged]

    def _committed(self) -> list[tuple[Run, Attempt]]:
        return [
            (run, one)
            for run in self._idle()
            for one in run.attempts
            if one.outcome is Outcome.COMMITTED and not one.is_settled
        ]

    @initialize(number=which)
    def has_jumps(self, *, number: int) -> None:
        """In most lives nobody sets a clock: ages are what they seem, and are checked."""
        self._has_jumps = number == 0

    @rule(number=which, plan=plans, fault=faults)
    def begins(self, *, number: int, plan: Plan, fault: Fault | None) -> None:
        """A run begins, stages and verifies a model."""
        run = self._some_run(number)
        if run is not None:
            run.works(fault, lambda: run.begins(plan))

    @rule(number=which, plan=plans, fault=faults_of_a_commit, after=pauses)
    def publishes(self, *, number: int, plan: Plan, fault: Fault | None, after: int) -> None:
        """A run takes a model through its steps; what may happen, happens from the commit on."""
        run = self._some_run(number)
        if run is None:
            return
        run.works(None, lambda: run.begins(plan))
        if run.is_idle and run.attempts and run.attempts[-1].is_staged:
            run.works(fault, lambda: run.publishes(run.attempts[-1]))
        self.world.passes(after)

    @precondition(lambda self: self._staged())
    @rule(number=which, fault=faults)
    def commits(self, *, number: int, fault: Fault | None) -> None:
        """A run publishes what it has staged."""
        run, attempt = _pick(self._staged(), number)
        run.works(fault, lambda: run.commits(attempt))

    @precondition(lambda self: self._committed())
    @rule(number=which, fault=faults)
    def settles(self, *, number: int, fault: Fault | None) -> None:
        """A run tracks the partitions of what it has published."""
        run, attempt = _pick(self._committed(), number)
        run.works(fault, lambda: run.settles(attempt))

    @precondition(lambda self: self._idle())
    @rule(number=which, fault=faults)
    def looks_after(self, *, number: int, fault: Fault | None) -> None:
        """A run keeps the figures of all that it has published."""
        run = _pick(self._idle(), number)
        for attempt in [one for one in run.attempts if one.outcome is Outcome.COMMITTED]:
            if run.is_idle:
                run.works(fault, partial(run.looks_after, attempt))

    @precondition(lambda self: self._staged())
    @rule(number=which, fault=faults)
    def aborts(self, *, number: int, fault: Fault | None) -> None:
        """A check of what was staged failed."""
        run, attempt = _pick(self._staged(), number)
        run.works(fault, lambda: run.aborts(attempt))

    @rule(table=tables, schema=staging_schemas, rules=rules, fault=faults, after=pauses)
    def cleans(
        self,
        *,
        table: TableName,
        schema: str,
        rules: RetentionRules,
        fault: Fault | None,
        after: int,
    ) -> None:
        """Some time later a run deletes what may go."""
        self.world.passes(after)
        run = self._some_run(0)
        if run is not None:
            context = StagingContext(table, schema)
            run.works(fault, lambda: run.cleans(context, rules))

    @rule(number=which, rules=rules, fault=faults, after=pauses)
    def vacuums(
        self, *, number: int, rules: RetentionRules, fault: Fault | None, after: int
    ) -> None:
        """Some time later a run deletes what may go of every table."""
        self.world.passes(after)
        run = self._some_run(number)
        if run is not None:
            every = [StagingContext(one, schema) for schema in STAGING_SCHEMAS for one in TARGETS]
            run.works(fault, lambda: run.vacuums(every, replace(rules, thorough=True)))

    @rule(plan=plans, back=st.booleans(), rules=rules, fault=slow, another=st.none() | slow)
    def is_cleaned_up_meanwhile(
        self,
        *,
        plan: Plan,
        back: bool,
        rules: RetentionRules,
        fault: Fault,
        another: Fault | None,
    ) -> None:
        """A clean-up begins in the middle of a build or a rollback, and may end after it."""
        writer, context = self._some_run(7), plan.context
        if writer is None:
            return
        work = partial(writer.rolls_back, context) if back else partial(writer.builds, plan)
        writer.works(fault, work)
        cleaner = self._some_run(0)
        if cleaner is not None:
            cleaner.works(another, lambda: cleaner.cleans(context, rules))
            writer.goes_on(None)
            cleaner.goes_on(None)

    @rule(table=tables, fault=faults)
    def recovers(self, *, table: TableName, fault: Fault | None) -> None:
        """A run mends what others left, and no more."""
        run = self._some_run(0)
        if run is not None:
            context = StagingContext(table, STAGING_SCHEMA)
            run.works(fault, lambda: run.recovers(context))

    @rule(number=which, table=tables, schema=staging_schemas, fault=faults_of_a_commit)
    def rolls_back(
        self, *, number: int, table: TableName, schema: str, fault: Fault | None
    ) -> None:
        """A run publishes the version before the live one again."""
        run = self._some_run(number)
        if run is not None:
            run.works(fault, lambda: run.rolls_back(StagingContext(table, schema)))

    @precondition(lambda self: self._held())
    @rule(number=which, fault=faults)
    def goes_on(self, *, number: int, fault: Fault | None) -> None:
        """What was slow or asleep goes on."""
        _pick(self._held(), number).goes_on(fault)

    @precondition(lambda self: self._idle())
    @rule(number=which, fault=faults)
    def ends(self, *, number: int, fault: Fault | None) -> None:
        """A run ends by itself."""
        run = _pick(self._idle(), number)
        run.works(fault, run.ends)

    @precondition(lambda self: self._living())
    @rule(number=which)
    def dies(self, *, number: int) -> None:
        """A run is killed where it stands."""
        _pick(self._living(), number).dies()

    @precondition(lambda self: self.world.late)
    @rule(number=which)
    def lands(self, *, number: int) -> None:
        """A request whose client has given it up takes effect."""
        self.world.lands(_pick(self.world.late, number))

    @rule(seconds=st.sampled_from([240, 3_700, 1, 90_000, 300_000]))
    def passes(self, *, seconds: int) -> None:
        """Time goes by."""
        self.world.passes(seconds)

    @precondition(lambda self: self._has_jumps)
    @rule(seconds=st.sampled_from(JUMPS))
    def the_storages_clock_jumps(self, *, seconds: int) -> None:
        """Somebody sets it, in either direction."""
        self.world.jumps(seconds)

    @precondition(lambda self: self._has_jumps and self._living())
    @rule(number=which, seconds=st.sampled_from(JUMPS))
    def a_clock_jumps(self, *, number: int, seconds: int) -> None:
        """Somebody sets the clock of a run's machine, in either direction."""
        self.world.is_jumped = True
        _pick(self._living(), number).clock.skew_ms = seconds * 1000

    @precondition(lambda self: self._staged())
    @rule(number=which)
    def a_file_vanishes(self, *, number: int) -> None:
        """Somebody deletes a file of what was staged."""
        _, attempt = _pick(self._staged(), number)
        self.world.loses_a_file(attempt.directory)

    @rule(table=tables, statement=st.sampled_from(Statement), number=which)
    def user(self, *, table: TableName, statement: Statement, number: int) -> None:
        """A user's statement on a target, or on what once was one."""
        self.users.do(statement, table, number)

    @invariant()
    def holds(self) -> None:
        """Between any two steps."""
        checks.holds(self.world)

    def teardown(self) -> None:
        """Everything ends, and nothing is left that nobody shows."""
        try:
            if not self.world.watch.violations:
                ending.all_end(self.world)
                ending.cleaned(self.world, ending.AT_ONCE)
                ending.is_mended(self.world)
                ending.built(self.world)
                ending.cleaned(self.world, ending.AT_ONCE)
                ending.is_clean(self.world)
                ending.cleaned(self.world, ending.VACUUM)
                ending.is_empty(self.world)
        finally:
            self.gives_up()

    def gives_up(self) -> None:
        """End every thread, and undo what was replaced."""
        for run in self._living():
            run.dies()
        self._patches.close()


def _pick(some: list[Picked], number: int) -> Picked:
    return some[number % len(some)]
