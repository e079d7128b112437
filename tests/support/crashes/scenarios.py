"""What a run is doing when it crashes.

Each function prepares its scene and returns the act that is going to crash.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from contract.contents import LAYOUTS, ROWS, Layout
from contract.places import Claim, Views, tracks
from contract.subjects import Subject, meanwhile
from crashes.points import AFTER, BEFORE, Act, Point
from crashes.scene import Scene, clean_up, recover, vacuum
from ctas_spark.context import Atomicity, PartitionMetadata
from ctas_spark.errors import StagingError
from ctas_spark.publish.catalog import ConflictCheck
from ctas_spark.steps import Step

Prepare = Callable[[Scene], Act]


@dataclass(frozen=True, slots=True)
class Where:
    """Where a scenario can be: where tables are replaced, and as follows.

    ``tracks``: only where the metastore keeps the target's partitions. ``lists``: only where it
    does not. ``files``: only for tables of plain files. ``reverts``: only where an earlier version
    can be published again. ``views``: only where a view can be replaced. ``whole``: not at none.
    ``unlocked``: only where no lock keeps a clean-up from coming between. ``branches``: only where
    rows alone are published by branch.
    """

    tracks: bool = False
    lists: bool = False
    files: bool = False
    reverts: bool = False
    views: bool = False
    whole: bool = False
    unlocked: bool = False
    branches: bool = False

    def includes(self, claim: Claim, level: Atomicity, layout: Layout) -> bool:
        """True if it can be there."""
        tracked = tracks(claim, level, layout)
        refused = (
            not claim.replaces
            or (self.tracks and not tracked)
            or (self.lists and layout.partition_metadata is PartitionMetadata.TRACKED)
            or (self.files and claim.native_format is not None)
            or (self.reverts and not claim.rolls_back)
            or (self.views and claim.views is not Views.REPLACED)
            or (self.whole and level is Atomicity.NONE)
            or (self.branches and claim.native_format != ROWS.native_format)
            or (self.unlocked and claim.conflict_check is ConflictCheck.LOCK)
        )
        return not refused


@dataclass(frozen=True, slots=True)
class Scenario:
    """A way to crash.

    ``brief``: one of those that together reach every step. ``swept``: the run's version is taken
    away by a clean-up that was told not to wait: until a crash is mended there may be no rows.
    """

    prepare: Prepare
    where: Where
    brief: bool
    swept: bool

    @property
    def name(self) -> str:
        """The function's."""
        return self.prepare.__name__


SCENARIOS: list[Scenario] = []
ANYWHERE = Where()


def scenario(
    where: Where = ANYWHERE, *, brief: bool = False, swept: bool = False
) -> Callable[[Prepare], Prepare]:
    """Add the function to the scenarios."""

    def add(prepare: Prepare) -> Prepare:
        SCENARIOS.append(Scenario(prepare, where, brief, swept))
        return prepare

    return add


@scenario(brief=True)
def replaces(scene: Scene) -> Act:
    """A build over an earlier version."""
    scene.before.published(1)
    return lambda: scene.doomed.ready(2).finish()


@scenario(Where(branches=True), brief=True)
def replaces_rows(scene: Scene) -> Act:
    """A build over an earlier version of which nothing but rows is another."""
    scene.before.in_layout(ROWS).published(1)
    return lambda: scene.doomed.in_layout(ROWS).ready(2).finish()


@scenario(Where(branches=True), brief=True)
def aborts_rows(scene: Scene) -> Act:
    """Such a build withdraws its version: a check failed."""
    scene.before.in_layout(ROWS).published(1)
    ours = scene.doomed.in_layout(ROWS).ready(2)
    return lambda: ours.staged.abort("a check failed")


@scenario()
def creates(scene: Scene) -> Act:
    """The first build."""
    return lambda: scene.doomed.ready(2).finish()


@scenario(Where(lists=True))
def changes_keys(scene: Scene) -> Act:
    """A build over a version of other partition keys."""
    scene.before.in_layout(scene.other_keys).published(1)
    return lambda: scene.doomed.ready(2).finish()


@scenario(Where(files=True), brief=True)
def changes_types(scene: Scene) -> Act:
    """A build whose columns a server refuses in the same call, so that a second one follows."""
    scene.before.published(2)
    return lambda: scene.doomed.ready(3).finish()


@scenario()
def takes_over(scene: Scene) -> Act:
    """A build over a user's managed table."""
    scene.plain(scene.before.layout, 1)
    return lambda: scene.doomed.ready(2).finish()


@scenario(Where(lists=True))
def takes_over_other_keys(scene: Scene) -> Act:
    """A build over a user's managed table of other partition keys."""
    scene.plain(scene.other_keys, 1)
    return lambda: scene.doomed.ready(2).finish()


@scenario(Where(files=True, views=True))
def takes_the_place_of_a_view(scene: Scene) -> Act:
    """A build over a view."""
    scene.before.place.others.view(scene.before.table)
    return lambda: scene.doomed.ready(2).finish()


