"""What a run is doing when it crashes.

Each function prepares its scene and returns the act that is going to crash.
"""

from collections.abc import Callable
from dataclasses import dataclass

from contract.contents import LAYOUTS, Layout
from contract.places import Claim, tracks
from contract.subjects import Subject
from crashes.points import AFTER, BEFORE, Act, Point
from crashes.scene import Scene, clean_up, recover
from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.steps import Step

Prepare = Callable[[Scene], Act]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A way to crash.

    ``renames``: until a crash is mended there may be no table. ``tracks``: only where the metastore
    keeps the target's partitions. ``files``: only for tables of plain files. ``reverts``: only
    where an earlier version can be published again. ``brief``: one of those that together reach
    every step.
    """

    prepare: Prepare
    renames: bool
    tracks: bool
    files: bool
    reverts: bool
    brief: bool

    @property
    def name(self) -> str:
        """The function's."""
        return self.prepare.__name__

    def is_for(self, claim: Claim, level: Atomicity, layout: Layout) -> bool:
        """True where the level allows a rename, and the partitions are tracked, if need be."""
        if claim.native_format and (self.renames or self.files):
            return False
        if self.reverts and not claim.rolls_back:
            return False
        can_rename = level is not Atomicity.ISOLATED or not self.renames
        return can_rename and (tracks(claim, level, layout) or not self.tracks)


SCENARIOS: list[Scenario] = []


def scenario(
    *,
    renames: bool = False,
    tracks: bool = False,
    files: bool = False,
    reverts: bool = False,
    brief: bool = False,
) -> Callable[[Prepare], Prepare]:
    """Add the function to the scenarios."""

    def add(prepare: Prepare) -> Prepare:
        SCENARIOS.append(Scenario(prepare, renames, tracks, files, reverts, brief))
        return prepare

    return add


@scenario(brief=True)
def replaces(scene: Scene) -> Act:
    """A build over an earlier version."""
    scene.before.published(1)
    return lambda: scene.doomed.ready(2).finish()


@scenario()
def creates(scene: Scene) -> Act:
    """The first build."""
    return lambda: scene.doomed.ready(2).finish()


@scenario(renames=True)
def changes_keys(scene: Scene) -> Act:
    """A build over a version of other partition keys."""
    scene.before.in_layout(scene.other_keys).published(1)
    return lambda: scene.doomed.ready(2).finish()


@scenario()
def takes_over(scene: Scene) -> Act:
    """A build over a user's managed table."""
    scene.plain(scene.before.layout, 1)
    return lambda: scene.doomed.ready(2).finish()


@scenario(renames=True, brief=True)
def takes_over_other_keys(scene: Scene) -> Act:
    """A build over a user's managed table of other partition keys."""
    scene.plain(scene.other_keys, 1)
    return lambda: scene.doomed.ready(2).finish()


@scenario(brief=True)
def aborts(scene: Scene) -> Act:
    """A build whose checks failed withdraws its version."""
    scene.before.published(1)
    ours = scene.doomed.ready(2)
    return lambda: ours.staged.abort("a check failed")


@scenario(reverts=True, brief=True)
def rolls_back(scene: Scene) -> Act:
    """The version before is published again."""
    scene.before.published(1)
    scene.before.published(2)
    return lambda: _roll_back(scene.doomed)


@scenario(renames=True, reverts=True)
def rolls_back_to_other_keys(scene: Scene) -> Act:
    """The version before, which had other partition keys, is published again."""
    scene.before.in_layout(scene.other_keys).published(1)
    scene.before.published(2)
    return lambda: _roll_back(scene.doomed)


@scenario(brief=True)
def vacuums(scene: Scene) -> Act:
    """A superseded version goes, and one of a dead run."""
    scene.before.published(1)
    scene.before.published(2)
    _dies_in_a_build(scene, Point(Step.COMMIT, BEFORE))
    return lambda: clean_up(scene.doomed)


@scenario(files=True)
def vacuums_a_taken_over_table(scene: Scene) -> Act:
    """The files go of a user's managed table that was replaced."""
    scene.plain(scene.before.layout, 1)
    scene.before.published(2)
    return lambda: clean_up(scene.doomed)


@scenario(tracks=True)
def vacuums_stale_partitions(scene: Scene) -> Act:
    """The partitions go that the metastore kept of a version before."""
    scene.before.published(1)
    scene.before.in_layout(LAYOUTS["listed"]).published(2)
    return lambda: clean_up(scene.doomed)


@scenario(brief=True)
def recovers_a_staged_version(scene: Scene) -> Act:
    """A dead run's version was ready to be published."""
    scene.before.published(1)
    _dies_in_a_build(scene, Point(Step.COMMIT, BEFORE))
    return lambda: recover(scene.doomed)


@scenario()
def recovers_a_creation(scene: Scene) -> Act:
    """A dead run's first version was not yet created."""
    _dies_in_a_build(scene, Point(Step.PUBLISH, BEFORE))
    return lambda: recover(scene.doomed)


@scenario(renames=True)
def recovers_a_rename(scene: Scene) -> Act:
    """A dead run had set the old entry aside."""
    scene.before.in_layout(scene.other_keys).published(1)
    _dies_in_a_build(scene, Point(Step.SET_ASIDE, AFTER))
    return lambda: recover(scene.doomed)


@scenario(renames=True, brief=True)
def recovers_a_taken_over_table(scene: Scene) -> Act:
    """A dead run had set a user's managed table aside."""
    scene.plain(scene.other_keys, 1)
    _dies_in_a_build(scene, Point(Step.SET_ASIDE, AFTER))
    return lambda: recover(scene.doomed)


@scenario(tracks=True)
def recovers_partitions(scene: Scene) -> Act:
    """A dead run had dropped the old version's partitions and added none."""
    scene.before.published(1)
    _dies_in_a_build(scene, Point(Step.ADD_PARTITIONS, BEFORE))
    return lambda: recover(scene.doomed)


@scenario(renames=True)
def begins_after_a_rename(scene: Scene) -> Act:
    """The next build begins after a dead run had set the old entry aside."""
    scene.before.in_layout(scene.other_keys).published(1)
    _dies_in_a_build(scene, Point(Step.PUBLISH, BEFORE))
    return scene.doomed.attempt(2).staged.begin


@scenario(renames=True)
def begins_before_the_old_entry_is_gone(scene: Scene) -> Act:
    """The next build begins after a dead run left the old entry beside the new one."""
    scene.before.in_layout(scene.other_keys).published(1)
    _dies_in_a_build(scene, Point(Step.PUBLISH, AFTER))
    return scene.doomed.attempt(2).staged.begin


@scenario(tracks=True)
def begins_with_partitions_to_track(scene: Scene) -> Act:
    """The next build begins after a dead run did not get to its partitions."""
    scene.before.published(1)
    _dies_in_a_build(scene, Point(Step.COMMIT, AFTER))
    return scene.doomed.attempt(2).staged.begin


def _dies_in_a_build(scene: Scene, at: Point) -> None:
    earlier = scene.another()
    scene.crashed(lambda: earlier.ready(3).finish(), earlier, at)


def _roll_back(subject: Subject) -> object:
    return subject.catalog.roll_back(subject.context())
