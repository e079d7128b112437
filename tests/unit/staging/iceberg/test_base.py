"""What became of a target, and of a commit, is what the table's own metadata says."""

from types import SimpleNamespace
from typing import Any

import pytest

from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError, MetastoreError
from dbt.adapters.ctas_spark.staging.iceberg.base import (
    ExpectedBase,
    IcebergBase,
    change_between,
    decide,
    who_changed,
)
from dbt.adapters.ctas_spark.staging.iceberg.facts import TableFacts
from dbt.adapters.ctas_spark.staging.publish.version import Change, Outcome

LOST = MetastoreError("lost")
REFUSED = EntryModifiedError("stale")


def base(
    *commits: str, uuid: str = "u", file: str = "", expired: bool = False, **more: Any
) -> IcebergBase:
    """A table of snapshots 0, 1, ..., each with a commit id."""
    kept = list(enumerate(commits))[-1:] if expired else list(enumerate(commits))
    document: dict[str, Any] = {
        "table-uuid": uuid,
        "snapshots": [
            {"snapshot-id": n, "timestamp-ms": n, "summary": {"ctas_spark_commit": c}}
            for n, c in kept
        ],
        "refs": {"main": {"snapshot-id": len(commits) - 1}},
        **more,
    }
    facts = TableFacts(document, file or "-".join(commits))
    return IcebergBase(SimpleNamespace(facts=facts))  # type: ignore[arg-type]


ABSENT = IcebergBase(None)
OVER = base("a")


def test_ours_in_the_history_is_committed_whatever_was_answered() -> None:
    """After a refusal, too, and after others have come on top."""
    for failure in (None, LOST, REFUSED):
        assert decide(OVER, base("a", "ours", "b"), "ours", failure) is Outcome.COMMITTED


def test_a_refusal_by_name_is_not_committed() -> None:
    """Where the history does not show it."""
    assert decide(OVER, OVER, "ours", REFUSED) is Outcome.NOT_COMMITTED
    assert decide(ABSENT, base("b"), "ours", REFUSED) is Outcome.NOT_COMMITTED


def test_a_base_that_others_built_on_is_left() -> None:
    """A request of ours that is still under way would be refused."""
    assert decide(OVER, base("a", "b"), "ours", LOST) is Outcome.NOT_COMMITTED


def test_what_proves_nothing_is_unknown() -> None:
    """The old table, no table, another one, and a history without our base."""
    for after in (OVER, ABSENT, base("a", "b", uuid="v"), base("a", "b", expired=True)):
        assert decide(OVER, after, "ours", LOST) is Outcome.UNKNOWN
        assert decide(OVER, after, "ours", None) is Outcome.UNKNOWN


def test_what_became_of_the_target() -> None:
    """By its identity and its metadata file."""
    assert change_between(ABSENT, ABSENT) is Change.NONE
    assert change_between(ABSENT, OVER) is Change.CREATED
    assert change_between(OVER, ABSENT) is Change.DROPPED
    assert change_between(OVER, base("a")) is Change.NONE
    altered = base("a", file="other", properties={"theirs": "yes"})
    assert change_between(OVER, altered) is Change.WRITTEN
    assert change_between(OVER, base("a", "b")) is Change.WRITTEN
    assert change_between(OVER, base("a", uuid="v")) is Change.WRITTEN
    assert change_between(OVER, IcebergBase(None, "a view")) is Change.WRITTEN


def test_upkeep_is_no_conflict() -> None:
    """Expired snapshots, tags and statistics: readers of main get what they got."""
    begun = base("a", "b")
    upkeep: dict[str, Any] = {"last-updated-ms": 9, "statistics": [1]}
    kept = base("a", "b", expired=True, file="other", **upkeep)
    assert change_between(begun, kept) is Change.MAINTAINED
    tagged = base("a", "b", file="other", refs={"main": {"snapshot-id": 1}, "t": {}})
    assert change_between(begun, tagged) is Change.MAINTAINED


def test_a_record_names_the_base_that_its_call_expects() -> None:
    """It may land while main is the same, or the metadata file; on no other table."""
    expected = ExpectedBase.parse(str(OVER))
    assert expected is not None
    assert expected.is_shown_by(OVER.facts)
    assert expected.is_shown_by(base("a", file="other").facts)
    assert not expected.is_shown_by(base("a", "b").facts)
    assert not expected.is_shown_by(base("a", uuid="v").facts)
    assert not expected.is_shown_by(None)
    empty = ExpectedBase.parse("u None file")
    assert empty == ExpectedBase("u", None, "file")
    assert ExpectedBase.parse(str(ABSENT)) is None


@pytest.mark.parametrize("text", ["", "u", "u main file"])
def test_a_base_that_can_not_be_read_is_an_error(text: str) -> None:
    """It is not taken for a creation."""
    with pytest.raises(MetastoreError, match="can't be read"):
        ExpectedBase.parse(text)


def test_who_changed_it_is_said() -> None:
    """As far as the table knows."""
    assert "schema or properties" in who_changed(OVER, base("a", file="other"))
    assert "created anew" in who_changed(OVER, base("b", uuid="v"))
    assert "a writer without our marker" in who_changed(OVER, base("a", "b"))
    assert who_changed(OVER, IcebergBase(None, "a view")) == "a view"