@scenario(brief=True)
def aborts(scene: Scene) -> Act:
    """A build whose checks failed withdraws its version."""
    scene.before.published(1)
    ours = scene.doomed.ready(2)
    return lambda: ours.staged.abort("a check failed")


@scenario(Where(files=True, whole=True, unlocked=True), brief=True, swept=True)
def takes_back(scene: Scene) -> Act:
    """A creation is taken back: a clean-up took its version just before the call."""

    def act() -> None:
        ours = scene.doomed.ready(2)
        cleaner = scene.another()
        with (
            meanwhile(Step.PUBLISH, lambda: cleaner.clean_up(orphan_age_ms=0, thorough=True)),
            suppress(StagingError),
        ):
            ours.finish()
        ours.staged.abort("its version is gone")

    return act


@scenario(Where(reverts=True), brief=True)
def rolls_back(scene: Scene) -> Act:
    """The version before is published again."""
    scene.before.published(1)
    scene.before.published(2)
    return lambda: _roll_back(scene.doomed)


@scenario(Where(reverts=True, lists=True))
def rolls_back_to_other_keys(scene: Scene) -> Act:
    """The version before, which had other partition keys, is published again."""
    scene.before.in_layout(scene.other_keys).published(1)
    scene.before.published(2)
    return lambda: _roll_back(scene.doomed)


@scenario()
def cleans_up(scene: Scene) -> Act:
    """A superseded version goes, and an orphan's that can't land any more."""
    scene.before.published(1)
    _dies_in_a_build(scene, Point(Step.COMMIT, BEFORE))
    scene.before.published(2)
    scene.before.place.grow_old()
    return lambda: clean_up(scene.doomed)


@scenario(brief=True)
def vacuums(scene: Scene) -> Act:
    """An orphan is fenced, and goes."""
    scene.before.published(1)
    _dies_in_a_build(scene, Point(Step.COMMIT, BEFORE))
    scene.before.place.grow_old()
    return lambda: vacuum(scene.doomed)


@scenario(Where(files=True))
def vacuums_a_creation(scene: Scene) -> Act:
    """The orphan of a first build goes; there is no target."""
    _dies_in_a_build(scene, Point(Step.PUBLISH, BEFORE))
    scene.before.place.grow_old()
    return lambda: vacuum(scene.doomed)


@scenario(Where(files=True))
def vacuums_a_taken_over_table(scene: Scene) -> Act:
    """The files go of a user's managed table that was replaced."""
    scene.plain(scene.before.layout, 1)
    scene.before.published(2)
    return lambda: vacuum(scene.doomed)


@scenario(Where(tracks=True))
def cleans_up_stale_partitions(scene: Scene) -> Act:
    """The partitions go that the metastore kept of a version before."""
    scene.before.published(1)
    scene.before.in_layout(LAYOUTS["listed"]).published(2)
    return lambda: clean_up(scene.doomed)


@scenario(Where(reverts=True), brief=True)
def recovers_a_deletion(scene: Scene) -> Act:
    """A dead clean-up had taken a version's record, and left its files."""
    scene.before.published(1)
    scene.before.published(2)
    earlier = scene.another()
    at = Point(Step.DELETE_FILES, BEFORE)
    if scene.before.place.claim.native_format is None:
        scene.crashed(lambda: clean_up(earlier), earlier, at)
    return lambda: recover(scene.doomed)


@scenario(Where(files=True))
def recovers_types(scene: Scene) -> Act:
    """A dead run had left the columns of other engines to a second call."""
    scene.before.published(2)
    _dies_in_a_build(scene, Point(Step.COMMIT, AFTER))
    return lambda: recover(scene.doomed)


@scenario(Where(files=True))
def begins_without_columns(scene: Scene) -> Act:
    """The next build begins after a dead run had left the columns to a second call."""
    scene.before.published(2)
    _dies_in_a_build(scene, Point(Step.COMMIT, AFTER))
    return lambda: scene.doomed.begun(4)


@scenario(Where(tracks=True))
def recovers_partitions(scene: Scene) -> Act:
    """A dead run had published, and still had the old version's partitions there."""
    scene.before.published(1)
    _dies_in_a_build(scene, Point(Step.ADD_PARTITIONS, BEFORE))
    scene.before.place.grow_old()
    return lambda: recover(scene.doomed)


@scenario(Where(tracks=True))
def begins_with_partitions_to_track(scene: Scene) -> Act:
    """The next build begins after a dead run did not get to its partitions."""
    scene.before.published(1)
    _dies_in_a_build(scene, Point(Step.COMMIT, AFTER))
    return lambda: scene.doomed.begun(2)


def _dies_in_a_build(scene: Scene, at: Point) -> None:
    earlier = scene.another()
    scene.crashed(lambda: earlier.ready(3).finish(), earlier, at)


def _roll_back(subject: Subject) -> object:
    return subject.catalog.roll_back(subject.context())
