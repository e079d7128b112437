"""What a rebuild changes besides rows, by what a table's metadata says."""

from typing import Any

import pytest

from ctas_spark.context import TableLayout
from ctas_spark.iceberg.facts import TableFacts
from ctas_spark.iceberg.rows_only import (
    change_of_columns,
    change_of_table,
    columns_of,
)
from fakes.iceberg import document

DATE = {"id": 3, "name": "ts", "type": "timestamptz", "required": False}
INNER = {"id": 5, "name": "a b", "type": "string", "required": False}
OUTER = {
    "id": 4,
    "name": "s",
    "type": {"type": "struct", "fields": [INNER]},
    "required": False,
}
LIST = {"type": "list", "element-id": 9, "element": "long", "element-required": False}
SPEC = {
    "spec-id": 0,
    "fields": [
        {"field-id": 1000, "source-id": 3, "name": "ts_day", "transform": "day"},
        {"field-id": 1001, "source-id": 5, "name": "x", "transform": "truncate[4]"},
        {"field-id": 1002, "source-id": 3, "name": "ts", "transform": "identity"},
    ],
}


def table(*fields: dict[str, Any], **more: Any) -> TableFacts:
    """A table of those columns."""
    schemas = [{"schema-id": 0, "fields": list(fields)}]
    return TableFacts(document(schemas=schemas, **more), "f")


def changed(field: dict[str, Any], other: dict[str, Any], *, nullable: bool = True) -> str:
    """What a query of the second column changes of a table of the first."""
    query = columns_of({"fields": [other]}, nullable=nullable)
    return change_of_columns(TableLayout("iceberg"), columns_of({"fields": [field]}), query)


@pytest.mark.parametrize(
    "partition_by",
    [("days(ts)", "truncate(4, s.a b)", "ts"), ("DATE(ts)", "truncate(`s.a b`, 4)", "`ts`")],
)
def test_the_same_partitions_are_no_change(partition_by: tuple[str, ...]) -> None:
    """However the model writes them; the names of partitions are the table's own."""
    found = table(DATE, OUTER, **{"partition-specs": [SPEC]})
    assert change_of_table(TableLayout("iceberg", partition_by), found) == ""
    assert "partitioning" in change_of_table(TableLayout("iceberg", partition_by[1:]), found)


def test_a_partition_field_that_was_dropped_is_a_change() -> None:
    """Format version 1 keeps its place; a replaced table has it no more."""
    spec = {"spec-id": 0, "fields": [{**SPEC["fields"][0], "transform": "void"}]}  # type: ignore[index]
    found = table(DATE, **{"partition-specs": [spec]})
    assert "partitioning" in change_of_table(TableLayout("iceberg"), found)


def test_the_format_version_is_among_the_properties() -> None:
    """A model names it so."""
    layout = TableLayout("iceberg", properties={"format-version": "2"})
    assert change_of_table(layout, table(DATE)) == ""
    assert "format-version" in change_of_table(layout, table(DATE, **{"format-version": 3}))


def test_ids_are_no_part_of_a_column() -> None:
    """A query's are counted anew; those of a table go on from column to column."""
    assert changed(OUTER, {**OUTER, "id": 1}) == ""
    assert changed({**DATE, "type": LIST}, {**DATE, "type": {**LIST, "element-id": 2}}) == ""


@pytest.mark.parametrize(
    ("of", "to"),
    [
        (DATE, {**DATE, "type": "timestamp"}),
        (DATE, {**DATE, "name": "TS"}),
        (DATE, {**DATE, "doc": "it's when"}),
        (DATE, {**DATE, "initial-default": "x"}),
        ({**DATE, "required": True}, DATE),
        ({**DATE, "type": {**LIST, "element-required": True}}, {**DATE, "type": LIST}),
        (OUTER, {**OUTER, "type": {"type": "struct", "fields": [{**INNER, "doc": "inside"}]}}),
        (OUTER, {**OUTER, "type": {"type": "struct", "fields": [DATE]}}),
    ],
    ids=["type", "case", "comment", "default", "NOT NULL", "elements", "comment within", "within"],
)
def test_another_column_is_a_change(of: dict[str, Any], to: dict[str, Any]) -> None:
    """Whichever way; what a query says of NULL does not count, as a table made from it forgets."""
    assert changed(of, to) != ""
    assert changed(of, of) == ("" if not str(of).count("required': True") else "its columns differ")
    assert changed(to, {**to, "required": True}) == ""


def test_a_catalog_may_keep_what_a_query_says_of_null() -> None:
    """Then it counts."""
    assert changed({**DATE, "required": True}, {**DATE, "required": True}, nullable=False) == ""
    assert changed(DATE, {**DATE, "required": True}, nullable=False) == "its columns differ"
