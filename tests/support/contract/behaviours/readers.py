"""What readers see while a version is published."""

import pytest

from contract.behaviours.registry import DEFAULT, WHOLE, Layouts, behaviour
from contract.places import UnreadableError
from contract.subjects import Subject


@behaviour(DEFAULT, layouts=Layouts.UNTRACKED)
def leaves_the_old_version_to_its_readers(subject: Subject) -> None:
    """A query that resolved the old version before the commit reads it whole after the commit.

    Or it fails, where a format looks at the schema again, and reads nothing.
    """
    old = subject.published(1).content
    directory = subject.existing().directory
    files = subject.place.files(directory)
    ours = subject.ready(2)
    subject.place.others.hold(subject.table)
    ours.finish()
    if subject.place.claim.held_reads_end:
        with pytest.raises(UnreadableError, match="SCHEMA_CHANGE"):
            subject.place.others.read_held(subject.table)
    else:
        read = subject.place.others.read_held(subject.table)
        assert (read["columns"], read["rows"]) == (old.columns, old.rows)
    assert subject.keeps(directory, files)


@behaviour(DEFAULT, levels=WHOLE)
def shows_its_own_session_the_new_version(subject: Subject) -> None:
    """A session that read the old version reads the new one once it has published it."""
    subject.published(1)
    subject.place.read_here(subject.target)
    new = subject.published(2).content
    read = subject.place.read_here(subject.target)
    assert (read["columns"], read["rows"]) == (new.columns, new.rows)
    assert subject.sight() == new.whole
