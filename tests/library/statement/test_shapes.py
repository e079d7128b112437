"""What counts as a change of more than rows, by what SQL says of a table."""

import pytest

from ctas_spark.context import TableLayout
from ctas_spark.iceberg.rows_only import Column
from ctas_spark.statement.shapes import (
    change_of_columns,
    change_of_layout,
    columns_of,
    shape_of,
)

COLUMNS = (Column("id", "bigint", ""), Column("s", "struct<a:int>", "its parts"))
SAID = (
    "CREATE TABLE ice.shop.t (\n  id BIGINT,\n  s STRUCT<a: INT> COMMENT 'its parts')\n"
    "USING iceberg\nPARTITIONED BY (days(ts), bucket(8, id), truncate(4, `a b`))\n"
    "TBLPROPERTIES (\n  'current-snapshot-id' = '17')\n"
)
PARTITIONS = ("days(ts)", "bucket(8, id)", "truncate(4, a b)")


def layout(*partition_by: str, **properties: str) -> TableLayout:
    """What a model asks for."""
    return TableLayout("iceberg", partition_by or PARTITIONS, properties=properties)


def test_another_snapshot_is_no_other_shape() -> None:
    """Nor is the catalog's last commit, which Nessie stamps on each table; nothing else is left."""
    assert shape_of(SAID) == shape_of(SAID.replace("17", "18"))
    stamped = SAID.replace("17'", "17',\n  'nessie.commit.id' = '{}'")
    assert shape_of(stamped.format("a")) == shape_of(stamped.format("b"))
    assert shape_of(SAID) != shape_of(SAID.replace("a: INT", "a: BIGINT"))


@pytest.mark.parametrize(
    "partition_by", [PARTITIONS, ("day(ts)", "bucket(8, id)", "truncate(`a b`, 4)")]
)
def test_the_same_partitions_are_no_change(partition_by: tuple[str, ...]) -> None:
    """However they are written."""
    assert change_of_layout(layout(*partition_by), SAID, {}) == ""


@pytest.mark.parametrize(
    "partition_by", [("ts",), ("days(ts)", "bucket(9, id)", "truncate(4, a b)")]
)
def test_other_partitions_are_a_change(partition_by: tuple[str, ...]) -> None:
    """Of a column, of a transform or of its size."""
    assert change_of_layout(layout(*partition_by), SAID, {}) == "its partitioning differs"


def test_a_property_that_is_not_set_stays() -> None:
    """As with a replaced table; one that the model sets has to be there."""
    found = {"theirs": "yes", "mine": "1"}
    assert change_of_layout(layout(mine="1"), SAID, found) == ""
    assert change_of_layout(layout(mine="2"), SAID, found) == "its property mine differs"


def test_a_comment_that_reads_like_a_clause_is_not_guessed_at() -> None:
    """It counts as a change."""
    said = f"{SAID}COMMENT 'x\nUSING iceberg\n'"
    assert "can't be read" in change_of_layout(layout(), said, {})


def test_the_same_columns_are_no_change() -> None:
    """With the comments of the query, or those that the model will set."""
    assert change_of_columns(layout(), SAID, COLUMNS, COLUMNS) == ""
    bare = (COLUMNS[0], Column("s", "struct<a:int>", ""))
    documented = TableLayout("iceberg", column_comments={"s": "its parts"})
    assert change_of_columns(documented, SAID, COLUMNS, bare) == ""
    assert "comments of its columns differ" in change_of_columns(layout(), SAID, COLUMNS, bare)


@pytest.mark.parametrize(
    "query",
    [
        COLUMNS[::-1],
        (Column("ID", "bigint", ""), COLUMNS[1]),
        (Column("id", "int", ""), COLUMNS[1]),
        COLUMNS[:1],
    ],
    ids=["order", "case", "type", "fewer"],
)
def test_other_columns_are_a_change(query: tuple[Column, ...]) -> None:
    """Of names, order or types."""
    assert change_of_columns(layout(), SAID, COLUMNS, query) == "its columns differ"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (SAID.replace("id BIGINT", "id BIGINT NOT NULL"), "NOT NULL columns"),
        (SAID.replace("a: INT", "a: INT COMMENT 'x'"), "comments on nested fields"),
    ],
)
def test_what_the_query_would_end_is_a_change(said: str, why: str) -> None:
    """NOT NULL, and comments of nested fields."""
    assert why in change_of_columns(layout(), said, COLUMNS, COLUMNS)


def test_a_struct_that_is_cut_is_not_compared() -> None:
    """Two different ones may look alike."""
    wide = (Column("s", "struct<a:int,... 15 more fields>", ""),)
    assert "so many fields" in change_of_columns(TableLayout(), "x (s)", wide, wide)


def test_describe_ends_with_the_columns() -> None:
    """Partitions and details come after an empty line, or a heading."""
    rows = [("id", "bigint", None), ("", "", ""), ("# Partitioning", "", ""), ("Part 0", "id", "")]
    found = columns_of(
        [dict(zip(("col_name", "data_type", "comment"), r, strict=True)) for r in rows]
    )
    assert found == (Column("id", "bigint", ""),)
