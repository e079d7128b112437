"""Level none: an empty version is published, then filled in place."""

from contract.behaviours.registry import CREATING, DEFAULT, NONE, REPLACING, behaviour
from contract.subjects import Attempt, Subject
from ctas_spark.publish.version import Outcome


@behaviour(CREATING, levels=NONE)
def creates_an_empty_version_and_fills_it(subject: Subject) -> None:
    """A first version appears with its schema and no rows, and has all of them when it is done."""
    ours = subject.ready(1)
    ours.staged.commit()
    assert subject.sight() == ours.content.empty
    _fill(subject, ours)


@behaviour(REPLACING, levels=NONE)
def replaces_by_an_empty_version_and_fills_it(subject: Subject) -> None:
    """The old version is replaced by the new schema without rows, which then get in."""
    subject.published(1)
    ours = subject.ready(2)
    ours.staged.commit()
    assert subject.sight() == ours.content.empty
    _fill(subject, ours)


@behaviour(DEFAULT, levels=NONE)
def fills_the_new_version_from_a_session_that_read_the_old(subject: Subject) -> None:
    """A session that has the old version in its caches fills the new one and not the old."""
    subject.published(1)
    old = subject.existing().directory
    files = subject.place.files(old)
    subject.place.read_here(subject.target)
    new = subject.published(2).content
    assert subject.place.files(old) == files
    assert subject.sight() == new.whole


@behaviour(DEFAULT, levels=NONE)
def keeps_what_was_written_until_a_failure(subject: Subject) -> None:
    """A failure after the commit leaves what was written until then; an abort changes nothing."""
    subject.published(1)
    ours = subject.ready(2)
    ours.staged.commit()
    ours.staged.abort("the fill failed")
    assert ours.staged.outcome is Outcome.COMMITTED
    assert subject.sight() == ours.content.empty


def _fill(subject: Subject, ours: Attempt) -> None:
    subject.place.fill(ours.staged, ours.content)
    ours.staged.settle()
    assert subject.sight() == ours.content.whole
