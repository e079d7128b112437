"""Comments of a table that exists: only what differs is changed."""

from typing import Any

from dbt.adapters.ctas_spark.table_docs import Described, alterations

ROWS = [
    ("id", "int", "its number"),
    ("Name", "string", None),
    ("day", "date", ""),
    ("# Partition Information", "", ""),
    ("# col_name", "data_type", "comment"),
    ("day", "date", ""),
    ("", "", ""),
    ("# Detailed Table Information", "", ""),
    ("Comment", "old", ""),
    ("Provider", "parquet", ""),
]
DOCS: dict[str, dict[str, Any]] = {
    "ID": {"description": "its number"},
    "name": {"description": "it's"},
    "day": {"description": "when"},
}


def changed(rows: list[tuple[str, str, str | None]], description: str | None = None) -> list[str]:
    """The statements for these rows of DESCRIBE EXTENDED."""
    return [*alterations("t", Described.of(rows), description, DOCS)]


def test_comments_that_differ_are_changed() -> None:
    """A partition column of files can have none, and one that stands there takes no statement."""
    assert changed(ROWS, "new") == [
        "ALTER TABLE t SET TBLPROPERTIES ('comment' = 'new')",
        "ALTER TABLE t ALTER COLUMN `Name` COMMENT 'it\\'s'",
    ]
    assert changed(ROWS, "old") == changed(ROWS)
    assert [*alterations("t", Described.of(ROWS), None, None)] == []


def test_formats_with_columns_of_their_own_take_every_comment() -> None:
    """Of partition columns, too, and as long as it is; one that files have cut is no change."""
    delta = [*ROWS[:-1], ("Provider", "delta", "")]
    assert "ALTER TABLE t ALTER COLUMN `day` COMMENT 'when'" in changed(delta)
    long = {"id": {"description": "x" * 300}}
    cut = Described.of([("id", "int", "x" * 256), ("", "", ""), ("Provider", "parquet", "")])
    assert [*alterations("t", cut, None, long)] == []
