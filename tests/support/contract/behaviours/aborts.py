"""An attempt that is given up leaves nothing."""

from contract.behaviours.registry import CREATING, DEFAULT, REPLACING, Layouts, behaviour
from contract.subjects import Attempt, Subject
from ctas_spark.publish.version import Outcome


@behaviour(REPLACING, layouts=Layouts.TURNS)
def leaves_nothing_of_a_replace(subject: Subject) -> None:
    """An abort removes files and record, and the target is untouched."""
    subject.published(1)
    before = subject.existing()
    files = subject.place.files(before.directory)
    _abort(subject, subject.ready(2))
    assert subject.existing() == before
    assert subject.keeps(before.directory, files)


@behaviour(CREATING, layouts=Layouts.TURNS, creates=True)
def leaves_nothing_of_a_creation(subject: Subject) -> None:
    """An abort of a creation removes files and record, and there is no target."""
    _abort(subject, subject.ready(1))
    assert subject.entry() is None


@behaviour(DEFAULT, layouts=Layouts.TURNS, creates=True)
def leaves_nothing_of_a_job_that_never_ran(subject: Subject) -> None:
    """An abort right after begin leaves nothing either."""
    _abort(subject, subject.begun(1))


@behaviour(DEFAULT, layouts=Layouts.TURNS, creates=True)
def aborts_nothing_that_was_committed(subject: Subject) -> None:
    """An abort after a commit does nothing: the version stays in the target."""
    ours = subject.published(1)
    ours.staged.abort("a later hook failed")
    assert ours.staged.outcome is Outcome.COMMITTED
    assert subject.sight() == ours.content.whole


def _abort(subject: Subject, ours: Attempt) -> None:
    ours.staged.abort("failed")
    ours.staged.abort("failed")
    assert ours.staged.outcome is Outcome.NOT_COMMITTED
    assert ours.staged.left_behind == []
    assert subject.left_of(ours) == []
