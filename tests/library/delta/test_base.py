"""What became of a target, and of our commit on it."""

import pytest

from ctas_spark.context import StagingContext, StagingPurpose, TableName
from ctas_spark.delta.base import DeltaAttempt, DeltaBase, DeltaTable
from ctas_spark.delta.facts import CommitFacts, Since, TableFacts
from ctas_spark.delta.tables import DeltaTables, LoadedTable
from ctas_spark.errors import EntryModifiedError, MetastoreError
from ctas_spark.publish.marker import PublicationKind
from ctas_spark.publish.version import Change, Outcome
from fakes.delta_logs import ours, table, theirs
from fakes.delta_world import World

CONTEXT = StagingContext(TableName("db", "t"), "db__ctas")
REPLACE = StagingContext(TableName("db", "t"), "db__ctas", purpose=StagingPurpose.REPLACE)
GONE = DeltaBase(None)
LOST = MetastoreError("the answer was lost")


class Told(DeltaTables):
    """A log whose commits since any version are these."""

    def __init__(self, since: Since) -> None:
        self._since = since

    def commits_since(self, table: LoadedTable, number: int) -> Since:  # noqa: ARG002 (as told)
        return self._since


def attempt(since: Since, context: StagingContext = CONTEXT) -> DeltaAttempt:
    """An attempt on a table of which the log tells this."""
    return DeltaAttempt(DeltaTable(context, World().services, Told(since)))


def base(facts: TableFacts) -> DeltaBase:
    """A target at one moment."""
    return DeltaBase(LoadedTable(facts, None, None, None))


BEGUN = base(table(4))
VACUUMED = (CommitFacts(6, "VACUUM END", 0, None), CommitFacts(5, "VACUUM START", 0, None))


@pytest.mark.parametrize(
    ("now", "since", "change"),
    [
        (BEGUN, (), Change.NONE),
        (base(table(5)), (ours(5, kind=PublicationKind.FENCE),), Change.WRITTEN),
        (base(table(6)), VACUUMED, Change.MAINTAINED),
        (base(table(5)), (CommitFacts(5, "OPTIMIZE", 0, None),), Change.MAINTAINED),
        (base(table(7)), (*VACUUMED, theirs(5)), Change.WRITTEN),
        (base(table(6, configuration={"theirs": "1"})), VACUUMED, Change.WRITTEN),
        (base(table(6)), (ours(6),), Change.WRITTEN),
        (base(table(9)), None, Change.WRITTEN),
        (base(table(4, identity="other")), None, Change.WRITTEN),
        (base(table(4, root="file:/elsewhere")), None, Change.WRITTEN),
        (GONE, None, Change.WRITTEN),
    ],
)
def test_what_became_of_the_target(now: DeltaBase, since: Since, change: Change) -> None:
    """Only the same version of the same table is unchanged; upkeep leaves its rows as they were."""
    assert attempt(since).change(BEGUN, now) is change


def test_a_table_to_replace_that_is_gone_is_dropped() -> None:
    """Any other purpose would create it, and the staged files went with it."""
    assert attempt(None, REPLACE).change(BEGUN, GONE) is Change.DROPPED


@pytest.mark.parametrize(
    ("after", "since", "failure", "decided"),
    [
        (base(table(5)), (ours(5),), None, Outcome.COMMITTED),
        (base(table(6)), (theirs(6), ours(5)), LOST, Outcome.COMMITTED),
        (base(table(5)), (ours(5),), EntryModifiedError("x"), Outcome.COMMITTED),
        (base(table(5)), (theirs(5),), EntryModifiedError("x"), Outcome.NOT_COMMITTED),
        (base(table(5)), (theirs(5),), LOST, Outcome.NOT_COMMITTED),
        (base(table(6)), VACUUMED, LOST, Outcome.UNKNOWN),
        (BEGUN, (), LOST, Outcome.UNKNOWN),
        (BEGUN, (), None, Outcome.UNKNOWN),
        (base(table(9)), None, LOST, Outcome.UNKNOWN),
        (GONE, None, LOST, Outcome.UNKNOWN),
        (GONE, None, EntryModifiedError("x"), Outcome.NOT_COMMITTED),
    ],
)
def test_what_became_of_the_commit(
    after: DeltaBase, since: Since, failure: MetastoreError | None, decided: Outcome
) -> None:
    """The history is asked first; what it can't say is not known."""
    assert attempt(since).decide(BEGUN, after, "c5", failure) is decided


def test_who_changed_it_is_said() -> None:
    """A version of ours by its id, another's commit by what it was."""
    assert "version v9" in attempt((ours(5, "v9"),)).changed_by(BEGUN, base(table(5)))
    assert "WRITE, 5" in attempt((theirs(5),)).changed_by(BEGUN, base(table(5)))
    fence = (ours(5, kind=PublicationKind.FENCE),)
    assert "a clean-up closed" in attempt(fence).changed_by(BEGUN, base(table(5)))
    assert "dropped" in attempt(None).changed_by(BEGUN, GONE)
    anew = base(table(0, identity="other"))
    assert "created again" in attempt(None).changed_by(BEGUN, anew)
    assert "is gone" in attempt(None).changed_by(BEGUN, base(table(9)))
