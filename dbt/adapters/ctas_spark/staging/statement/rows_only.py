"""Tell whether a rebuild of an Iceberg table changes only its rows, by what SQL tells of it.

What SQL does not tell for certain counts as a change.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from ..context import TableLayout
from ..publish.ddl import partition_field

SNAPSHOT = re.compile(r"'current-snapshot-id' = '[^']*'")
USING = "\nUSING iceberg\n"
PARTITIONED = re.compile(r"PARTITIONED BY \((.*)\)(?:\n|$)")
COMMENTED = " COMMENT '"
CUT = re.compile(r"\.\.\. \d+ more fields")
"""The end of a struct's type if Spark shows only a part of it."""
SPELLED = {
    **{f"{one}(": f"{one}s(" for one in ("year", "month", "day", "hour")},
    "date(": "days(",
    "date_hour(": "hours(",
}
ORDERS = {
    "sort-order": "a sort order, which a replaced table has no more",
    "identifier-fields": "identifier fields, which a replaced table has no more",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column; DESCRIBE does not tell whether it may be NULL."""

    name: str
    type: str
    comment: str


def shape_of(create_table: str) -> str:
    """The answer of SHOW CREATE TABLE without the snapshot's id."""
    return SNAPSHOT.sub("'current-snapshot-id' = ''", create_table)


def columns_of(described: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """The columns of DESCRIBE, of a table or a query; what follows them is left out."""
    named = [(str(row["col_name"]), row) for row in described]
    columns = takewhile(lambda one: one[0] and not one[0].startswith("# "), named)
    return tuple(
        Column(name, str(row["data_type"]), str(row["comment"] or "")) for name, row in columns
    )


def change_of_layout(layout: TableLayout, shape: str, properties: Mapping[str, str]) -> str:
    """What a table of that layout would have different, or lose; empty if nothing."""
    if shape.count(USING) != 1:
        return "what SHOW CREATE TABLE says can't be read"
    asked = [partition_field(one) for one in layout.partition_by]
    if _spelled(", ".join(asked)) != _spelled(_partitions(shape)):
        return "it is partitioned otherwise"
    for key, value in layout.properties.items():
        if properties.get(key) != value:
            return f"its property {key} is another"
    return next((f"it has {what}" for key, what in ORDERS.items() if key in properties), "")


def change_of_columns(
    layout: TableLayout, shape: str, table: Sequence[Column], query: Sequence[Column]
) -> str:
    """What the query's columns change; empty if nothing."""
    if [(one.name, one.type) for one in table] != [(one.name, one.type) for one in query]:
        return "its columns are others"
    if any(CUT.search(one.type) for one in query):
        return "it has a struct of so many fields that Spark does not show them all"
    said = shape.partition(USING)[0]
    if "NOT NULL" in said:
        return "it has columns that may not be NULL, which a replaced table has no more"
    if said.count(COMMENTED) != sum(bool(one.comment) for one in table):
        return "it has comments within its columns"
    wanted = [layout.column_comments.get(one.name.lower(), one.comment) for one in query]
    return "" if wanted == [one.comment for one in table] else "its columns have other comments"


def _partitions(shape: str) -> str:
    found = PARTITIONED.match(shape.partition(USING)[2])
    return found.group(1) if found else ""


def _spelled(partitions: str) -> str:
    """One spelling of each transform; two that are the same may differ, and count as a change."""
    plain = partitions.replace("`", "").replace(" ", "").lower()
    for one, other in SPELLED.items():
        plain = re.sub(rf"(?<![a-z_]){re.escape(one)}", other, plain)
    return plain
