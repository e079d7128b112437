"""Of two writers that began from the same base, one commits."""

import threading

import pytest

from contract.behaviours.registry import (
    CAS,
    DEFAULT,
    REPLACING,
    UNLOCKED,
    WHOLE,
    Layouts,
    behaviour,
)
from contract.subjects import Attempt, Subject
from ctas_spark.context import StagingPurpose
from ctas_spark.errors import ConcurrentWriteError, StagingError
from ctas_spark.publish.catalog import ConflictCheck
from ctas_spark.publish.version import Outcome

ENOUGH_FOR_A_COMMIT_SECONDS = 0.5


@behaviour(REPLACING, layouts=Layouts.TURNS)
def names_the_winner_of_a_lost_race(subject: Subject) -> None:
    """The loser's error names the winner's version, and the target is the winner's, whole."""
    subject.published(1)
    theirs = subject.rival(3)
    ours = subject.ready(2)
    subject.place.others.commit(theirs)
    won = subject.existing()
    with pytest.raises(ConcurrentWriteError, match=theirs):
        ours.finish()
    ours.staged.abort("conflict")
    assert subject.existing() == won
    assert subject.sight() == subject.content(3).whole
    assert subject.left_of(ours) == []


@behaviour(REPLACING, checks=CAS, layouts=Layouts.TURNS)
def refuses_a_rival_between_the_last_look_and_the_call(subject: Subject) -> None:
    """A rival that commits after our last look at the target still wins: the call is refused."""
    subject.published(1)
    theirs = subject.rival(3)
    ours = subject.ready(2)
    _lose_at(subject, f"before {subject.place.claim.replaces_by}", ours, theirs)
    assert subject.sight() == subject.content(3).whole


@behaviour(REPLACING, checks=CAS, layouts=Layouts.TURNS)
def refuses_a_rival_over_a_plain_table(subject: Subject) -> None:
    """Of two that take over a table without our marker, one commits, at whatever moment."""
    subject.place.others.plain(subject.table, subject.layout.name, 1)
    theirs = subject.rival(3)
    ours = subject.ready(2)
    _lose_at(subject, f"before {subject.place.claim.replaces_by}", ours, theirs)
    assert subject.sight() == subject.content(3).whole


@behaviour(DEFAULT, checks=UNLOCKED, layouts=Layouts.TURNS, creates=True)
def refuses_a_rival_that_creates_first(subject: Subject) -> None:
    """Of two creations, one commits, at whatever moment."""
    theirs = subject.rival(3)
    ours = subject.ready(2)
    _lose_at(subject, f"before {subject.place.claim.creates_by}", ours, theirs)
    assert subject.sight() == subject.content(3).whole


@behaviour(DEFAULT, layouts=Layouts.TURNS)
def refuses_over_an_entry_that_another_altered(subject: Subject) -> None:
    """A writer that follows no protocol is noticed, and what it wrote stays."""
    subject.published(1)
    ours = subject.ready(2)
    subject.place.others.set_property(subject.table, "owned_by", "finance")
    altered = subject.existing()
    with pytest.raises(ConcurrentWriteError, match="another program"):
        ours.finish()
    assert subject.existing() == altered


@behaviour(DEFAULT, layouts=Layouts.TURNS)
def hands_the_next_writer_a_good_base(subject: Subject) -> None:
    """After a lost race the loser's next attempt builds on the winner's version."""
    subject.published(1)
    theirs = subject.rival(3)
    ours = subject.ready(2)
    subject.place.others.commit(theirs)
    with pytest.raises(StagingError):
        ours.finish()
    ours.staged.abort("conflict")
    again = subject.published(4)
    assert again.staged.base.version == (theirs if subject.place.claim.knows_live else None)
    assert subject.sight() == again.content.whole


@behaviour((StagingPurpose.CREATE_IF_NOT_EXISTS,), layouts=Layouts.ONE, creates=True)
def goes_on_after_it_gave_way(subject: Subject) -> None:
    """After another's table was kept the same job goes on: what follows, a hook say, can run."""
    theirs = subject.rival(3)
    ours = subject.ready(2)
    subject.place.others.commit(theirs)
    ours.staged.commit()
    assert ours.staged.outcome is Outcome.KEPT
    assert subject.place.read_here(subject.target)["rows"] == subject.content(3).rows


@behaviour(DEFAULT, levels=WHOLE, checks=frozenset({ConflictCheck.LOCK}), layouts=Layouts.ONE)
def lets_one_of_two_invocations_through_its_lock(subject: Subject) -> None:
    """Where a lock replaces compare-and-swap, it holds between all invocations of the process."""
    subject.published(1)
    theirs = subject.rival(3)
    ours = subject.ready(2)
    failures: list[StagingError] = []
    thread = threading.Thread(target=lambda: _commit_or_note(subject, theirs, failures))

    def start(call: str) -> None:
        if call == "before alter_table" and thread.ident is None:
            thread.start()
            thread.join(ENOUGH_FOR_A_COMMIT_SECONDS)  # ends at once where no lock is held

    with subject.around_calls(start):
        try:
            ours.finish()
        except StagingError as error:
            failures.append(error)
    thread.join()
    assert len(failures) == 1, f"{2 - len(failures)} commits over one base"


def _lose_at(subject: Subject, moment: str, ours: Attempt, theirs: str) -> None:
    """Commit ours, and theirs at a moment of ours."""
    left, named = [theirs], theirs if subject.place.claim.names_winner else None

    def commit_theirs(call: str) -> None:
        if call == moment and left:
            subject.place.others.commit(left.pop())

    with (
        subject.around_calls(commit_theirs),
        pytest.raises(ConcurrentWriteError, match=named),
    ):
        ours.finish()
    ours.staged.abort("conflict")
    assert subject.left_of(ours) == []


def _commit_or_note(subject: Subject, theirs: str, failures: list[StagingError]) -> None:
    try:
        subject.place.others.commit(theirs)
    except StagingError as error:
        failures.append(error)
