"""The history's own words."""

from ctas_spark.retention.rules import change_of


def test_a_change_of_schema_is_told_by_column() -> None:
    """What came, what went, and what has another type."""
    old = {"id": "int", "name": "string", "gone": "date"}
    new = {"id": "bigint", "name": "string", "new": "date"}
    assert change_of(old, new) == "+ new date, - gone date, id: int -> bigint"
    assert change_of(old, old) == ""
