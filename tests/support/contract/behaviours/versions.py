"""The versions of a table are told, and an earlier one can be published again."""

import pytest

from contract.behaviours.registry import (
    DEFAULT,
    WHOLE,
    WITH_A_WAY_BACK,
    WITHOUT_A_WAY_BACK,
    Layouts,
    behaviour,
)
from contract.subjects import Subject
from ctas_spark.errors import ConcurrentWriteError, NoSuchVersionError
from ctas_spark.publish.marker import PublicationKind

LIVE, LAST = "live", "last published"


@behaviour(DEFAULT, levels=WHOLE, layouts=Layouts.TURNS)
def tells_its_versions(subject: Subject) -> None:
    """The history has each publication, the newest first, and says which is live, or the last."""
    state = LIVE if subject.place.claim.knows_live else LAST
    published = [subject.published(number).staged.version for number in (1, 2, 3)]
    events = subject.catalog.history(subject.context())
    builds = [event for event in events if event.kind == PublicationKind.BUILD.value]
    assert [event.version for event in builds] == published[::-1]
    assert [event.version for event in builds if event.state == state] == published[-1:]


@behaviour(DEFAULT, levels=WHOLE, tables=WITH_A_WAY_BACK)
def rolls_back_over_another_schema(subject: Subject) -> None:
    """The version before is published again, with its columns, rows and partitions."""
    old = subject.published(1)
    subject.published(2)
    done = subject.catalog.roll_back(subject.context())
    assert done.version == old.staged.version
    sight, whole = subject.sight(), old.content.whole
    assert sight is not None
    assert (sight.columns, sight.rows) == (whole.columns, whole.rows)
    assert sight.partitions == whole.partitions


@behaviour(DEFAULT, levels=WHOLE, layouts=Layouts.ONE)
def rolls_back_to_no_version_that_never_was(subject: Subject) -> None:
    """A name that the history does not have is refused, and the table is what it was."""
    subject.published(1)
    before = subject.existing()
    with pytest.raises(NoSuchVersionError):
        subject.catalog.roll_back(subject.context(), "none of ours")
    assert subject.existing() == before


@behaviour(DEFAULT, levels=WHOLE, layouts=Layouts.ONE, tables=WITHOUT_A_WAY_BACK)
def says_that_there_is_no_way_back(subject: Subject) -> None:
    """No version is published again, and the table is what it was."""
    subject.published(1)
    subject.published(2)
    before = subject.existing()
    with pytest.raises(NoSuchVersionError, match="has no statement that restores"):
        subject.catalog.roll_back(subject.context())
    assert subject.existing() == before


@behaviour(DEFAULT, levels=WHOLE, layouts=Layouts.TURNS, tables=WITH_A_WAY_BACK)
def builds_on_no_rollback_that_it_did_not_see(subject: Subject) -> None:
    """A rollback is a commit like any other: a writer that began before it loses."""
    old = subject.published(1)
    subject.published(2)
    ours = subject.ready(3)
    subject.catalog.roll_back(subject.context())
    with pytest.raises(ConcurrentWriteError):
        ours.finish()
    ours.staged.abort("conflict")
    sight = subject.sight()
    assert sight is not None
    assert sight.rows == old.content.rows
    assert subject.left_of(ours) == []
