"""Rows of unit tests as SQL."""

from datetime import date
from decimal import Decimal

import pytest

from dbt.adapters.ctas_spark.fixtures import value_of

AB = "STRUCT<a: int, `b`: int>"
OF_AB = f"CAST(named_struct('a', CAST(NULL AS int), 'b', CAST(2 AS int)) AS {AB})"


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (None, "struct<a:int>", "CAST(NULL AS struct<a:int>)"),
        ("a'\\b", "string", r"CAST('a\'\\b' AS string)"),
        (date(2025, 1, 2), "date", "CAST('2025-01-02' AS date)"),
        (Decimal("1.10"), "decimal(10,2)", "CAST(1.10 AS decimal(10,2))"),
        ([], "array<int>", "CAST(array() AS array<int>)"),
        ("array(1)", "array<int>", "CAST(array(1) AS array<int>)"),
        (
            {"k": 1.5},
            "map<string,double>",
            "CAST(map(CAST('k' AS string), CAST(1.5 AS double)) AS map<string,double>)",
        ),
        (
            [{"B": 2}],
            f"array<{AB}>",
            f"CAST(array({OF_AB}) AS array<{AB}>)",
        ),
    ],
)
def test_a_value_is_cast_to_its_columns_type(value: object, kind: str, expected: str) -> None:
    """Fields go by their names, ignoring case, and one that is left out is NULL."""
    assert value_of(value, kind, "c") == expected


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        ({"code": 1, "cods": 2}, "struct<code:int>", "c has no field cods"),
        ([{"x": 1}], "array<struct<y:int>>", r"c\[\] has no field x"),
        ([1], "map<int,int>", r"c: \[1\] is not of the type map"),
        ({"a": 1}, "string", "c: {'a': 1} is not of the type string"),
    ],
)
def test_a_value_of_another_shape_is_named(value: object, kind: str, words: str) -> None:
    """A typing error does not become NULL."""
    with pytest.raises(ValueError, match=words):
        value_of(value, kind, "c")
