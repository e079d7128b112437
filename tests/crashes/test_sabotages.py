"""The crashes are not survived where the product does not recover: the suite can tell."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from crashes.cases import Case, Extent
from crashes.scenarios import SCENARIOS
from crashes.stage import Stage
from crashes.trial import Mending, Trial
from ctas_spark.context import Atomicity
from ctas_spark.files import garbage, version
from ctas_spark.files.garbage import FileGarbage
from ctas_spark.retention.clean_up import CleanUp
from ctas_spark.retention.rules import KnownVersion, Reason

Patch = pytest.MonkeyPatch


@dataclass(frozen=True, slots=True)
class Noticed:
    """A sabotage, and the scenario in which it shows."""

    sabotage: Callable[[Patch], None]
    scenario: str
    layout: str = "parquet"

    def __str__(self) -> str:
        return f"{self.sabotage.__name__}-{self.layout}"

    @property
    def case(self) -> Case:
        """The scenario on fakes."""
        (found,) = (one for one in SCENARIOS if one.name == self.scenario)
        return Case("fakes", Atomicity.ATOMIC, self.layout, found, Extent.POINTS)


def nothing_is_completed(patch: Patch) -> None:
    """Nobody makes up for the columns and partitions that a dead run left for later."""
    patch.setattr(version, "complete", lambda _table, found: found)
    patch.setattr(garbage, "complete", lambda _table, found: found)


def files_stay(patch: Patch) -> None:
    """A clean-up forgets versions, and leaves their files."""
    patch.setattr(garbage, "emptied", lambda *_facts: True)


def half_deleted_versions_stay(patch: Patch) -> None:
    """A version that a dead clean-up had taken belongs to nobody any more."""
    reason = CleanUp._reason_to_stay  # noqa: SLF001 (what is to be broken)

    def stays(self: CleanUp, known: KnownVersion, rank: int) -> Reason | None:
        return Reason.TAKEN if known.is_deleting else reason(self, known, rank)

    patch.setattr(CleanUp, "_reason_to_stay", stays)
    patch.setattr(CleanUp, "finish", lambda self: self.run())


def orphans_stay(patch: Patch) -> None:
    """An orphan is never old enough."""
    patch.setattr(FileGarbage, "age_ms", lambda _self, _version: 0)


NOTICED = (
    Noticed(nothing_is_completed, "changes_types"),
    Noticed(nothing_is_completed, "creates", "tracked"),
    Noticed(files_stay, "replaces"),
    Noticed(half_deleted_versions_stay, "cleans_up"),
    Noticed(orphans_stay, "replaces"),
)


@pytest.mark.parametrize(
    "noticed", NOTICED, ids=lambda one: f"{one.sabotage.__name__}-{one.layout}"
)
def test_a_sabotage_is_noticed(noticed: Noticed, stage: Stage, monkeypatch: Patch) -> None:
    """At some point of its scenario, in whichever way that is mended."""
    case = noticed.case
    course = stage.course(case)
    noticed.sabotage(monkeypatch)
    for mending in Mending:
        trials = [Trial(case.scenario, course, point, mending) for point in course.points]
        assert not all(survives(trial, case, stage) for trial in trials)


def survives(trial: Trial, case: Case, stage: Stage) -> bool:
    """True if nothing is wrong after the crash."""
    try:
        with stage.scene(case) as scene:
            trial.run(scene)
    except AssertionError:
        return False
    return True
