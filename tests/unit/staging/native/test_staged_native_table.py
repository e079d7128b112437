"""What a format's own commit means for each purpose: the rules, without a format."""

from dataclasses import dataclass, field

import pytest
from dbt.adapters.ctas_spark.staging.publish.staged_native_table import StagedNativeTable
from dbt.adapters.ctas_spark.staging.retention.lease import Lease

from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableName,
)
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    EntryModifiedError,
    JobCanceledError,
    MetastoreError,
    NoSuchTableError,
    RefusedError,
    StagingError,
    TableAlreadyExistsError,
)
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.version import CannotReplayError, Change
from dbt.adapters.ctas_spark.staging.steps import StepReport
from fakes.storage import FakeStorage

TARGET = TableName("db", "t")
RECORD = TableName("staging", "t__v1")
LOST = MetastoreError("lost")
STALE = EntryModifiedError("stale")


@dataclass(frozen=True)
class Target:
    """A target: its version, or None for no table."""

    version: str | None
    obstacle: str = ""
    level: str | None = None
    change: Change = Change.NONE

    @property
    def exists(self) -> bool:
        return self.version is not None or bool(self.obstacle)


THERE, ABSENT = Target("v0"), Target(None)


@dataclass
class FakeVersion:
    """A version whose every answer is scripted; ``did`` is what was asked of it."""

    looks: list[Target]
    failures: list[MetastoreError | None] = field(default_factory=lambda: [None])
    outcomes: list[Outcome] = field(default_factory=lambda: [Outcome.COMMITTED])
    left: list[str] = field(default_factory=list)
    id: str = "v1"
    record: TableName = RECORD
    places: str = "its places"
    did: list[str] = field(default_factory=list)

    def tend(self) -> None:
        self.did.append("tend")

    def look(self) -> Target:
        return self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]

    def stage_on(self, base: Target) -> None:
        self.did.append(f"stage on {base.version}")

    def statement(self, query: str) -> str:
        return f"FILL {query}"

    def check_staged(self) -> WriteFigures:
        return WriteFigures(rows=3)

    def mark(self, over: Target, level: Atomicity) -> str:
        self.did.append(f"mark over {over.version} {level.value}")
        return "c1"

    def publish(self, over: Target) -> None:
        self.did.append(f"publish over {over.version}")
        failure = self.failures.pop(0)
        if failure is not None:
            raise failure

    def change(self, begun: Target, now: Target) -> Change:  # noqa: ARG002 (scripted)
        return now.change

    def who(self, begun: Target, now: Target) -> str:  # noqa: ARG002 (scripted)
        return "somebody"

    def decide(self, *_: object) -> Outcome:
        return self.outcomes.pop(0)

    def refresh(self) -> None:
        self.did.append("refresh")

    def forget(self, report: StepReport) -> list[str]:  # noqa: ARG002 (scripted)
        self.did.append("forget")
        return self.left

    def discard(self, report: StepReport) -> list[str]:  # noqa: ARG002 (scripted)
        self.did.append("discard")
        return self.left


@dataclass
class FakeJob:
    canceled: bool = False
    stops: bool = True

    def stop(self) -> bool:
        return self.stops


def staged(
    version: FakeVersion,
    purpose: StagingPurpose = StagingPurpose.CREATE_OR_REPLACE,
    on_conflict: OnConflict = OnConflict.ABORT,
    job: FakeJob | None = None,
) -> StagedNativeTable[Target]:
    """A staged table that has begun."""
    context = StagingContext(TARGET, "staging", purpose=purpose, on_conflict=on_conflict)
    lease = Lease(FakeStorage())
    table = StagedNativeTable(context, Atomicity.ISOLATED, version, lease, job or FakeJob())
    table.begin()
    return table


def moved(change: Change, version: str | None = "theirs") -> Target:
    """What a later look finds."""
    return Target(version, change=change)


def test_a_commit_is_one_call_over_what_begin_saw() -> None:
    """And what was staged is forgotten after it."""
    version = FakeVersion([THERE])
    table = staged(version)
    assert table.statement("q") == "FILL q"
    assert table.verify() == version.record
    table.commit()
    table.settle()
    assert version.did == [
        "tend",
        "stage on v0",
        "mark over v0 isolated",
        "publish over v0",
        "forget",
        "refresh",
    ]
    assert (table.outcome, table.base_version) == (Outcome.COMMITTED, "v0")
    assert (table.strategy.name, table.figures.rows) == ("swap", 3)
    table.abort("too late")
    assert "discard" not in version.did


@pytest.mark.parametrize(
    ("purpose", "base", "error"),
    [
        (StagingPurpose.CREATE, THERE, TableAlreadyExistsError),
        (StagingPurpose.REPLACE, ABSENT, NoSuchTableError),
        (StagingPurpose.CREATE_OR_REPLACE, Target(None, "a view"), AtomicityNotSupportedError),
        (StagingPurpose.CREATE_IF_NOT_EXISTS, Target(None, "a view"), TableAlreadyExistsError),
    ],
)
def test_a_purpose_that_does_not_fit_stages_nothing(
    purpose: StagingPurpose, base: Target, error: type[Exception]
) -> None:
    """It fails before any job."""
    version = FakeVersion([base])
    with pytest.raises(error):
        staged(version, purpose)
    assert version.did == ["tend"]


