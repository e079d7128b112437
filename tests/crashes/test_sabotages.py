"""The crashes are not survived where the product does not recover: the suite can tell."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from crashes.cases import Case, Extent
from crashes.scenarios import SCENARIOS
from crashes.stage import Stage
from crashes.trial import Mending, Trial
from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.files import pending, sweeper
from dbt.adapters.ctas_spark.staging.files.sweeper import Sweeper
from dbt.adapters.ctas_spark.staging.retention.dead_leases import DeadLeases

Patch = pytest.MonkeyPatch


@dataclass(frozen=True, slots=True)
class Noticed:
    """A sabotage, and the scenario in which it shows."""

    sabotage: Callable[[Patch], None]
    scenario: str
    layout: str = "parquet"

    @property
    def case(self) -> Case:
        """The scenario on fakes."""
        (found,) = (one for one in SCENARIOS if one.name == self.scenario)
        return Case("fakes", Atomicity.ATOMIC, self.layout, found, Extent.POINTS)


def renames_stay_undone(patch: Patch) -> None:
    """What a dead run has set aside stays there."""
    patch.setattr(pending, "undo_renames", lambda *_facts: None)


def partitions_stay_pending(patch: Patch) -> None:
    """Nobody goes on with a dead run's partitions."""
    patch.setattr(pending, "has_pending_partitions", lambda _entry: False)


def leases_stay(patch: Patch) -> None:
    """The leases of dead runs are never deleted."""
    patch.setattr(DeadLeases, "delete", lambda *_facts: None)


def files_stay(patch: Patch) -> None:
    """A clean-up forgets versions, and leaves their files."""
    patch.setattr(sweeper, "emptied", lambda *_facts: True)


def half_deleted_versions_stay(patch: Patch) -> None:
    """A version that a dead clean-up had taken is nobody's any more."""
    taken = Sweeper._swept  # noqa: SLF001 (what is to be broken)

    def swept(*facts: object) -> object:
        version = facts[2]
        return None if sweeper._is_deleting(version) else taken(*facts)  # type: ignore[arg-type]  # noqa: SLF001

    patch.setattr(Sweeper, "_swept", swept)


NOTICED = (
    Noticed(renames_stay_undone, "changes_keys"),
    Noticed(partitions_stay_pending, "replaces", "partitioned"),
    Noticed(leases_stay, "replaces"),
    Noticed(files_stay, "replaces"),
    Noticed(half_deleted_versions_stay, "vacuums"),
)


@pytest.mark.parametrize("noticed", NOTICED, ids=lambda one: one.sabotage.__name__)
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
