"""An earlier version is published again by the same machine as a build."""

from dataclasses import dataclass, field

import pytest

from ctas_spark.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
)
from ctas_spark.errors import (
    CommitStateUnknownError,
    ConcurrentWriteError,
    MetastoreError,
    NoSuchVersionError,
)
from ctas_spark.publish.rollback import NONE_KEPT, Restoring, RolledBack, roll_back
from ctas_spark.publish.version import Change, Outcome, Reach
from ctas_spark.steps import Step, StepReport, observe
from fakes.version import PLAIN, TARGET, THERE, FakeBase, FakeVersion, moved

# what a model asks for must not matter: a rollback has a purpose of its own
CONTEXT = StagingContext(
    TARGET,
    "staging",
    purpose=StagingPurpose.CREATE,
    on_conflict=OnConflict.OVERWRITE,
    atomicity=Atomicity.ISOLATED,
)


@dataclass
class FakeRestoring(Restoring):
    """A target, the versions before it, and the attempt that restores one."""

    version: FakeVersion
    before: tuple[str, ...] = ("v9", "v8")
    now: FakeBase = THERE
    asked: list[tuple[str, Atomicity]] = field(default_factory=list)

    def look(self) -> FakeBase:
        return self.now

    def earlier(self) -> tuple[str, ...]:
        return self.before

    def unproven(self) -> tuple[str, ...]:
        return ("v0",)

    def restored(self, version: str, level: Atomicity, report: StepReport) -> FakeVersion:  # noqa: ARG002
        self.asked.append((version, level))
        self.version.id = version
        return self.version


def restoring(*looks: FakeBase, **also: object) -> FakeRestoring:
    """An attempt whose places are empty: what it publishes was there before."""
    return FakeRestoring(FakeVersion(list(looks) or [THERE], places="", **also))  # type: ignore[arg-type]


def test_the_version_before_is_published_by_one_call() -> None:
    """Checked, marked and settled as a build is; there is no job."""
    kind = restoring()
    done = roll_back(CONTEXT, kind, Atomicity.ISOLATED)
    assert done == RolledBack("v9", "v0", Atomicity.ISOLATED)
    assert kind.asked == [("v9", Atomicity.ISOLATED)]
    assert [one for one in kind.version.did if one != "finish_interrupted"] == [
        "stage on v0 isolated",
        "read afresh",
        "check",
        "lock",
        "mark v0 isolated",
        "check the lock",
        "publish v0",
        "unlock",
        "settle",
    ]


def test_a_version_is_asked_for_by_its_id() -> None:
    """Any that is kept."""
    assert roll_back(CONTEXT, restoring(), Atomicity.ATOMIC, "v8").version == "v8"


def test_a_rollback_keeps_what_it_reaches() -> None:
    """Whatever level the model names: it says which it kept."""
    kind = restoring(reached=lambda _over: Reach(Atomicity.ATOMIC, "swap", "mixed"))
    assert roll_back(CONTEXT, kind, Atomicity.ISOLATED).level is Atomicity.ATOMIC


@pytest.mark.parametrize(
    ("before", "to", "said"),
    [
        ((), None, "there is no earlier version to go back to"),
        (("v9", "v8"), "v1", "there is no earlier version v1 to go back to"),
        ((), "v9", "there is no earlier version v9 to go back to"),
    ],
)
def test_a_version_that_is_not_kept_is_refused(
    before: tuple[str, ...], to: str | None, said: str
) -> None:
    """The remedy lists what is kept; nothing is changed."""
    kind = restoring()
    kind.before = before
    with pytest.raises(NoSuchVersionError, match=said) as refused:
        roll_back(CONTEXT, kind, Atomicity.ISOLATED, to)
    kept = f"choose one of its kept versions: {', '.join(before)}"
    assert refused.value.remedy == (kept if before else NONE_KEPT)
    assert kind.version.did == []


def test_a_table_that_is_not_ours_has_no_versions() -> None:
    """Nothing is looked for."""
    kind = restoring()
    kind.now = PLAIN
    with pytest.raises(NoSuchVersionError, match="shows no version that this adapter") as refused:
        roll_back(CONTEXT, kind, Atomicity.ISOLATED)
    assert refused.value.remedy.startswith("build the model twice to have one; an incremental")
    assert kind.version.did == []


def test_a_rivals_commit_is_not_rolled_back() -> None:
    """It is conflict-checked like a build, whatever the model's on_conflict; nothing is deleted."""
    kind = restoring(THERE, moved(Change.WRITTEN))
    with pytest.raises(ConcurrentWriteError):
        roll_back(CONTEXT, kind, Atomicity.ISOLATED)
    assert not {"publish v0", "discard"} & set(kind.version.did)


def test_a_version_that_a_clean_up_took_is_not_published() -> None:
    """Between the two the record decides, before the call."""
    kind = restoring()
    kind.version.fails["stage on"] = ConcurrentWriteError("a clean-up took it")
    with pytest.raises(ConcurrentWriteError, match="a clean-up took it"):
        roll_back(CONTEXT, kind, Atomicity.ISOLATED)
    assert kind.version.published_over() == []
    assert "discard" not in kind.version.did


def test_an_unknown_outcome_is_said() -> None:
    """And nothing is deleted."""
    kind = restoring(calls=[MetastoreError("lost")], outcomes=[Outcome.UNKNOWN])
    with pytest.raises(CommitStateUnknownError):
        roll_back(CONTEXT, kind, Atomicity.ISOLATED)
    assert "discard" not in kind.version.did


def test_a_rollback_is_a_step_around_its_commit() -> None:
    """Of which the log and the crash tests know."""
    seen: list[str] = []

    class Seen:
        def entered(self, step: Step, target: object) -> None:  # noqa: ARG002 (one target)
            seen.append(f"> {step.value}")

        def left(self, step: Step, target: object) -> None:  # noqa: ARG002 (one target)
            seen.append(f"< {step.value}")

    with observe(Seen()):
        roll_back(CONTEXT, restoring(), Atomicity.ISOLATED)
    assert (seen[0], seen[-1]) == ("> roll_back", "< roll_back")
    assert "> publish" in seen


def test_what_may_never_have_been_published_is_only_taken_by_name() -> None:
    """Nobody gets it who asks for the version before."""
    kind = restoring()
    kind.before = ()
    with pytest.raises(NoSuchVersionError):
        roll_back(CONTEXT, kind, Atomicity.ISOLATED)
    assert roll_back(CONTEXT, kind, Atomicity.ISOLATED, "v0").version == "v0"
