"""A clean-up deletes what nobody needs and nobody can publish any more, and nothing else."""

from dataclasses import replace

import pytest

from contract import file_tables
from contract.behaviours.registry import CAS, DEFAULT, FILES, FORMATS, WHOLE, Layouts, behaviour
from contract.subjects import Attempt, Subject, meanwhile
from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.errors import StagingError
from ctas_spark.files.record import Record, RecordedBase
from ctas_spark.metastore.client import EntryChange
from ctas_spark.publish.marker import name_of_record, new_version_id
from ctas_spark.publish.version import Outcome
from ctas_spark.steps import Step
from fakes.commits import commit

FOREIGN_ID = "s0123456789ab"
NEVER = f"commit:{commit(1)}"


@behaviour(DEFAULT, layouts=Layouts.TURNS, tables=FILES)
def deletes_what_was_superseded(subject: Subject) -> None:
    """Past its grace an old version goes, files and record, and the live one stays whole."""
    old = subject.published(1)
    live = subject.published(2)
    subject.clean_up()
    assert subject.left_of(old) == []
    assert subject.sight() == live.content.whole


@behaviour(DEFAULT, levels=WHOLE, layouts=Layouts.TURNS)
def keeps_what_is_young(subject: Subject) -> None:
    """A clean-up takes nothing of a version that another run is staging."""
    subject.published(1)
    ours = subject.ready(2)
    subject.rival_cleans_up(orphan_age_ms=ORPHAN_AGE_MS)
    assert ours.finish().staged.outcome is Outcome.COMMITTED
    assert subject.sight() == ours.content.whole


@behaviour(DEFAULT, levels=WHOLE, checks=CAS, layouts=Layouts.TURNS)
def keeps_what_may_still_land(subject: Subject) -> None:
    """However old a version is, it stays as long as its writer's call would be let through."""
    subject.published(1)
    ours = subject.ready(2)
    subject.place.grow_old()
    subject.rival_cleans_up()
    assert ours.finish().staged.outcome is Outcome.COMMITTED
    assert subject.sight() == ours.content.whole


@behaviour(DEFAULT, levels=WHOLE, layouts=Layouts.TURNS)
def deletes_an_orphan_once_the_target_moved_on(subject: Subject) -> None:
    """An old version that lost its base goes; its writer, alive after all, fails."""
    subject.published(1)
    theirs = subject.rival(3)
    ours = subject.ready(2)
    subject.place.others.commit(theirs)
    subject.place.grow_old()
    subject.rival_cleans_up()
    assert subject.left_of(ours) == []
    _fails(subject, ours)
    assert subject.sight() == subject.content(3).whole


@behaviour(DEFAULT, levels=WHOLE, checks=CAS, layouts=Layouts.TURNS)
def ends_what_may_still_land(subject: Subject) -> None:
    """A clean-up that fences deletes an old version; its writer, alive after all, fails."""
    old = subject.published(1)
    ours = subject.ready(2)
    subject.place.grow_old()
    subject.rival_cleans_up(fences=True)
    assert subject.left_of(ours) == []
    _fails(subject, ours)
    assert subject.sight() == old.content.whole


@behaviour(DEFAULT, levels=WHOLE, layouts=Layouts.TURNS, tables=FILES)
def gives_back_what_lands_meanwhile(subject: Subject) -> None:
    """A creation that lands just before a clean-up takes its record stays, whole."""
    ours = subject.ready(1)
    with meanwhile(Step.TAKE_RECORD, ours.finish):
        subject.rival_cleans_up(orphan_age_ms=0, thorough=True)
    assert ours.staged.outcome is Outcome.COMMITTED
    assert subject.sight() == ours.content.whole


@behaviour(DEFAULT, levels=WHOLE, checks=CAS, layouts=Layouts.TURNS, tables=FORMATS)
def gives_back_what_lands_late(subject: Subject) -> None:
    """A call without an answer that lands just before a clean-up fences: its version stays."""
    subject.published(1)
    ours = subject.ready(2)
    lands = subject.sent(ours)
    subject.place.grow_old()
    with meanwhile(Step.FENCE, lands):
        subject.rival_cleans_up(fences=True)
    assert subject.sight() == ours.content.whole


@behaviour(DEFAULT, levels=WHOLE, layouts=Layouts.ONE)
def leaves_what_is_staged_for_another_table(subject: Subject) -> None:
    """A table of the same name in another schema may share the staging schema, and is not ours."""
    subject.published(1)
    other = subject.in_another_schema()
    other.published(1)
    theirs = other.ready(2)
    subject.place.grow_old()
    subject.clean_up(fences=True, thorough=True)
    assert theirs.finish().staged.outcome is Outcome.COMMITTED
    assert other.sight() == theirs.content.whole


@behaviour(DEFAULT, levels=WHOLE, layouts=Layouts.ONE, tables=FILES)
def believes_no_foreign_record(subject: Subject) -> None:
    """A record that leads into another staging schema's tree frees nothing, and stays."""
    live = subject.published(1)
    record = _foreign(subject, live)
    subject.place.grow_old()
    subject.clean_up(fences=True, thorough=True)
    assert subject.place.files(record.directory) != {}
    assert any(record.version in name for name in subject.place.records())
    assert subject.sight() == live.content.whole


def _fails(subject: Subject, ours: Attempt) -> None:
    with pytest.raises(StagingError):
        ours.finish()
    ours.staged.abort("its version is gone")
    assert subject.left_of(ours) == []


def _foreign(subject: Subject, live: Attempt) -> Record:
    """An abandoned version of the target's name, as another staging schema has them."""
    services = subject.run.catalog.services(subject.place.staging_schema)
    own = Record.of(services.metastore.get_table(file_tables.version_of(live.staged).record))
    assert own is not None
    parent, _, key = own.root.rsplit("/", 2)
    made = replace(
        own,
        version=new_version_id(services.clock.wall_ms()),
        bases=(RecordedBase(NEVER, 0),),
        root=f"{parent}/{FOREIGN_ID}/{key}",
    )
    services.storage.write(f"{made.directory}/part-0", "rows")
    name = name_of_record(subject.place.staging_schema, subject.target, made.version)
    scratch = services.metastore.scratch_entry(name)
    services.metastore.create_table(EntryChange(name, scratch, None, made.to_parameters()))
    return made
