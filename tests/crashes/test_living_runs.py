"""No clean-up takes a living run for dead: the table is whole or the model fails, every time.

Another run comes between any two calls of a living one, and the living one between any two of a
clean-up. Whatever the other does, patience it has none: its orphan age is nothing, or its clock
jumps.
"""

from collections.abc import Callable, Iterable
from itertools import product

import pytest

from contract.contents import LAYOUTS, Sight
from contract.fake_place import FakePlace
from contract.subjects import Subject
from crashes.lives import (
    IMPATIENT,
    LIVES,
    PATIENT,
    STAGED_LIVES,
    Act,
    Disturb,
    Life,
    cleans_up_at_once,
    rolls_back,
    vacuums_at_once,
)
from ctas_spark.context import Atomicity, StagingPurpose, TableName
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import CommitStateUnknownError, StagingError
from ctas_spark.files import publication
from ctas_spark.files.garbage import FileGarbage
from ctas_spark.files.publication import MetastoreCall
from ctas_spark.files.showing import Showing
from fakes.engine import FakeJob

NEVER = -1
Run = Callable[[Life, Disturb, int, str], tuple[int, bool]]


class Between:
    """Does something once, between two calls of what runs meanwhile: at the ``at``-th moment.

    A moment is before or after a call of the metastore, or the middle of a job.
    """

    def __init__(self, place: FakePlace, at: int, act: Act) -> None:
        self.moments = 0
        self._is_quiet = False
        self._at = at
        self._act = act
        hooks = place.world.metastore
        hooks.before = hooks.after = self._comes_by
        place.in_the_job = lambda: self._comes_by("the job")

    def _comes_by(self, _call: str) -> None:
        if self._is_quiet:
            return
        moment, self.moments = self.moments, self.moments + 1
        if moment == self._at:
            self._is_quiet = True  # nobody disturbs the one that disturbs
            self._act()
            self._is_quiet = False

    def ends(self) -> None:
        """What comes from now on is undisturbed."""
        self._is_quiet = True


def subject_on(place: FakePlace, layout: str) -> Subject:
    """A table that nobody has touched."""
    name = TableName(place.schema, "orders")
    purpose = StagingPurpose.CREATE_OR_REPLACE
    return Subject(place, place.open_run(), name, purpose, Atomicity.ATOMIC, LAYOUTS[layout])


def lived(life: Life, disturb: Disturb, at: int, layout: str) -> tuple[int, bool]:
    """One life, disturbed at one moment; how many it has, and whether it succeeded."""
    place = FakePlace("fakes")
    subject = subject_on(place, layout)
    act = life.prepare(subject)
    between = Between(place, at, lambda: disturb(subject))
    return _judged(subject, life, act, between)


def cleaned(life: Life, disturb: Disturb, at: int, layout: str) -> tuple[int, bool]:
    """A clean-up that is disturbed at one moment, by the end of a life."""
    place = FakePlace("fakes")
    subject = subject_on(place, layout)
    act = life.prepare(subject)
    result: list[Act] = []
    between = Between(place, at, lambda: result.append(_tried(act)))
    disturb(subject)
    between.ends()
    return _judged(subject, life, result[0] if result else act, between)


def _tried(act: Act) -> Act:
    """Do it now; what came of it comes later."""
    try:
        act()
    except StagingError as error:
        return _raises(error)
    return lambda: None


def _raises(error: StagingError) -> Act:
    def act() -> None:
        raise error

    return act


def _judged(subject: Subject, life: Life, act: Act, between: Between) -> tuple[int, bool]:
    succeeded = False
    allowed = {_sight_of(subject, life.old)}
    try:
        act()
        succeeded = True
        allowed = {_sight_of(subject, life.new)}
    except CommitStateUnknownError:
        allowed |= {_sight_of(subject, life.new)}
    except StagingError:
        pass  # the target is what it was
    between.ends()
    assert subject.sight() in allowed
    subject.published(5)
    assert subject.sight() == subject.content(5).whole
    return between.moments, succeeded


