"""A commit's outcome is what the table's history says of it."""

from types import SimpleNamespace
from typing import Any

from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError, MetastoreError
from dbt.adapters.ctas_spark.staging.iceberg.base import IcebergBase
from dbt.adapters.ctas_spark.staging.iceberg.changes import change_between, who_changed
from dbt.adapters.ctas_spark.staging.iceberg.facts import TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.outcomes import decide
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.version import Change

LOST = MetastoreError("lost")
REFUSED = EntryModifiedError("stale")


def base(*commits: str, uuid: str = "u", file: str = "", expired: bool = False) -> IcebergBase:
    """A table of snapshots 0, 1, ..., each with a commit id."""
    kept = list(enumerate(commits))[-1:] if expired else list(enumerate(commits))
    document: dict[str, Any] = {
        "table-uuid": uuid,
        "snapshots": [
            {"snapshot-id": n, "timestamp-ms": n, "summary": {"ctas_spark_commit": c}}
            for n, c in kept
        ],
        "refs": {"main": {"snapshot-id": len(commits) - 1}},
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
    assert change_between(OVER, base("a", file="other")) is Change.WRITTEN
    assert change_between(OVER, base("a", uuid="v")) is Change.WRITTEN
    assert change_between(OVER, IcebergBase(None, "a view")) is Change.WRITTEN


def test_who_changed_it_is_said() -> None:
    """As far as the table knows."""
    assert "schema or properties" in who_changed(OVER, base("a", file="other"))
    assert "created anew" in who_changed(OVER, base("b", uuid="v"))
    assert "a writer without our marker" in who_changed(OVER, base("a", "b"))
    assert who_changed(OVER, IcebergBase(None, "a view")) == "a view"
