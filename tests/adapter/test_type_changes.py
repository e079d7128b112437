"""Which changes of a column's type keep its values."""

import pytest

from dbt.adapters.ctas_spark.type_changes import aligned, holds, in_sql, unite

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


@pytest.mark.parametrize(
    ("kind", "to", "expected"),
    [
        ("int", "INT", "v"),
        ("int", "bigint", "CAST(v AS bigint)"),
        ("struct<a:int,B:int>", "struct<A:int,b:int>", "v"),
        (
            "struct<b:int,a:string>",
            "struct<a:string,b:bigint>",
            "IF(v IS NULL, NULL, named_struct('a', v.`a`, 'b', CAST(v.`b` AS bigint)))",
        ),
        (
            "array<struct<`x,y`:int,b:decimal(3,1)>>",
            "array<struct<b:decimal(3,1),`x,y`:int>>",
            (
                "transform(v, ctas_0 -> IF(ctas_0 IS NULL, NULL, "
                "named_struct('b', ctas_0.`b`, 'x,y', ctas_0.`x,y`)))"
            ),
        ),
        (
            "map<string,struct<b:int,a:int>>",
            "map<string,struct<a:int,b:int>>",
            (
                "map_from_entries(transform(map_entries(v), ctas_0 -> struct(ctas_0.key, "
                "IF(ctas_0.value IS NULL, NULL, "
                "named_struct('a', ctas_0.value.`a`, 'b', ctas_0.value.`b`)))))"
            ),
        ),
        ("array<void>", "array<int>", "transform(v, ctas_0 -> CAST(ctas_0 AS int))"),
        ("bigint", "int", None),
        ("struct<a:int>", "struct<a:int,b:int>", None),
        ("struct<a:bigint,b:int>", "struct<b:int,a:int>", None),
        ("array<string>", "array<int>", None),
        ("array<int>", "map<int,int>", None),
        ("struct<a:int,A:int>", "struct<a:int,b:int>", None),
    ],
)
def test_fields_are_put_where_their_names_are(kind: str, to: str, expected: str | None) -> None:
    """In structs, and in arrays and maps of them; a value that might change is none."""
    assert aligned("v", kind, to) == expected


def test_fields_of_any_name_are_quoted_in_statements() -> None:
    """That of a column, such as one that is added to a table, or cast to in a unit test."""
    kind = "array<struct<order-id:map<string,struct<1:int>>,Amt_1:decimal(10,2)>>"
    assert in_sql(kind) == (
        "array<struct<`order-id`:map<string,struct<`1`:int>>,Amt_1:decimal(10,2)>>"
    )
    for same in ("timestamp", "struct<a:int>", "struct<a<b>", "struct<>", "map<string,int>"):
        assert in_sql(same) == same
