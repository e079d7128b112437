"""One crash, what it leaves to others, and what a new run makes of it."""

from dataclasses import dataclass, replace
from enum import Enum

from contract.contents import Sight
from contract.subjects import Attempt, Subject
from crashes.points import Point, points_of
from crashes.scenarios import Scenario
from crashes.scene import Scene, catalog, clean_up, recover
from dbt.adapters.ctas_spark.staging.context import Atomicity

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
        self._shows_what_is_promised(scene.before, mended=False)
        after = scene.another()
        self._mend(after)
        self._shows_what_is_promised(after, mended=True)
        built = after.published(NEXT)
        clean_up(after)
        assert after.sight() == built.content.whole
        _holds_only(after, built)
        scene.ends(after)
        assert scene.leases_left() == set()
        assert scene.lost() == []

    def _shows_what_is_promised(self, subject: Subject, *, mended: bool) -> None:
        """The old version or the new one, whole; what else the level allows is said here."""
        allowed = [self.course.before, self.course.after]
        if subject.level is Atomicity.NONE:
            allowed += [_empty(sight) for sight in allowed]
        if self.scenario.renames:
            allowed = [sight for sight in allowed if sight or not mended] + [None] * (not mended)
        sight = subject.sight()
        assert sight in allowed, f"{sight} is neither of {allowed}"

    def _mend(self, after: Subject) -> None:
        if self.mending is Mending.RECOVER:
            recover(after)
        else:
            begun = after.attempt(NEXT)
            begun.staged.begin()
            begun.staged.abort("it only had to begin")


def _empty(sight: Sight | None) -> Sight | None:
    """A version at level ``none`` before it is filled."""
    return replace(sight, rows=(), partitions=()) if sight else None


def _holds_only(subject: Subject, live: Attempt) -> None:
    """Storage and metastore hold the live version, with its record, and nothing else."""
    staged = live.staged
    storage = catalog(subject).services(subject.place.staging_schema).storage
    assert storage.children(str(staged.root)) == (staged.version,)
    own = [name for name in subject.place.records() if name.startswith(f"{staged.target.table}__")]
    assert own == [staged.record.table]
    if subject.tracked:
        shown = subject.place.others.show_partitions(subject.table)
        assert len(shown) == len(live.content.partitions)