def _sight_of(subject: Subject, number: int | None) -> Sight | None:
    return None if number is None else subject.content(number).whole


def every_moment(
    run: Run,
    life: Life,
    disturb: Disturb,
    layout: str = "parquet",
) -> list[bool]:
    """Whether the run succeeded, for each moment at which it was disturbed."""
    moments, _ = run(life, disturb, NEVER, layout)
    return [run(life, disturb, at, layout)[1] for at in range(moments)]


def disturb_each(lives: Iterable[Life], disturbs: Iterable[Disturb], runs: Iterable[Run]) -> None:
    """Every moment of each."""
    for run, life, disturb in product(runs, lives, disturbs):
        every_moment(run, life, disturb)


def named(one: Life | Disturb) -> str:
    """For the names of tests."""
    return one.prepare.__name__ if isinstance(one, Life) else one.__name__


@pytest.fixture(autouse=True)
def _no_real_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No writer waits for a second to be over: the fakes' clock stands still."""
    monkeypatch.setattr(publication, "LONGEST_WAIT_SECONDS", 0.0)


@pytest.mark.parametrize("disturb", [*IMPATIENT, *PATIENT], ids=named)
@pytest.mark.parametrize("life", LIVES, ids=named)
@pytest.mark.parametrize("layout", ["parquet", "listed"])
def test_a_run_is_disturbed_at_any_moment(life: Life, disturb: Disturb, layout: str) -> None:
    """The table is whole or the model fails; a clean-up with patience makes no build fail."""
    done = every_moment(lived, life, disturb, layout)
    assert len(done) > 10
    if disturb in PATIENT and life.prepare is not rolls_back:  # its record may be noted meanwhile
        assert all(done)


@pytest.mark.parametrize("disturb", [*IMPATIENT, *PATIENT], ids=named)
@pytest.mark.parametrize("life", LIVES, ids=named)
def test_a_clean_up_is_disturbed_at_any_moment(life: Life, disturb: Disturb) -> None:
    """The table is whole or the model fails, if it begins and ends while a clean-up is at work."""
    every_moment(cleaned, life, disturb)


def test_a_staged_version_waits_while_a_clean_up_is_at_work() -> None:
    """The commit comes at any moment of an impatient clean-up: whole, or refused."""
    for life in STAGED_LIVES:
        for disturb in (cleans_up_at_once, vacuums_at_once):
            assert any(every_moment(cleaned, life, disturb))


def test_a_job_that_nobody_counted_is_published_whole_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the engine's figures, too, no part of a job's files is ever published."""
    monkeypatch.setattr(FakeJob, "figures", lambda _self: WriteFigures())
    disturb_each(LIVES, IMPATIENT, (lived,))


def age_alone_decides(patch: pytest.MonkeyPatch) -> None:
    """A clean-up takes what is old, though its writer's call would be let through."""
    patch.setattr(FileGarbage, "may_land", lambda _self, _version: False)
    patch.setattr(Showing, "_lets_land", lambda *_facts: False)


def nobody_looks_again(patch: pytest.MonkeyPatch) -> None:
    """A clean-up deletes by what it saw of the target before it took the record."""
    patch.setattr(Showing, "of", lambda *_facts: {})


def swept_creations_stay(patch: pytest.MonkeyPatch) -> None:
    """A creation whose version a clean-up took is left as it is."""
    patch.setattr(MetastoreCall, "_is_swept", lambda _self: False)


@pytest.mark.parametrize(
    "sabotage", [age_alone_decides, nobody_looks_again, swept_creations_stay], ids=named
)
def test_a_sabotage_is_noticed(
    sabotage: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At some moment of some life."""
    sabotage(monkeypatch)
    at_once = cleans_up_at_once, vacuums_at_once
    with pytest.raises(AssertionError):
        disturb_each((*LIVES, *STAGED_LIVES), at_once, (lived, cleaned))
