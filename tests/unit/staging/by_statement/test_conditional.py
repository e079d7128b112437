"""A commit over one base only: staged, looked at again, written, committed."""

import pytest

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError, MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.statement.base import look
from dbt.adapters.ctas_spark.staging.statement.conditional import publish_over
from dbt.adapters.ctas_spark.staging.statement.probe import NEW_ROWS, OLD_ROWS
from fakes.by_statement import FakeCatalog, services

TARGET = TableName("db", "t", "lake")
RECORD = TableName("staging", "t__v", "lake")
CONTEXT = StagingContext(TARGET, "staging")
THEIRS = (("theirs",), (3,))


def catalog(*faults: str) -> FakeCatalog:
    """A catalog that refuses a commit over another's, with a target."""
    made = FakeCatalog(faults, checks=True)
    made.show(TARGET, OLD_ROWS, {})
    return made


def publish(there: FakeCatalog, *, rival: bool = False) -> None:
    """Publish over what is there, or was there before a rival came."""
    tables = services(there).in_single_calls()
    over = look(tables, TARGET)
    if rival:
        there.show(TARGET, THEIRS, {})
    publish_over(tables, CONTEXT, RECORD, {"mark": "c1"}, over)


def test_it_is_published_with_its_marker() -> None:
    """Over what was looked at."""
    there = catalog()
    publish(there)
    rows, facts = there.shown[TARGET]
    assert (rows, facts.properties["mark"], facts.properties["provider"]) == (
        NEW_ROWS,
        "c1",
        "parquet",
    )


def test_a_rival_before_the_stage_is_seen() -> None:
    """By the second look: the catalog itself compares with the moment of the stage only."""
    there = catalog()
    with pytest.raises(EntryModifiedError):
        publish(there, rival=True)
    assert (there.shown[TARGET][0], there.aborts) == (THEIRS, 1)


@pytest.mark.parametrize(("fault", "aborts"), [("does not stage", 0), ("does not write", 1)])
def test_what_fails_before_the_commit_has_committed_nothing(fault: str, aborts: int) -> None:
    """And what was staged is given up."""
    there = catalog(fault)
    with pytest.raises(RefusedError, match="nothing was committed"):
        publish(there)
    assert (there.shown[TARGET][0], there.aborts) == (OLD_ROWS, aborts)


def test_a_commit_without_an_answer_may_have_landed() -> None:
    """So nothing is given up."""
    there = catalog("commit is lost")
    with pytest.raises(MetastoreError) as failed:
        publish(there)
    assert not isinstance(failed.value, RefusedError)
    assert there.aborts == 0
