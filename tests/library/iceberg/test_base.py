"""What became of a target, and of a commit, is what the table's own metadata says."""

from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.errors import EntryModifiedError, MetastoreError
from ctas_spark.iceberg.base import (
    ExpectedBase,
    IcebergBase,
    change_between,
    decide,
    who_changed,
)
from ctas_spark.iceberg.facts import TableFacts
from ctas_spark.publish.version import Change, Outcome
from fakes.iceberg import document, with_snapshot

LOST = MetastoreError("lost")
REFUSED = EntryModifiedError("stale")


def base(
    *commits: str, uuid: str = "u", file: str = "", expired: bool = False, **more: Any
) -> IcebergBase:
    """A table of snapshots 0, 1, ..., each with a commit id."""
    kept = list(enumerate(commits))[-1:] if expired else list(enumerate(commits))
    document: dict[str, Any] = {
        "format-version": 2,
        "table-uuid": uuid,
        "last-sequence-number": len(commits),
        "snapshots": [
            {
                "snapshot-id": n,
                "sequence-number": n + 1,
                "timestamp-ms": n,
                "summary": {"ctas_spark_commit": c},
            }
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
    """The old table, no table, another one, and a history that lost our base or a commit since."""
    expired = base("a", "x", "b")
    assert expired.facts is not None
    del expired.facts.document["snapshots"][1]
    others = (base("a", "b", uuid="v"), base("a", "b", expired=True), expired)
    for after in (OVER, ABSENT, *others):
        assert decide(OVER, after, "ours", LOST) is Outcome.UNKNOWN
        assert decide(OVER, after, "ours", None) is Outcome.UNKNOWN


def test_what_became_of_the_target() -> None:
    """By its identity, its main and what it is besides rows."""
    assert change_between(ABSENT, ABSENT) is Change.NONE
    assert change_between(ABSENT, OVER) is Change.CREATED
    assert change_between(OVER, ABSENT) is Change.DROPPED
    assert change_between(OVER, base("a")) is Change.NONE
    altered = base("a", file="other", properties={"theirs": "yes"})
    assert change_between(OVER, altered) is Change.WRITTEN
    assert change_between(OVER, base("a", "b")) is Change.WRITTEN
    assert change_between(OVER, base("a", uuid="v")) is Change.WRITTEN
    assert change_between(OVER, IcebergBase(None, "a view")) is Change.WRITTEN


def test_upkeep_beside_main_is_no_change() -> None:
    """Expired snapshots, tags and statistics: readers of main get what they got."""
    begun = base("a", "b")
    upkeep: dict[str, Any] = {"last-updated-ms": 9, "statistics": [1]}
    kept = base("a", "b", expired=True, file="other", **upkeep)
    assert change_between(begun, kept) is Change.NONE
    tagged = base("a", "b", file="other", refs={"main": {"snapshot-id": 1}, "t": {}})
    assert change_between(begun, tagged) is Change.NONE


def test_what_a_catalog_stamps_on_a_loaded_table_is_no_change() -> None:
    """Nessie names its last commit, of whatever table, among the properties."""
    loads = [base("a", properties={"nessie.commit.id": one, "own": "x"}) for one in "bc"]
    assert change_between(*loads) is Change.NONE
    assert change_between(loads[0], base("a", properties={"own": "y"})) is Change.WRITTEN


def written(begun: IcebergBase, operation: str, *, to: str = "main", **more: Any) -> IcebergBase:
    """The table after a commit of Iceberg's own to a branch."""
    assert begun.facts is not None
    table = with_snapshot({**begun.facts.document, **more}, {"operation": operation})
    last = table["refs"].pop("main")
    references = {**begun.facts.document["refs"], to: last}
    facts = TableFacts({**table, "refs": references}, f"{begun.facts.metadata_location}+")
    return IcebergBase(SimpleNamespace(facts=facts))  # type: ignore[arg-type]


def expired(table: IcebergBase) -> IcebergBase:
    """The table with its last snapshot alone."""
    assert table.facts is not None
    kept = {**table.facts.document, "snapshots": table.facts.document["snapshots"][-1:]}
    return IcebergBase(SimpleNamespace(facts=TableFacts(kept, "x")))  # type: ignore[arg-type]


TABLE = IcebergBase(
    SimpleNamespace(facts=TableFacts(with_snapshot(document()), "f"))  # type: ignore[arg-type]
)


def test_rewritten_files_are_no_conflict() -> None:
    """Compaction and rewritten manifests keep the rows, and what expires shows that no less.

    Unless it is a rewrite in between: nothing that is left proves that it was one.
    """
    once = written(TABLE, "replace")
    assert change_between(TABLE, once) is Change.MAINTAINED
    assert change_between(TABLE, written(once, "replace")) is Change.MAINTAINED
    assert change_between(TABLE, written(once, "append")) is Change.WRITTEN
    assert change_between(TABLE, written(written(TABLE, "append"), "replace")) is Change.WRITTEN
    assert change_between(TABLE, expired(once)) is Change.MAINTAINED
    assert change_between(TABLE, expired(written(once, "replace"))) is Change.WRITTEN


def test_a_write_to_a_branch_is_no_change() -> None:
    """Readers of main get what they got; in format version 3 its rows have numbers of the table."""
    written_to = written(TABLE, "append", to="audit", **{"next-row-id": 9})
    assert change_between(TABLE, written_to) is Change.NONE


@pytest.mark.parametrize(
    "altered",
    [
        {"properties": {"theirs": "yes"}},
        {"schemas": [{"schema-id": 0, "fields": []}]},
        {"default-sort-order-id": 1},
        {"last-column-id": 2},
    ],
    ids=["properties", "schema", "sort order", "a column that was dropped again"],
)
def test_upkeep_hides_no_alter(altered: dict[str, Any]) -> None:
    """What another changed is a conflict, whatever came after it."""
    assert change_between(TABLE, written(TABLE, "replace", **altered)) is Change.WRITTEN


def test_schemas_that_nobody_needs_may_expire() -> None:
    """The current one is what counts."""
    both = [{"schema-id": 0, "fields": []}, {"schema-id": 1, "fields": [{"name": "a"}]}]
    more: dict[str, Any] = {"current-schema-id": 1, "schemas": both}
    begun = base("a", "b", **more)
    now = base("a", "b", file="x", **{**more, "schemas": both[1:]})
    assert change_between(begun, now) is Change.NONE


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
    assert "created again" in who_changed(OVER, base("b", uuid="v"))
    assert "another program" in who_changed(OVER, base("a", "b"))
    assert who_changed(OVER, IcebergBase(None, "a view")) == "a view"
