"""What a rebuild of an Iceberg table costs besides its CTAS, and what it adds to the table."""

import pytest

from dbt.adapters.ctas_spark import model_columns
from iceberg.place import Place
from round_trips import SAME, Counter

MOST_ROUND_TRIPS = {"rows": 250, "columns": 300}
MOST_LOADS = 4
SNAPSHOTS_ADDED = 2
QUERIES = {
    "rows": [SAME] * 3,
    "columns": [f"SELECT id AS c{number} FROM range(3)" for number in range(3)],
}


@pytest.mark.parametrize("changes", QUERIES)
def test_a_rebuild_takes_few_loads_and_round_trips(
    place: Place, monkeypatch: pytest.MonkeyPatch, changes: str
) -> None:
    """The target is loaded at begin, before the call and after it; the fork, after its job."""
    counter, context = Counter(monkeypatch), place.context()
    sent = counter.of_the_last_rebuild(place.opened, context, QUERIES[changes])
    assert 0 < len(sent) <= MOST_ROUND_TRIPS[changes]
    assert 0 < sum("\nloadTable\n" in command for command in sent) <= MOST_LOADS


@pytest.mark.parametrize(
    ("query", "texts", "schemas"),
    [(SAME, {}, 0), ("SELECT id, 1 AS more FROM range(3)", {"id": "its id", "more": "more"}, 1)],
    ids=["rows", "columns and comments"],
)
def test_a_rebuild_adds_two_snapshots_and_at_most_one_schema(
    place: Place, query: str, texts: dict[str, str], schemas: int
) -> None:
    """The job's, and the one that carries the marker; a fork's schema without comments stays."""
    place.publish(SAME)
    before = place.facts().document
    staged = place.begin()
    place.spark.sql(staged.statement(query))
    record = staged.verify()
    if texts:
        model_columns.comment_each(place.spark, record, texts)
    staged.commit()
    staged.settle()
    after = place.facts().document
    assert 0 < len(after["snapshots"]) - len(before["snapshots"]) <= SNAPSHOTS_ADDED
    assert len(after["schemas"]) - len(before["schemas"]) == schemas
    assert {one["doc"] for one in place.facts().schema["fields"] if "doc" in one} == {
        *texts.values()
    }
    ids = {one["schema-id"] for one in after["schemas"]}
    assert {one["schema-id"] for one in after["snapshots"]} <= ids
