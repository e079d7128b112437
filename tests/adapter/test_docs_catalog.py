"""Rows of dbt's catalog with Spark's comments and what jobs counted, and as one table."""

from functools import partial
from types import SimpleNamespace
from typing import Any

from dbt.adapters.contracts.relation import RelationType
from dbt.adapters.spark.impl import SparkAdapter
from pyspark.sql import Row

from ctas_spark.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark import docs_catalog
from dbt.adapters.ctas_spark.docs_catalog import DocsCatalog, version_shown, with_figures
from dbt.adapters.ctas_spark.impl import CtasSparkAdapter
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

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
SPARKS = {
    "column_name": "id",
    "stats:bytes:label": "bytes",
    "stats:bytes:value": 2026,
    "stats:bytes:description": "",
    "stats:bytes:include": True,
    "stats:rows:label": "rows",
    "stats:rows:value": 0,
    "stats:rows:description": "",
    "stats:rows:include": True,
}


def test_comments_of_a_relation_and_its_columns_with_their_lines() -> None:
    """A column named Comment is not taken for the relation's."""
    first, second, third = docs_catalog.as_described(ROWS, DESCRIBED)
    assert first["table_comment"] == second["table_comment"] == "of the\ntable"
    assert first["column_comment"] == "its\nnumber"
    assert "column_comment" not in second
    assert third["column_comment"] == "how many"


def test_a_column_that_is_listed_in_lower_case_has_its_name_type_and_comment() -> None:
    """As those of Iceberg's tables are in Hive; of a nested type only the kind is listed."""
    listed = [{**ROWS[0], "column_name": "its name", "column_type": "struct"}]
    described = [DescribedRow("Its Name", "struct<A:int>", "what it is")]
    (column,) = docs_catalog.as_described(listed, described)
    assert (column["column_name"], column["column_comment"]) == ("Its Name", "what it is")
    assert column["column_type"] == "struct<A:int>"


def test_a_relation_without_comments_has_none() -> None:
    """Not empty ones."""
    assert list(docs_catalog.as_described(ROWS, DESCRIBED[3:6])) == ROWS


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


def test_counted_rows_replace_those_of_spark() -> None:
    """Spark says 0 rows of a table that it wrote five rows of."""
    told = with_figures(SPARKS, "20260101t120000x0a1b2c3d", WriteFigures(rows=5))
    assert (told["stats:rows:value"], told["stats:bytes:value"]) == (5, 2026)
    assert told["stats:rows:description"] == (
        "counted when version 20260101t120000x0a1b2c3d was published"
    )


def test_no_rows_of_spark_are_shown_for_a_table_that_this_adapter_has_not_published() -> None:
    """Spark says 0 rows of any that it was not told of."""
    told = docs_catalog.without_no_rows(SPARKS)
    assert (told["stats:bytes:value"], [key for key in told if "rows" in key]) == (2026, [])
    counted = {**SPARKS, "stats:rows:value": 3}
    assert docs_catalog.without_no_rows(counted) == counted


def test_rows_that_nobody_counted_are_not_shown() -> None:
    """Neither is Spark's 0; its bytes are of the files."""
    told = with_figures(SPARKS, "v", WriteFigures())
    assert [key for key in told if "rows" in key] == []
    assert told["stats:bytes:value"] == 2026


def test_a_table_shows_its_version_by_its_location() -> None:
    """The last directory; a view has none."""
    information = "Owner: me\nLocation: file:/w/shop.db/a/20260101t120000x0a1b2c3d \nSerde: x"
    assert version_shown(information) == "20260101t120000x0a1b2c3d"
    assert version_shown("Type: VIEW") == ""
    assert version_shown(None) == ""


def test_the_docs_take_no_columns_from_a_comment() -> None:
    """Nor statistics; a property can have lines like these, too."""
    spoof = "x\nType: VIEW\nStatistics: 1 bytes\nSchema: root\n |-- no: string (nullable = true)\n"
    shown = (
        "Catalog: spark_catalog\nDatabase: shop\nTable: t\nOwner: me\nLast Access: UNKNOWN\n"
        f"Type: MANAGED\nComment: {spoof}Statistics: 7 bytes, 2 rows\n"
        "Location: file:/w/t\nSchema: root\n |-- id: integer (nullable = true)"
    )
    relation = CtasSparkRelation.create(
        schema="shop", identifier="t", type=RelationType.Table, information=shown
    )
    invocation: Any = SimpleNamespace()
    relations: Any = SimpleNamespace()
    sparks: Any = CtasSparkAdapter.__new__(CtasSparkAdapter)
    shown_by_spark = partial(SparkAdapter._get_columns_for_catalog, sparks)  # noqa: SLF001 (dbt-spark's)
    (row,) = DocsCatalog(invocation, relations, shown_by_spark).rows(relation)
    assert (row["column_name"], row["column_type"], row["table_owner"]) == ("id", "int", "me")
    assert row["stats:bytes:value"] == 7