def test_what_exists_is_kept_without_a_job() -> None:
    """With create_if_not_exists."""
    version = FakeVersion([THERE])
    assert staged(version, StagingPurpose.CREATE_IF_NOT_EXISTS).outcome is Outcome.KEPT
    assert version.did == ["tend"]


@pytest.mark.parametrize(
    ("purpose", "now", "error"),
    [
        (StagingPurpose.CREATE_OR_REPLACE, moved(Change.WRITTEN), ConcurrentWriteError),
        (StagingPurpose.CREATE_OR_REPLACE, moved(Change.CREATED), ConcurrentWriteError),
        (StagingPurpose.CREATE, moved(Change.CREATED), TableAlreadyExistsError),
        (StagingPurpose.REPLACE, moved(Change.DROPPED, None), NoSuchTableError),
        (
            StagingPurpose.CREATE_OR_REPLACE,
            Target(None, "a view", change=Change.WRITTEN),
            AtomicityNotSupportedError,
        ),
    ],
)
def test_a_rivals_change_is_kept(
    purpose: StagingPurpose, now: Target, error: type[StagingError]
) -> None:
    """Nothing is called, and the abort removes what was staged."""
    creates = now.change is Change.CREATED
    version = FakeVersion([ABSENT if creates else THERE, now])
    table = staged(version, purpose)
    with pytest.raises(error):
        table.commit()
    table.abort("failed")
    assert version.did[2:] == ["discard"]
    assert table.outcome is Outcome.NOT_COMMITTED


@pytest.mark.parametrize("change", [Change.FENCED, Change.DROPPED])
def test_a_fence_and_a_drop_are_no_conflict(change: Change) -> None:
    """The version goes over what is there now."""
    version = FakeVersion([THERE, moved(change, "v0" if change is Change.FENCED else None)])
    table = staged(version)
    table.commit()
    assert table.outcome is Outcome.COMMITTED
    assert table.strategy.name == ("swap" if change is Change.FENCED else "create")


def test_overwrite_goes_over_a_rivals_commit() -> None:
    """Even over one that comes between our look and our call."""
    version = FakeVersion(
        [THERE, THERE, moved(Change.WRITTEN)],
        failures=[STALE, None],
        outcomes=[Outcome.NOT_COMMITTED, Outcome.COMMITTED],
    )
    table = staged(version, on_conflict=OnConflict.OVERWRITE)
    table.commit()
    assert [one for one in version.did if "publish" in one] == [
        "publish over v0",
        "publish over theirs",
    ]


def test_overwrite_that_can_not_be_whole_is_refused() -> None:
    """Before any call, so that the abort may delete."""
    version = FakeVersion(
        [THERE, moved(Change.WRITTEN)], failures=[CannotReplayError("other partitions")]
    )
    table = staged(version, on_conflict=OnConflict.OVERWRITE)
    with pytest.raises(ConcurrentWriteError, match="other partitions"):
        table.commit()
    table.abort("failed")
    assert version.did[-1] == "discard"


def test_a_creation_that_lost_keeps_theirs() -> None:
    """With create_if_not_exists it is a success; ours is removed."""
    version = FakeVersion([ABSENT, moved(Change.CREATED)])
    table = staged(version, StagingPurpose.CREATE_IF_NOT_EXISTS)
    table.commit()
    assert (table.outcome, version.did[-1]) == (Outcome.KEPT, "discard")


def test_an_unknown_outcome_deletes_nothing() -> None:
    """The next run resolves it."""
    version = FakeVersion([THERE], failures=[LOST], outcomes=[Outcome.UNKNOWN])
    table = staged(version)
    with pytest.raises(CommitStateUnknownError, match="lost"):
        table.commit()
    table.abort("failed")
    assert table.outcome is Outcome.UNKNOWN
    assert "discard" not in version.did


def test_a_refusal_of_the_commit_itself_is_not_tried_again() -> None:
    """No rival did it: it would be refused again."""
    refused = FakeVersion(
        [THERE],
        failures=[RefusedError("no")],
        outcomes=[Outcome.NOT_COMMITTED],
    )
    table = staged(refused)
    with pytest.raises(StagingError, match=r"^\[COMMIT_REFUSED\] .*committed nothing"):
        table.commit()
    assert refused.did.count("publish over v0") == 1


def test_a_cancel_before_the_call_publishes_nothing() -> None:
    """Not even a marker is made."""
    version = FakeVersion([THERE])
    table = staged(version, job=FakeJob(canceled=True))
    with pytest.raises(JobCanceledError):
        table.commit()
    assert version.did == ["tend", "stage on v0"]


def test_an_abort_waits_for_the_job() -> None:
    """A task that still runs may still write: its files are left, and said."""
    version = FakeVersion([THERE])
    table = staged(version, job=FakeJob(stops=False))
    table.abort("failed")
    assert "discard" not in version.did
    assert table.left_behind == ["its places (a task of the job still runs)"]


def test_an_abort_says_what_it_could_not_remove() -> None:
    """And a second one does nothing."""
    version = FakeVersion([THERE], left=["a file"])
    table = staged(version)
    table.abort("failed")
    table.abort("failed")
    assert table.left_behind == ["a file"]
    assert version.did.count("discard") == 1
