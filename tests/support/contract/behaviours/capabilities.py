"""A catalog's claim is neither more nor less than what holds."""

from dataclasses import replace

import pytest

from contract import file_tables
from contract.behaviours.registry import (
    ANY,
    ATOMIC,
    DEFAULT,
    FILES,
    ISOLATED,
    MIXING,
    Layouts,
    behaviour,
)
from contract.contents import STEADY
from contract.subjects import Subject
from ctas_spark.context import Atomicity
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    EntryModifiedError,
    NotSupportedError,
)
from ctas_spark.metastore.client import EntryChange, Expectation
from ctas_spark.publish.catalog import ConflictCheck
from ctas_spark.publish.marker import COMMIT

LEVELS = (Atomicity.NONE, Atomicity.ATOMIC, Atomicity.ISOLATED)


@behaviour(DEFAULT, layouts=Layouts.ONE, creates=True)
def says_what_it_reaches(subject: Subject) -> None:
    """What the catalog finds of itself is what it is said to be, and reaches no less."""
    claim = subject.place.claim
    found = subject.catalog.capabilities(subject.place.staging_schema)
    assert found.conflict_check is claim.conflict_check
    assert found.reaches is claim.strongest
    assert (found.missing == "") == (found.reaches is Atomicity.ISOLATED)
    probes = [name for name in subject.place.records() if name.startswith("probe")]
    assert probes == []


@behaviour(DEFAULT, levels=ISOLATED, layouts=Layouts.ONE, creates=True)
def checks_conflicts_where_it_is_isolated(subject: Subject) -> None:
    """A catalog that says isolated has a way to notice a rival's commit."""
    found = subject.catalog.capabilities(subject.place.staging_schema)
    assert found.conflict_check is not ConflictCheck.NONE


@behaviour(DEFAULT, layouts=Layouts.ONE, tables=FILES)
def refuses_an_expectation_if_it_says_so(subject: Subject) -> None:
    """A wrong expectation is refused where cas is claimed; where nothing is, it is not compared."""
    subject.published(1)
    before = subject.existing()
    check = subject.place.claim.conflict_check
    try:
        _write(subject, "wrong", "another commit")
        refused = False
    except EntryModifiedError:
        refused = True
    if check is not ConflictCheck.LOCK:  # under a lock a client may compare by itself, or not
        assert refused is (check is ConflictCheck.CAS)
    assert (subject.existing() == before) is refused
    _write(subject, "right", before.parameters[COMMIT])
    assert subject.existing().parameters["note"] == "right"


@behaviour(DEFAULT, checks=ANY, layouts=Layouts.ONE, creates=True)
def refuses_a_level_that_it_does_not_reach(subject: Subject) -> None:
    """A level asked for by name is reached or refused, and auto takes the strongest above none."""
    claim = subject.place.claim
    reached = claim.strongest.strength
    for asked in LEVELS:
        if asked in (*claim.levels, claim.reaches):
            assert _level(subject, asked) is asked
        else:
            with pytest.raises(NotSupportedError, match=asked.value):
                _level(subject, asked)
    if reached > Atomicity.NONE.strength:
        assert _level(subject, Atomicity.AUTO).strength == reached
    else:
        with pytest.raises(AtomicityNotSupportedError, match="auto"):
            _level(subject, Atomicity.AUTO)


@behaviour(DEFAULT, levels=ATOMIC, layouts=Layouts.ONE, tables=MIXING)
def is_isolated_while_the_shape_stays(subject: Subject) -> None:
    """Where one read may mix two versions, one with the same columns is published isolated."""
    steady = replace(subject, layout=STEADY, level=Atomicity.ISOLATED)
    steady.published(1)
    ours = steady.ready(2).finish()
    assert ours.staged.level is Atomicity.ISOLATED
    assert ours.staged.reach.reader_window == "none"
    assert steady.sight() == ours.content.whole


@behaviour(DEFAULT, levels=ATOMIC, layouts=Layouts.ONE, tables=MIXING)
def is_atomic_when_the_shape_changes(subject: Subject) -> None:
    """Where one read may mix two versions, new columns are published at atomic, and it says so."""
    subject.published(1)
    ours = replace(subject, level=Atomicity.AUTO).ready(2).finish()
    assert ours.staged.level is Atomicity.ATOMIC
    assert ours.staged.reach.reader_window == "mixed"
    assert subject.sight() == ours.content.whole


@behaviour(DEFAULT, levels=ATOMIC, layouts=Layouts.ONE, tables=MIXING)
def refuses_a_change_of_shape_at_isolated(subject: Subject) -> None:
    """Where one read may mix two versions, isolated by name is refused before the call."""
    subject.published(1)
    before = subject.existing()
    ours = replace(subject, level=Atomicity.ISOLATED).ready(2)
    with pytest.raises(AtomicityNotSupportedError, match="metastore_reads"):
        ours.finish()
    ours.staged.abort("refused")
    assert subject.existing() == before
    assert subject.left_of(ours) == []


def _write(subject: Subject, note: str, expected: str) -> None:
    metastore = file_tables.metastore_of(subject.run, subject.place.staging_schema)
    entry = metastore.get_table(subject.target)
    assert entry is not None
    change = EntryChange(subject.target, entry, entry, {**entry.parameters, "note": note})
    metastore.alter_table(change, Expectation(COMMIT, expected))


def _level(subject: Subject, asked: Atomicity) -> Atomicity:
    return replace(subject, level=asked).plan(1).level
