"""One crash, what it leaves to others, and what a new run makes of it."""

from dataclasses import dataclass, replace
from enum import Enum

from contract.contents import Sight
from contract.subjects import Attempt, Subject
from crashes.points import Point, points_of
from crashes.scenarios import Scenario
from crashes.scene import Scene, clean_up, recover
from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.files.publication import PARTITIONS, PartitionState

NEXT = 4


class Mending(Enum):
    """What the new run does first."""

    RECOVER = "ctas_recover"
    BEGIN = "the next build's begin"


@dataclass(frozen=True, slots=True)
class Course:
    """What a scenario comes by if nothing crashes, and what others see at both ends of it."""

    points: tuple[Point, ...]
    before: Sight | None
    after: Sight | None


def undisturbed(scene: Scene, scenario: Scenario) -> Course:
    """Run the scenario to its end; only what is found so can be tried."""
    act = scenario.prepare(scene)
    before = scene.before.sight()
    points = points_of(act)
    return Course(points, before, scene.before.sight())


@dataclass(frozen=True, slots=True)
class Trial:
    """A scenario that crashes at one point and is mended in one way."""

    scenario: Scenario
    course: Course
    point: Point
    mending: Mending

    def run(self, scene: Scene) -> None:
        """Crash; look; mend; look; build; clean up; look at everything."""
        act = self.scenario.prepare(scene)
        scene.crashed(act, scene.doomed, self.point)
        left = scene.before.sight()
        _is_one_of(left, self._promised(scene.before.level))
        after = scene.another()
        built = after.attempt(NEXT)
        if self.mending is Mending.BEGIN:
            built.staged.begin()
        else:
            recover(after)
        _is_one_of(after.sight(), [left] if left else self._whole())
        assert not _has_partitions_to_track(after)
        if self.mending is Mending.RECOVER:
            built.staged.begin()
        after.place.stage(built.staged, built.content)
        built.staged.verify()
        built.finish()
        clean_up(after)
        assert after.sight() == built.content.whole
        _holds_only(after, built)
        scene.ends(after)
        assert scene.leases_left() == set()
        assert scene.lost() == []

    def _whole(self) -> list[Sight | None]:
        """The old version or the new one; no table only where there is none in the end."""
        ends = [self.course.before, self.course.after]
        return [sight for sight in ends if sight] if self.scenario.renames else ends

    def _promised(self, level: Atomicity) -> list[Sight | None]:
        """What others may see after the crash."""
        allowed = self._whole()
        if level is Atomicity.NONE:
            allowed += [replace(sight, rows=(), partitions=()) for sight in allowed if sight]
        return [*allowed, None] if self.scenario.renames else allowed


def _is_one_of(sight: Sight | None, allowed: list[Sight | None]) -> None:
    assert sight in allowed, f"{sight} is none of {allowed}"


def _has_partitions_to_track(subject: Subject) -> bool:
    entry = subject.entry()
    return entry is not None and entry.parameters.get(PARTITIONS) == PartitionState.PENDING.value


def _holds_only(subject: Subject, live: Attempt) -> None:
    """Storage and metastore hold what the live version needs, and nothing else."""
    assert subject.place.files_of(live.staged) != []
    left = subject.place.left_beside(live.staged)
    assert not left, f"left: {left}"
    if subject.tracked:
        shown = subject.place.others.show_partitions(subject.table)
        assert len(shown) == len(live.content.partitions)
