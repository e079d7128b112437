"""One crash, what it leaves to others, and what a new run makes of it."""

from dataclasses import dataclass, replace
from enum import Enum

from contract.contents import Sight
from contract.subjects import Attempt, Subject
from crashes.points import Point, points_of
from crashes.scenarios import Scenario
from crashes.scene import Scene, recover, vacuum
from ctas_spark.context import Atomicity
from ctas_spark.files.base import PARTITION_HOLDER, PARTITIONS
from ctas_spark.files.reach import PartitionState

SWEPT, NEXT = 2, 5


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
    before = _sight(scene.before)
    points = points_of(act)
    return Course(points, before, _sight(scene.before))


@dataclass(frozen=True, slots=True)
class Trial:
    """A scenario that crashes at one point and is mended in one way."""

    scenario: Scenario
    course: Course
    point: Point
    mending: Mending

    def run(self, scene: Scene) -> None:
        """Crash; look; mend; look; build; let time go by; clean up; look at everything."""
        act = self.scenario.prepare(scene)
        scene.crashed(act, scene.doomed, self.point)
        left = _sight(scene.before)
        assert left in self._promised(scene), f"{left} is not promised"
        after = scene.another()
        built = self._mended(after, left)
        built.ready().finish()
        assert after.sight() == built.content.whole
        self._age(scene, after)
        assert after.sight() == built.content.whole
        _holds_only(after, built)
        assert scene.lost() == []

    def _mended(self, after: Subject, left: Sight | None) -> Attempt:
        """The next build, which has begun; readers notice nothing of a mending."""
        if self.mending is Mending.RECOVER:
            recover(after)
            assert _sight(after) == left
        built = after.begun(NEXT)
        assert _sight(after) == left
        entry = after.entry()
        if after.place.claim.native_format is None and entry and not entry.is_view:
            assert entry.hive_columns != ()
        return built

    def _age(self, scene: Scene, after: Subject) -> None:
        """Twice: what a first clean-up made, so that a sleeping job fails, has an age, too."""
        for _ in range(2):
            after.place.grow_old()
            cleaner = scene.another()
            recover(cleaner)
            vacuum(cleaner)
            scene.ends(cleaner)
        assert not (after.place.orphan_age_ms and _has_partitions_to_track(after))

    def _promised(self, scene: Scene) -> list[Sight | None]:
        """The old version or the new one, and what others may see besides after the crash."""
        ends = [self.course.before, self.course.after]
        if scene.before.level is Atomicity.NONE:
            ends += [replace(sight, rows=(), partitions=()) for sight in ends if sight]
        if self.scenario.swept:
            ends.append(replace(scene.before.content(SWEPT).whole, rows=(), partitions=()))
        return ends


def _sight(subject: Subject) -> Sight | None:
    """None where there is no table; a view is seen by its lack of columns."""
    entry = subject.entry()
    if entry is not None and entry.is_view:
        return Sight((), (), (), "view", None)
    return subject.sight()


def _has_partitions_to_track(subject: Subject) -> bool:
    entry = subject.entry()
    return entry is not None and entry.parameters.get(PARTITIONS) == PartitionState.PENDING.value


def _may_wake_up(subject: Subject) -> bool:
    entry = subject.entry()
    noted = entry is not None and PARTITION_HOLDER in entry.parameters
    return noted and not subject.place.orphan_age_ms


def _holds_only(subject: Subject, live: Attempt) -> None:
    """Storage and metastore hold what the live version needs, and nothing else.

    A run that died at work on the partitions may wake up for a day and a half, where its lock can
    run out; on a real clock nobody touches them, or what they lead to, until then.
    """
    assert subject.place.files_of(live.staged) != []
    left = subject.place.left_beside(live.staged)
    assert not left or _may_wake_up(subject), f"left: {left}"
    if subject.tracked and subject.place.orphan_age_ms:
        shown = subject.place.others.show_partitions(subject.table)
        assert len(shown) == len(live.content.partitions)
