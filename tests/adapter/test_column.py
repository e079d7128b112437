"""The kinds of columns, by Spark's names for types."""

import pytest

from dbt.adapters.ctas_spark.column import CtasSparkColumn, types_query
from dbt.adapters.ctas_spark.relation import CtasSparkRelation


def numbers(column: CtasSparkColumn) -> bool:
    """dbt's own question."""
    return bool(column.is_number())  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("kind", ["string", "varchar(20)", "CHAR(3)"])
def test_texts_are_strings_and_no_numbers(kind: str) -> None:
    """dbt's own list has no ``string``."""
    column = CtasSparkColumn("c", kind)
    assert (column.is_string(), numbers(column)) == (True, False)


@pytest.mark.parametrize("kind", ["tinyint", "smallint", "int", "bigint"])
def test_whole_numbers_are_integers(kind: str) -> None:
    """dbt's own list has no ``int``."""
    column = CtasSparkColumn("c", kind)
    assert (column.is_integer(), numbers(column), column.is_string()) == (True, True, False)


def test_a_decimal_is_numeric_with_its_precision() -> None:
    """And ``data_type`` keeps it."""
    column = CtasSparkColumn("c", "decimal(10,2)")
    assert (column.is_numeric(), column.data_type) == (True, "decimal(10,2)")


def test_no_column_is_expanded() -> None:
    """Spark's strings have no size that dbt would have to change."""
    assert not CtasSparkColumn("c", "string").can_expand_to(CtasSparkColumn("c", "string"))


def test_a_struct_of_which_spark_shows_a_part_is_asked_for_its_whole_type() -> None:
    """Two of them may differ where nobody sees it."""
    columns = [CtasSparkColumn("e", f"struct<a:int,... {n} more fields>") for n in (5, 30)]
    assert [one.is_cut for one in (*columns, CtasSparkColumn("e", "struct<a:int>"))] == [1, 1, 0]
    asked = types_query(CtasSparkRelation.create(schema="s", identifier="t"), columns[:1])
    assert asked == "SELECT typeof(`e`) FROM (SELECT 1) LEFT JOIN s.t ON false"


def test_a_map_of_numbers_is_none_of_them() -> None:
    """Only the outer type counts."""
    column = CtasSparkColumn("c", "map<string,int>")
    assert (column.is_string(), numbers(column)) == (False, False)


def test_a_columns_name_may_begin_like_a_heading() -> None:
    """What has a type is a column; partition columns are described once more, below a heading."""
    rows = [("id", "int"), ("# orders", "int"), ("amount", "int"), ("# Partition Information", "")]
    rows += [("# col_name", "data_type"), ("amount", "int"), ("", ""), ("Owner", "me")]
    described = [{"col_name": name, "data_type": kind} for name, kind in rows]
    found = CtasSparkColumn.described(CtasSparkRelation.create(schema="s"), described)
    assert [(one.name, one.dtype) for one in found] == rows[:3]
    assert {one.table_owner for one in found} == {"me"}
