"""dbt runs over Spark Connect: what is published, and what is not."""

from pyspark import SparkContext

from connect.place import MODELS, Place


def test_models_are_created_and_then_replaced(place: Place) -> None:
    """By one statement of the format's own, never a DROP; the results say how strong that is."""
    first = place.project.build()
    assert place.names() == [("old", 3), ("old", 3)]
    second = place.project.build(name="new")
    assert place.names() == [("new", 3), ("new", 3)]
    promised = ("atomicity", "conflict_check", "reader_window", "outcome")
    for model in MODELS:
        ways = [run.response(model)["commit_strategy"] for run in (first, second)]
        assert ways == ["create", "replace"]
        response = second.response(model)
        assert [response[key] for key in promised] == ["atomic", "none", "none", "committed"]
        described = {row[0]: row[2] for row in place.rows(f"describe {place.table(model)}")}
        assert described["id"] == "its number"
    assert place.staged() == []
    history = place.rows(f"describe history {place.table('dlt')}")
    assert [row[4] for row in history] == ["REPLACE TABLE AS SELECT", "CREATE TABLE AS SELECT"]
    assert SparkContext._gateway is None  # noqa: SLF001 (no JVM was started here)
