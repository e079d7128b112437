"""What became of a target, as far as SQL can see it."""

from dataclasses import replace

import pytest

from ctas_spark.context import TableName
from ctas_spark.publish.version import Change
from ctas_spark.statement.base import (
    StatementBase,
    TableFacts,
    change_between,
    who_changed,
)
from fakes.commits import commit, marker

NAME = TableName("db", "t", "lake")
PLAIN = TableFacts("i1", "v1", {})
ABSENT = StatementBase(NAME, None)
THERE = StatementBase(NAME, PLAIN)


def published(*commits: str, target: str = str(NAME)) -> StatementBase:
    """A target with our marker, its newest commit first."""
    ours = marker(target, *commits, level="atomic").to_parameters()
    return StatementBase(NAME, replace(PLAIN, version="v2", properties=ours))


@pytest.mark.parametrize(
    ("begun", "now", "change"),
    [
        (ABSENT, ABSENT, Change.NONE),
        (ABSENT, THERE, Change.CREATED),
        (THERE, THERE, Change.NONE),
        (THERE, ABSENT, Change.DROPPED),
        (THERE, StatementBase(NAME, None, "a view"), Change.WRITTEN),
        (THERE, StatementBase(NAME, replace(PLAIN, version="v2")), Change.WRITTEN),
        (THERE, StatementBase(NAME, replace(PLAIN, properties={"a": "b"})), Change.WRITTEN),
        (THERE, StatementBase(NAME, replace(PLAIN, id="i2")), Change.WRITTEN),
        (THERE, StatementBase(NAME, replace(PLAIN, written_ms=7)), Change.NONE),
    ],
)
def test_whatever_spark_can_see_is_compared(
    begun: StatementBase, now: StatementBase, change: Change
) -> None:
    """Id, version and properties; what else a history tells may expire."""
    assert change_between(begun, now) is change


@pytest.mark.parametrize(
    ("now", "change"),
    [
        (TableFacts("i1", "9", {}, upkeep=frozenset({8, 9})), Change.MAINTAINED),
        (TableFacts("i1", "9", {}, upkeep=frozenset({9})), Change.WRITTEN),
        (TableFacts("i2", "9", {}, upkeep=frozenset({8, 9})), Change.WRITTEN),
        (TableFacts("i1", "9", {"a": "b"}, upkeep=frozenset({8, 9})), Change.WRITTEN),
        (TableFacts("i1", "6", {}, upkeep=frozenset({5, 6})), Change.WRITTEN),
    ],
    ids=["upkeep", "a write first", "created again", "altered", "an older commit"],
)
def test_upkeep_alone_is_no_conflict(now: TableFacts, change: Change) -> None:
    """Each commit since begin has to be known; what is not known counts as a write."""
    begun = StatementBase(NAME, TableFacts("i1", "7", {}, upkeep=frozenset({5, 6})))
    assert change_between(begun, StatementBase(NAME, now)) is change


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (published(commit(2)), "version v2 was committed at 1970-01-01"),
        (StatementBase(NAME, replace(PLAIN, id="i2")), "created again"),
        (StatementBase(NAME, replace(PLAIN, version="v2")), "it was i1 v1, and is i1 v2"),
        (ABSENT, "it was dropped"),
    ],
)
def test_who_changed_it_is_said(now: StatementBase, said: str) -> None:
    """As far as it is known."""
    assert said in who_changed(THERE, now)


def test_a_marker_is_no_proof_of_what_is_shown() -> None:
    """A replace by somebody else may have kept it."""
    assert (published(commit(1)).version, published(commit(1)).level) == (None, "atomic")
