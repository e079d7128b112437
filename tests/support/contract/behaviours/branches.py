"""Rows alone of an Iceberg table are published by branch, at the strongest level there is."""

from dataclasses import replace

import pytest

from contract.behaviours import clean_up, conflicts, publication
from contract.behaviours.registry import ATOMIC, BRANCHED, COPIED, DEFAULT, Layouts, behaviour
from contract.contents import ROWS
from contract.subjects import Subject
from ctas_spark.context import Atomicity
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    CommitRefusedError,
    ConcurrentWriteError,
    StagedVersionIncompleteError,
)
from ctas_spark.publish.version import Outcome


@behaviour(DEFAULT, levels=ATOMIC, layouts=Layouts.ONE, tables=BRANCHED)
def publishes_rows_alone_at_isolated(subject: Subject) -> None:
    """Old, then new, in one step, by name or not; nothing else of the target changes before."""
    rows = _rows_of(subject)
    publication.replaces_everything_together(rows)
    ours = replace(rows, level=Atomicity.AUTO).ready(4).finish()
    assert (ours.staged.level, ours.staged.reach.conflict_check) == (Atomicity.ISOLATED, "cas")
    assert rows.sight() == ours.content.whole


@behaviour(DEFAULT, levels=ATOMIC, layouts=Layouts.ONE, tables=BRANCHED)
def refuses_a_rival_of_rows_alone(subject: Subject) -> None:
    """The loser's error names the winner's version, and the target is the winner's, whole."""
    rows = _rows_of(subject)
    rows.published(1)
    theirs = rows.rival(3)
    ours = rows.ready(2)
    subject.place.others.commit(theirs)
    with pytest.raises(ConcurrentWriteError, match=theirs):
        ours.finish()
    ours.staged.abort("conflict")
    assert rows.sight() == rows.content(3).whole
    assert ours.staged.left_behind == []


@behaviour(DEFAULT, levels=ATOMIC, layouts=Layouts.ONE, tables=BRANCHED)
def refuses_a_rival_of_rows_alone_at_the_call(subject: Subject) -> None:
    """Also one that commits after the last look."""
    conflicts.refuses_a_rival_between_the_last_look_and_the_call(_rows_of(subject))


@behaviour(DEFAULT, levels=ATOMIC, layouts=Layouts.ONE, tables=BRANCHED)
def leaves_nothing_of_rows_alone(subject: Subject) -> None:
    """An abort leaves the target as it was, but for its metadata log."""
    rows = _rows_of(subject)
    old = rows.published(1).content.whole
    ours = rows.ready(2)
    assert rows.sight() == old
    ours.staged.abort("failed")
    ours.staged.abort("failed")
    assert (rows.sight(), ours.staged.left_behind) == (old, [])
    assert ours.staged.outcome is Outcome.NOT_COMMITTED


@behaviour(DEFAULT, levels=ATOMIC, layouts=Layouts.ONE, tables=BRANCHED)
def keeps_young_rows(subject: Subject) -> None:
    """A clean-up takes nothing of what another run is staging."""
    clean_up.keeps_what_is_young(_rows_of(subject))


@behaviour(DEFAULT, levels=ATOMIC, layouts=Layouts.ONE, tables=BRANCHED)
def publishes_no_rows_that_are_not_whole(subject: Subject) -> None:
    """A file that vanished after the job fails the model before the call."""
    rows = _rows_of(subject)
    old = rows.published(1).content.whole
    directory = rows.existing().directory
    before = rows.place.files(directory)
    ours = rows.ready(2)
    staged = rows.place.files(directory).keys() - before.keys()
    rows.place.remove(next(path for path in staged if path.endswith(".parquet")))
    with pytest.raises(StagedVersionIncompleteError):
        ours.finish()
    ours.staged.abort("not whole")
    assert (rows.sight(), ours.staged.left_behind) == (old, [])


@behaviour(DEFAULT, levels=ATOMIC, layouts=Layouts.ONE, tables=COPIED)
def copies_nothing_that_is_not_whole(subject: Subject) -> None:
    """The statement that copies reads every file: it fails without one, and the target stays."""
    publication.fails_without_a_file(subject, CommitRefusedError)


@behaviour(DEFAULT, levels=ATOMIC, layouts=Layouts.ONE, tables=COPIED)
def copies_what_changes_more_than_rows(subject: Subject) -> None:
    """At atomic, and it says so; by name isolated is refused before any job."""
    subject.published(1)
    ours = replace(subject, level=Atomicity.AUTO).ready(2).finish()
    assert (ours.staged.level, ours.staged.reach.conflict_check) == (Atomicity.ATOMIC, "none")
    before = subject.existing()
    with pytest.raises(AtomicityNotSupportedError, match="isolated can't be kept"):
        replace(subject, level=Atomicity.ISOLATED).begun(3)
    assert subject.existing() == before


def _rows_of(subject: Subject) -> Subject:
    return replace(subject, layout=ROWS, level=Atomicity.ISOLATED)
