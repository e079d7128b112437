"""A kind of table whose every answer is scripted, for tests of the one machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from ctas_spark.clock import Clock
from ctas_spark.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableName,
)
from ctas_spark.engines.protocol import Job, WriteFigures
from ctas_spark.errors import MetastoreError
from ctas_spark.publish.locks import HeldCheck
from ctas_spark.publish.staged_table import Plan, StagedTable
from ctas_spark.publish.version import Change, Outcome, Reach
from ctas_spark.steps import Step, StepObserver, StepReport
from fakes.clock import FakeClock
from fakes.engine import FakeJob

TARGET = TableName("db", "t")
REPLACES = "create_or_replace"
RECORD = TableName("staging", "t__v1")
OURS = "v1"


@dataclass(frozen=True)
class FakeBase:
    """A target: the version that it shows, or None for no table of ours.

    ``change`` is what it is compared with what begin saw; ``is_plain``: a table that is not ours.
    """

    version: str | None
    obstacle: str = ""
    can_be_replaced: bool = False
    level: str | None = None
    change: Change = Change.NONE
    is_plain: bool = False

    @property
    def exists(self) -> bool:
        return self.version is not None or bool(self.obstacle) or self.is_plain


THERE, ABSENT, PLAIN = FakeBase("v0"), FakeBase(None), FakeBase(None, is_plain=True)
VIEW = FakeBase(None, obstacle="a view", can_be_replaced=True)
OTHER_FORMAT = FakeBase(None, obstacle="an Iceberg table")


def moved(change: Change, version: str | None = "theirs", **also: Any) -> FakeBase:
    """What a later look finds."""
    return FakeBase(version, change=change, **also)


def isolated(over: FakeBase) -> Reach:
    """One call keeps everything."""
    return Reach(Atomicity.ISOLATED, "swap" if over.exists else "create")


@dataclass
class FakeVersion:
    """``did`` is what was asked of it that has an effect, and ``fails`` what a call then raises.

    ``looks`` are what each look finds, the last one again and again; ``calls`` how each commit
    call ends, and ``outcomes`` what is then decided.
    """

    looks: list[FakeBase]
    calls: list[BaseException | None] = field(default_factory=lambda: [None])
    outcomes: list[Outcome] = field(default_factory=lambda: [Outcome.COMMITTED])
    reached: Callable[[FakeBase], Reach] = isolated
    left: list[str] = field(default_factory=list)
    fails: dict[str, BaseException] = field(default_factory=dict)
    id: str = OURS
    record: TableName = RECORD
    places: str = "its places"
    keeps_own_columns: bool = False
    has_log: bool = False
    partition_metadata: str | None = None
    did: list[str] = field(default_factory=list)
    judged: list[MetastoreError | None] = field(default_factory=list)

    def look(self) -> FakeBase:
        self._may_fail("look")
        return self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]

    def finish_interrupted(self, found: FakeBase) -> FakeBase:
        self._does("finish_interrupted")
        return found

    def reach(self, over: FakeBase) -> Reach:
        return self.reached(over)

    def stage_on(self, base: FakeBase, level: Atomicity) -> None:
        self._does("stage on", base, level)

    def read_afresh(self) -> None:
        self._does("read afresh")

    def hold_old_rows(self) -> None:
        self._does("hold old rows")

    def read_new_rows(self, stream: Any, job: Job, *, resumes: bool) -> Any:  # noqa: ARG002 (scripted)
        self._does("resume" if resumes else "read_new_rows")
        return stream

    def statement(self, query: str) -> str:
        return f"STAGE {query}"

    def fill_statement(self, query: str) -> str:
        return f"FILL {query}"

    def check_staged(self, counted: WriteFigures) -> WriteFigures:
        self._does("check")
        return counted

    @contextmanager
    def held(self) -> Iterator[HeldCheck]:
        self._does("lock")
        yield lambda: self._does("check the lock")
        self._does("unlock")

    def change(self, begun: FakeBase, now: FakeBase) -> Change:  # noqa: ARG002 (scripted)
        return now.change

    def changed_by(self, begun: FakeBase, now: FakeBase) -> str:  # noqa: ARG002 (scripted)
        return "somebody"

    def rebase(self, over: FakeBase) -> None:
        self._does("rebase", over)

    def mark(self, over: FakeBase, level: Atomicity) -> str:
        self._does("mark", over, level)
        return "c1"

    def publish(self, over: FakeBase) -> None:
        self._does("publish", over)
        failure = self.calls.pop(0)
        if failure is not None:
            raise failure

    def decide(
        self,
        over: FakeBase,  # noqa: ARG002 (scripted)
        after: FakeBase,  # noqa: ARG002 (scripted)
        commit: str,
        failure: MetastoreError | None,
    ) -> Outcome:
        assert commit == "c1"
        self.judged.append(failure)
        return self.outcomes.pop(0)

    def settle(self, report: StepReport) -> list[str]:  # noqa: ARG002 (scripted)
        self._does("settle")
        return self.left

    def discard(self, report: StepReport) -> list[str]:
        with report.within(Step.DELETE_FILES):
            self._does("discard")
        return self.left

    def published_over(self) -> list[str]:
        """What each commit call was conditional on."""
        return [one.removeprefix("publish ") for one in self.did if one.startswith("publish ")]

    def _does(
        self, call: str, over: FakeBase | None = None, level: Atomicity | None = None
    ) -> None:
        told = [
            call,
            *([over.version or "nothing"] if over else []),
            *([level.value] if level else []),
        ]
        self.did.append(" ".join(told))
        self._may_fail(call)

    def _may_fail(self, call: str) -> None:
        if call in self.fails:
            raise self.fails[call]


def plan(  # noqa: PLR0913 (what a run is made of)
    version: FakeVersion,
    purpose: str = REPLACES,
    on_conflict: str = "abort",
    *,
    atomicity: Atomicity = Atomicity.AUTO,
    asked: Atomicity = Atomicity.ISOLATED,
    job: FakeJob | None = None,
    clock: Clock | None = None,
    observers: tuple[StepObserver, ...] = (),
) -> Plan:
    """A plan for a version; ``asked`` is the level that the catalog reaches of ``atomicity``."""
    context = StagingContext(
        TARGET,
        "staging",
        purpose=StagingPurpose(purpose),
        on_conflict=OnConflict(on_conflict),
        atomicity=atomicity,
    )
    return Plan(
        context,
        asked,
        job or FakeJob(),
        lambda _level, _report: version,
        clock or FakeClock(),
        observers,
    )


def begun(version: FakeVersion, *asked: str, **also: Any) -> StagedTable[Any]:
    """A table that has begun, staged and was verified."""
    table = plan(version, *asked, **also).begin()
    if table.outcome is None:
        table.statement("q")
        table.verify()
        version.did.clear()
    return table


def fails(table: StagedTable[FakeBase], error: type[BaseException]) -> BaseException:
    """The error of a commit, after which dbt aborts."""
    with pytest.raises(error) as caught:
        table.commit()
    table.abort("failed")
    return caught.value
