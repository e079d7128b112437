"""The shape of an Iceberg table, and what a rebuild changes of it, by what SQL tells.

What SQL does not tell for certain counts as a change.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from ..context import TableLayout
from ..iceberg import rows_only
from ..iceberg.facts import STAMPS
from ..iceberg.rows_only import Column

PASSING = re.compile(
    rf"'({'|'.join(map(re.escape, ('current-snapshot-id', *sorted(STAMPS))))})' = '[^']*'"
)
"""The snapshot's id, and what a catalog stamps on all of its tables with each commit."""
USING = "\nUSING iceberg\n"
PARTITIONED = re.compile(r"PARTITIONED BY \((.*)\)(?:\n|$)")
COMMENTED = " COMMENT '"
CUT = re.compile(r"\.\.\. \d+ more fields")
"""The end of a struct's type if Spark shows only a part of it."""


def shape_of(create_table: str) -> str:
    """The answer of SHOW CREATE TABLE without what differs from commit to commit."""
    return PASSING.sub(r"'\1' = ''", create_table)


def columns_of(described: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """The columns of DESCRIBE, of a table or a query; what follows them is left out.

    DESCRIBE does not tell whether one may be NULL.
    """
    named = [(str(row["col_name"]), row) for row in described]
    columns = takewhile(lambda one: one[0] and not one[0].startswith("# "), named)
    return tuple(
        Column(name, str(row["data_type"]), str(row["comment"] or "")) for name, row in columns
    )


def change_of_layout(layout: TableLayout, shape: str, properties: Mapping[str, str]) -> str:
    """What a table of that layout would have different, or lose; empty if nothing."""
    partitions = partitions_of(shape)
    if partitions is None:
        return "what SHOW CREATE TABLE says can't be read"
    return rows_only.change_of_layout(layout, partitions, properties)


def partitions_of(create_table: str) -> str | None:
    """How the table is partitioned, in SQL; empty if it is not, and None if that can't be read."""
    if create_table.count(USING) != 1:
        return None
    found = PARTITIONED.match(create_table.partition(USING)[2])
    return found.group(1) if found else ""


def change_of_columns(
    layout: TableLayout, shape: str, table: Sequence[Column], query: Sequence[Column]
) -> str:
    """What the query's columns change; empty if nothing."""
    said = shape.partition(USING)[0]
    if any(CUT.search(one.type) for one in query):
        return "it has a struct of so many fields that Spark does not show them all"
    if "NOT NULL" in said:
        return "it has NOT NULL columns, which a replace would make nullable"
    if said.count(COMMENTED) != sum(bool(one.comment) for one in table):
        return "it has comments on nested fields"
    return rows_only.change_of_columns(layout, table, query)
