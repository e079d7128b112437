"""What living runs do, and what another run does to them meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from contract.fake_place import FakePlace
from contract.subjects import Subject
from ctas_spark.retention.rules import RetentionRules
from fakes.world import World

Act = Callable[[], object]
DAYS_MS = 10 * 24 * 3_600_000


@dataclass(frozen=True, slots=True)
class Life:
    """What a living run does: ``prepare`` sets the table up and returns the act."""

    prepare: Callable[[Subject], Act]
    old: int | None
    new: int


def rebuilds(subject: Subject) -> Act:
    """Over a version of ours."""
    subject.published(1)
    return lambda: subject.ready(2).finish()


def changes_types(subject: Subject) -> Act:
    """Over a version of ours, by a call that a second one follows."""
    subject.published(2)
    return lambda: subject.ready(3).finish()


def takes_over(subject: Subject) -> Act:
    """Over a user's table."""
    subject.place.others.plain(subject.table, subject.layout.name, 1)
    return lambda: subject.ready(2).finish()


def creates(subject: Subject) -> Act:
    """Where there is no table."""
    return lambda: subject.ready(2).finish()


def rolls_back(subject: Subject) -> Act:
    """To the version before."""
    subject.published(1)
    subject.published(2)
    return lambda: subject.catalog.roll_back(subject.context())


def commits_a_rebuild(subject: Subject) -> Act:
    """It was staged before."""
    subject.published(1)
    return subject.ready(2).finish


def commits_a_creation(subject: Subject) -> Act:
    """It was staged before."""
    return subject.ready(2).finish


STAGED_LIVES = (Life(commits_a_rebuild, 1, 2), Life(commits_a_creation, None, 2))
LIVES = (
    Life(rebuilds, 1, 2),
    Life(changes_types, 2, 3),
    Life(takes_over, 1, 2),
    Life(creates, None, 2),
    Life(rolls_back, 2, 1),
)


def cleans_up_at_once(subject: Subject) -> None:
    """Its orphan age is nothing."""
    subject.rival_cleans_up(orphan_age_ms=0)


def vacuums_at_once(subject: Subject) -> None:
    """And it fences, and looks everywhere."""
    subject.rival_cleans_up(orphan_age_ms=0, fences=True, thorough=True)


def jumps_forward(subject: Subject) -> None:
    """All clocks but the one that nobody sets jump, then it cleans up as everybody does."""
    _world(subject).clock.wall += DAYS_MS
    subject.rival_cleans_up()


def jumps_on_the_storage(subject: Subject) -> None:
    """The storage's clock jumps."""
    _world(subject).storage.skew_ms += DAYS_MS
    subject.rival_cleans_up(fences=True)


def sleeps(subject: Subject) -> None:
    """The living run's machine sleeps for longer than the orphan age."""
    subject.place.grow_old()
    subject.rival_cleans_up(fences=True)


def jumps_back(subject: Subject) -> None:
    """All clocks but the one that nobody sets jump back."""
    _world(subject).clock.wall -= DAYS_MS
    cleans_up_in_time(subject)


def cleans_up_in_time(subject: Subject) -> None:
    """By the ages and the number of versions that everybody has."""
    rules = RetentionRules()
    subject.rival_cleans_up(versions_to_keep=rules.versions_to_keep, grace_ms=rules.grace_ms)


def recovers(subject: Subject) -> None:
    """The run-operation ctas_recover."""
    replace(subject, run=subject.place.open_run()).catalog.recover(subject.context())


IMPATIENT = (cleans_up_at_once, vacuums_at_once, jumps_forward, jumps_on_the_storage, sleeps)
PATIENT = (jumps_back, cleans_up_in_time, recovers)
Disturb = Callable[[Subject], None]


def _world(subject: Subject) -> World:
    assert isinstance(subject.place, FakePlace)
    return subject.place.world
