"""A catalog's claim is neither more nor less than what holds."""

from dataclasses import replace

import pytest

from contract.behaviours.registry import ANY, DEFAULT, FILES, ISOLATED, Layouts, behaviour
from contract.subjects import Subject
from dbt.adapters.ctas_spark.staging.catalogs.protocol import ConflictCheck
from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, EntryModifiedError
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, Expectation
from dbt.adapters.ctas_spark.staging.publish.marker import COMMIT

LEVELS = (Atomicity.NONE, Atomicity.ATOMIC, Atomicity.ISOLATED)


@behaviour(DEFAULT, layouts=Layouts.ONE)
def says_what_it_reaches(subject: Subject) -> None:
    """What the catalog finds of itself is what it is said to be, and reaches no less."""
    claim = subject.place.claim
    found = subject.catalog.capabilities(subject.place.staging_schema)
    assert found.conflict_check is claim.conflict_check
    assert found.reaches is max(claim.levels, key=lambda level: level.strength)
    assert (found.missing == "") == (found.reaches is Atomicity.ISOLATED)
    probes = [name for name in subject.place.records() if name.startswith("probe")]
    assert probes == []


@behaviour(DEFAULT, levels=ISOLATED, layouts=Layouts.ONE)
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


@behaviour(DEFAULT, checks=ANY, layouts=Layouts.ONE)
def refuses_a_level_that_it_does_not_reach(subject: Subject) -> None:
    """A level asked for by name is reached or refused, and auto takes the strongest above none."""
    levels = subject.place.claim.levels
    reached = max(level.strength for level in levels)
    for asked in LEVELS:
        if asked in levels:
            assert _level(subject, asked) is asked
        else:
            with pytest.raises(AtomicityNotSupportedError, match=asked.value):
                _level(subject, asked)
    if reached > Atomicity.NONE.strength:
        assert _level(subject, Atomicity.AUTO).strength == reached
    else:
        with pytest.raises(AtomicityNotSupportedError, match="auto"):
            _level(subject, Atomicity.AUTO)


def _write(subject: Subject, note: str, expected: str) -> None:
    entry = subject.run.metastore.get_table(subject.target)
    assert entry is not None
    change = EntryChange(subject.target, entry, entry, {**entry.parameters, "note": note})
    subject.run.metastore.alter_table(change, Expectation(COMMIT, expected))


def _level(subject: Subject, asked: Atomicity) -> Atomicity:
    return replace(subject, level=asked).attempt(1).staged.level
