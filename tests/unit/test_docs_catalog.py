"""Rows of dbt's catalog with Spark's comments, and as one table."""

from pyspark.sql import Row

from dbt.adapters.ctas_spark import docs_catalog

DescribedRow = Row("col_name", "data_type", "comment")

ROW = {
    "table_database": "spark_catalog",
    "table_schema": "s",
    "table_name": "t",
    "table_type": "table",
    "table_owner": "me",
    "column_type": "int",
}
ROWS = [
    {**ROW, "column_name": "id", "column_index": 0},
    {**ROW, "column_name": "Comment", "column_index": 1},
    {**ROW, "column_name": "# of rows", "column_index": 2},
]
DESCRIBED = [
    DescribedRow("id", "int", "its\nnumber"),
    DescribedRow("Comment", "int", ""),
    DescribedRow("# of rows", "int", "how many"),
    DescribedRow("", "", ""),
    DescribedRow("# Detailed Table Information", "", ""),
    DescribedRow("Name", "spark_catalog.s.t", ""),
    DescribedRow("Comment", "of the\ntable", ""),
]


def test_comments_of_a_relation_and_its_columns_with_their_lines() -> None:
    """A column named Comment is not taken for the relation's."""
    first, second, third = docs_catalog.with_comments(ROWS, DESCRIBED)
    assert first["table_comment"] == second["table_comment"] == "of the\ntable"
    assert first["column_comment"] == "its\nnumber"
    assert "column_comment" not in second
    assert third["column_comment"] == "how many"


def test_a_relation_without_comments_has_none() -> None:
    """Not empty ones."""
    assert list(docs_catalog.with_comments(ROWS, DESCRIBED[3:6])) == ROWS


def test_the_rows_of_one_relation_are_a_table_of_dbts_catalog() -> None:
    """With its statistics, and a mark that says whether there are any."""
    stats = {
        f"stats:rows:{key}": value
        for key, value in (("label", "rows"), ("value", 5), ("include", True), ("description", ""))
    }
    made = docs_catalog.table([{**one, **stats} for one in ROWS])
    assert made is not None
    assert (made.metadata.name, made.metadata.owner) == ("t", "me")
    assert list(made.columns) == ["id", "Comment", "# of rows"]
    assert (made.stats["rows"].value, made.stats["has_stats"].value) == (5, True)


def test_no_rows_are_no_table() -> None:
    """Of a relation that is not there."""
    assert docs_catalog.table([]) is None
