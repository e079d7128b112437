"""Which changes of a column's type keep its values."""

import pytest

from dbt.adapters.ctas_spark.type_changes import holds, unite

KEPT = [
    ("bigint", "int"),
    ("decimal(19,0)", "bigint"),
    ("decimal(12,2)", "decimal(10, 2)"),
    ("double", "float"),
    ("double", "int"),
    ("float", "smallint"),
    ("timestamp", "date"),
    ("string", "varchar(3)"),
    ("struct<a:int>", "void"),
    ("array<int>", "array<int>"),
]
LOST = [
    ("int", "bigint"),
    ("float", "int"),
    ("double", "bigint"),
    ("double", "decimal(38,0)"),
    ("decimal(9,0)", "decimal(18,2)"),
    ("decimal(10,0)", "bigint"),
    ("date", "timestamp"),
    ("timestamp_ntz", "timestamp"),
    ("varchar(3)", "string"),
    ("int", "string"),
    ("struct<b:int,a:int>", "struct<a:int,b:int>"),
    ("map<string,double>", "map<string,int>"),
]


@pytest.mark.parametrize(("wide", "narrow"), KEPT)
def test_a_wider_type_holds_every_value(wide: str, narrow: str) -> None:
    """So it does in either direction for a union."""
    assert holds(wide, narrow)
    assert unite(wide, narrow)
    assert unite(narrow, wide)


@pytest.mark.parametrize(("wide", "narrow"), LOST)
def test_any_other_change_is_one_that_may_lose_values(wide: str, narrow: str) -> None:
    """Types that are not known are among them."""
    assert not holds(wide, narrow)


@pytest.mark.parametrize(
    ("one", "other", "kept"),
    [
        ("decimal(10,4)", "decimal(12,0)", True),
        ("bigint", "decimal(4,2)", True),
        ("decimal(38,0)", "decimal(4,2)", False),
        ("varchar(3)", "char(9)", True),
        ("bigint", "double", False),
        ("string", "date", False),
        ("struct<a:int,b:int>", "struct<b:int,a:int>", False),
    ],
)
def test_two_types_unite_in_one_that_holds_both(one: str, other: str, *, kept: bool) -> None:
    """Spark gives decimals the digits of both, if there is room for them."""
    assert unite(one, other) is kept
    assert unite(other, one) is kept
