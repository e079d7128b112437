"""A version is published whole, by one step."""

import pytest

from contract.behaviours.registry import (
    AS_STAGED,
    BESIDE_VIEWS,
    CREATING,
    DEFAULT,
    EACH,
    FILES,
    NEVER_REPLACED,
    REPLACING,
    WHOLE,
    Layouts,
    behaviour,
)
from contract.places import Entry, Views
from contract.subjects import Subject, changes
from ctas_spark.context import TableName
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    NotSupportedError,
    StagedVersionIncompleteError,
    StagingError,
)
from ctas_spark.metastore.client import TableEntry
from ctas_spark.publish.marker import Marker, PublicationKind
from ctas_spark.publish.version import Outcome


@behaviour(CREATING, levels=WHOLE, creates=True)
def creates_everything_together(subject: Subject) -> None:
    """A first version appears with its schema, rows, partitions, format and properties at once."""
    ours = subject.ready(1)
    with subject.moments() as seen:
        ours.finish()
    assert ours.staged.outcome is Outcome.COMMITTED
    assert set(seen) == {None, ours.content.whole}
    assert subject.sight() == ours.content.whole


@behaviour(REPLACING, levels=WHOLE)
def replaces_everything_together(subject: Subject) -> None:
    """Schema, rows, partitions, format and properties change in one step: old, then new."""
    old = subject.published(1).content.whole
    ours = subject.ready(2)
    with subject.moments() as seen:
        ours.finish()
    assert ours.staged.outcome is Outcome.COMMITTED
    assert changes(seen) == [old, ours.content.whole]
    assert subject.sight() == ours.content.whole


@behaviour(REPLACING, layouts=Layouts.ONE, tables=NEVER_REPLACED, creates=True)
def refuses_to_replace(subject: Subject) -> None:
    """Where no single call replaces a table, it stays, and no job is started; the error says so."""
    old, records = subject.published(1).content.whole, subject.place.records()
    with pytest.raises(NotSupportedError, match="can't be replaced by one call"):
        subject.begun(2)
    assert subject.sight() == old
    assert subject.place.records() == records


@behaviour(REPLACING, levels=WHOLE)
def takes_over_a_plain_table(subject: Subject) -> None:
    """A plain table, its tracked partitions included, is replaced by exactly our version."""
    subject.place.others.plain(subject.table, subject.layout.name, 1)
    old = subject.sight()
    ours = subject.ready(2)
    with subject.moments() as seen:
        ours.finish()
    assert changes(seen) == [old, ours.content.whole]
    assert subject.sight() == ours.content.whole


@behaviour(REPLACING, levels=WHOLE, tables=BESIDE_VIEWS)
def takes_the_place_of_a_view(subject: Subject) -> None:
    """A view in the target's place becomes our table, and at no moment is there neither.

    Where no single commit does that, the view stays, and no job is started.
    """
    subject.place.others.view(subject.table)
    if subject.place.claim.views is Views.KEPT:
        _leaves_the_view(subject)
        return
    ours = subject.ready(1)
    seen: list[Entry | None] = []
    with subject.around_calls(lambda _call: seen.append(subject.entry())):
        ours.finish()
    assert None not in seen
    assert subject.sight() == ours.content.whole


@behaviour(REPLACING, levels=EACH)
def changes_nothing_before_the_commit(subject: Subject) -> None:
    """Until the commit call the target's entry and its files are exactly what they were."""
    subject.published(1)
    before = subject.existing()
    files = subject.place.files(before.directory)
    ours = subject.begun(2)
    assert subject.existing() == before
    ours.ready()
    assert subject.existing() == before
    assert subject.keeps(before.directory, files)


@behaviour(REPLACING, levels=EACH)
def changes_nothing_of_a_plain_table_before_the_commit(subject: Subject) -> None:
    """A table without our marker gets no property of ours, or anything else, before the commit."""
    subject.place.others.plain(subject.table, subject.layout.name, 1)
    before = subject.existing()
    files = subject.place.files(before.directory)
    subject.ready(2)
    assert subject.existing() == before
    assert subject.keeps(before.directory, files)


@behaviour(DEFAULT, levels=WHOLE, tables=AS_STAGED)
def publishes_nothing_that_is_not_whole(subject: Subject) -> None:
    """A file that vanished after the job, whoever took it, fails the model before the call."""
    fails_without_a_file(subject, StagedVersionIncompleteError)


@behaviour(CREATING, levels=EACH, creates=True)
def creates_nothing_before_the_commit(subject: Subject) -> None:
    """Until the commit call there is no target where there was none."""
    subject.ready(1)
    assert subject.entry() is None


@behaviour(DEFAULT, levels=EACH)
def keeps_what_belongs_to_the_table(subject: Subject) -> None:
    """A replace keeps the table's owner, its creation time, and properties that others set.

    Where a format ends properties, as its own replace does, it ends them all.
    """
    subject.published(1)
    subject.place.others.set_property(subject.table, "owned_by", "finance")
    before = subject.existing()
    subject.published(2)
    after = subject.existing()
    assert (after.owner, after.create_time) == (before.owner, before.create_time)
    kept = "finance" if subject.place.claim.keeps_properties else None
    assert after.parameters.get("owned_by") == kept


@behaviour(DEFAULT, levels=EACH, tables=FILES)
def lines_up_its_versions(subject: Subject) -> None:
    """The marker names version, base and level, and its lineage every publication, newest first."""
    published = [subject.published(number).staged.version for number in (1, 2, 3)]
    marker = _marker(subject)
    entries = marker.lineage.entries
    builds = [entry.version for entry in entries if entry.kind is PublicationKind.BUILD]
    assert builds == published[::-1]
    assert {entry.version for entry in entries} == set(published)
    assert (marker.version, marker.commit) == (published[-1], entries[0].commit)
    assert marker.base == entries[1].commit
    assert marker.level == subject.level.value
    assert len({entry.commit for entry in entries}) == len(entries)
    times = [entry.time_ms for entry in entries]
    assert times == sorted(times, reverse=True)


def fails_without_a_file(subject: Subject, error: type[StagingError]) -> None:
    """A model one of whose staged files is gone ends in the error, and the target stays."""
    subject.published(1)
    before = subject.existing()
    ours = subject.ready(2)
    subject.place.remove(next(filter(_has_rows, subject.place.files_of(ours.staged))))
    with pytest.raises(error):
        ours.finish()
    ours.staged.abort("not whole")
    assert subject.existing() == before
    assert subject.left_of(ours) == []


def _has_rows(path: str) -> bool:
    return "/part-" in path or path.endswith(".parquet")


def _leaves_the_view(subject: Subject) -> None:
    before, records = subject.entry(), subject.place.records()
    with pytest.raises(AtomicityNotSupportedError, match="view"):
        subject.begun(1)
    assert subject.entry() == before
    assert subject.place.records() == records


def _marker(subject: Subject) -> Marker:
    entry = subject.existing()
    seen = TableEntry(
        name=TableName(*subject.table.split(".")),
        table_type="",
        location=entry.directory,
        columns=(),
        partition_keys=(),
        create_time=0,
        parameters=entry.parameters,
        raw=None,
    )
    marker = Marker.of(seen)
    assert marker is not None, "the target's marker is missing or foreign"
    return marker
