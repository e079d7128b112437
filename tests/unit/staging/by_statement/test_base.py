"""What became of a target and of a commit, as far as Spark can see it."""

from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError, MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.publish.marker import Kind, Lineage, LineageEntry, Marker
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.version import Change
from dbt.adapters.ctas_spark.staging.statement.base import (
    StatementBase,
    change_between,
    who_changed,
)
from dbt.adapters.ctas_spark.staging.statement.client import TableFacts
from dbt.adapters.ctas_spark.staging.statement.outcomes import decide

NAME = TableName("db", "t", "lake")
PLAIN = TableFacts("i1", "v1", "columns", (), {})
ABSENT = StatementBase(NAME, None)
THERE = StatementBase(NAME, PLAIN)
LOST = MetastoreError("lost")


def published(*commits: str, target: str = str(NAME)) -> StatementBase:
    """A target with our marker, its newest commit first."""
    entries = tuple(LineageEntry(one, f"of_{one}", Kind.BUILD, 0) for one in commits)
    marker = Marker(commits[0], f"of_{commits[0]}", "", target, "atomic", Lineage(entries))
    return StatementBase(NAME, replace(PLAIN, version="v2", properties=marker.to_parameters()))


@pytest.mark.parametrize(
    ("begun", "now", "change"),
    [
        (ABSENT, ABSENT, Change.NONE),
        (ABSENT, THERE, Change.CREATED),
        (THERE, THERE, Change.NONE),
        (THERE, ABSENT, Change.DROPPED),
        (THERE, StatementBase(NAME, None, "a view"), Change.WRITTEN),
        (THERE, StatementBase(NAME, replace(PLAIN, version="v2")), Change.WRITTEN),
        (THERE, StatementBase(NAME, replace(PLAIN, columns="more")), Change.WRITTEN),
        (THERE, StatementBase(NAME, replace(PLAIN, properties={"a": "b"})), Change.WRITTEN),
        (THERE, StatementBase(NAME, replace(PLAIN, partitioning=("a",))), Change.WRITTEN),
    ],
)
def test_whatever_spark_can_see_is_compared(
    begun: StatementBase, now: StatementBase, change: Change
) -> None:
    """Id, version, columns, partitioning, properties."""
    assert change_between(begun, now) is change


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (published("c2"), "version of_c2 was committed at 1970-01-01"),
        (StatementBase(NAME, replace(PLAIN, id="i2")), "created anew"),
        (StatementBase(NAME, replace(PLAIN, version="v2")), "it was i1 v1, and is i1 v2"),
        (ABSENT, "it was dropped"),
    ],
)
def test_who_changed_it_is_said(now: StatementBase, said: str) -> None:
    """As far as it is known."""
    assert said in who_changed(THERE, now)


@pytest.mark.parametrize(
    ("after", "failure", "conditional", "outcome"),
    [
        (published("c1"), None, False, Outcome.COMMITTED),
        (published("c1"), LOST, False, Outcome.COMMITTED),
        (published("c1"), EntryModifiedError("conflict"), False, Outcome.COMMITTED),
        (published("c2", "c1"), LOST, False, Outcome.COMMITTED),
        (THERE, RefusedError("no"), False, Outcome.NOT_COMMITTED),
        (THERE, LOST, False, Outcome.UNKNOWN),
        (THERE, LOST, True, Outcome.UNKNOWN),
        (published("c2"), LOST, False, Outcome.UNKNOWN),
        (published("c2"), LOST, True, Outcome.NOT_COMMITTED),
        (THERE, None, False, Outcome.UNKNOWN),
        (published("c1", target="lake.db.original"), LOST, False, Outcome.UNKNOWN),
    ],
)
def test_the_marker_decides(
    after: StatementBase,
    failure: MetastoreError | None,
    conditional: bool,  # noqa: FBT001 (a case)
    outcome: Outcome,
) -> None:
    """Before how the call ended; only a catalog that checks is safe once the base has left."""
    assert decide(THERE, after, "c1", failure, conditional=conditional) is outcome


def test_a_marker_is_no_proof_of_what_is_shown() -> None:
    """A replace by somebody else may have kept it."""
    assert (published("c1").version, published("c1").level) == (None, "atomic")
