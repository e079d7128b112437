"""Tell whether a rebuild of an Iceberg table changes only its rows.

What is not known for certain counts as a change.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..context import TableLayout
from ..publish.ddl import partition_field
from .facts import TableFacts

SPELLED = {
    **{f"{one}(": f"{one}s(" for one in ("year", "month", "day", "hour")},
    "date(": "days(",
    "date_hour(": "hours(",
}
SIZED = re.compile(r"(\w+)\[(\d+)\]")
FORMAT_VERSION, COMMENT = "format-version", "comment"
NESTED = ("type", "element", "key", "value")
KEPT = ("name", "doc", "required", "element-required", "value-required")
DEFAULTS = ("initial-default", "write-default")
"""What a field is besides its id; a default is the table's own, and no query has one."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column; ``type`` is the same text for the same type."""

    name: str
    type: str
    comment: str


def change_of_layout(layout: TableLayout, partitions: str, properties: Mapping[str, str]) -> str:
    """What a table of that layout would have different, or lose; empty if nothing."""
    if not are_partitions(layout.partition_by, partitions):
        return "its partitioning differs"
    for key, value in layout.properties.items():
        if properties.get(key) != value:
            return f"its property {key} differs"
    return ""


def are_partitions(partition_by: Sequence[str], partitions: str) -> bool:
    """True if a table with these ``partitions``, as SQL shows them, has the ones asked for."""
    asked = (partition_field(one) for one in partition_by)
    return _spelled(", ".join(asked)) == _spelled(partitions)


def change_of_columns(layout: TableLayout, table: Sequence[Column], query: Sequence[Column]) -> str:
    """What the query's columns change; empty if nothing."""
    if [(one.name, one.type) for one in table] != [(one.name, one.type) for one in query]:
        return "its columns differ"
    wanted = [layout.column_comments.get(one.name.lower(), one.comment) for one in query]
    return "" if wanted == [one.comment for one in table] else "the comments of its columns differ"


def change_of_table(layout: TableLayout, table: TableFacts) -> str:
    """``change_of_layout`` by the table's metadata."""
    properties = {**table.properties, FORMAT_VERSION: str(table.format_version)}
    if layout.comment is not None and layout.comment != properties.get(COMMENT, ""):
        return "its comment differs"
    return change_of_layout(layout, _partitions(table), properties)


def columns_of(schema: Mapping[str, Any], *, nullable: bool = False) -> tuple[Column, ...]:
    """The columns of a schema's JSON; with ``nullable`` as if each of them could be NULL."""
    return tuple(
        Column(
            str(field["name"]),
            json.dumps(_plain({**field, "name": "", "doc": ""}, nullable=nullable)),
            str(field.get("doc") or ""),
        )
        for field in schema.get("fields", ())
    )


def _plain(part: Any, *, nullable: bool) -> Any:
    """A type or a field without ids."""
    if isinstance(part, str):
        return part
    found = {key: _plain(part[key], nullable=nullable) for key in NESTED if key in part}
    own = {key: part.get(key) for key in KEPT if part.get(key) not in (None, "")}
    if nullable:
        own = {key: False if key.endswith("required") else value for key, value in own.items()}
    fields = [_plain(one, nullable=nullable) for one in part.get("fields", ())]
    return {**found, **own, "fields": fields, **{key: part.get(key) for key in DEFAULTS}}


def _partitions(table: TableFacts) -> str:
    """The partition spec as SQL has it."""
    names = dict(_names(table.schema))
    fields = table.spec.get("fields", ())
    return ", ".join(
        _transform(one["transform"], names.get(one.get("source-id"))) for one in fields
    )


def _transform(transform: str, column: str | None) -> str:
    sized = SIZED.fullmatch(transform)
    if sized is not None:
        return f"{sized.group(1)}({sized.group(2)}, {column})"
    return str(column) if transform == "identity" else f"{transform}({column})"


def _names(part: Mapping[str, Any], parent: str = "") -> Iterator[tuple[int, str]]:
    """The id and the name of each field that a partition may have as its source."""
    for field in part.get("fields", ()):
        name = f"{parent}{field['name']}"
        yield int(field["id"]), name
        if isinstance(field["type"], dict):
            yield from _names(field["type"], f"{name}.")


def _spelled(partitions: str) -> str:
    """One spelling of each transform; two that are the same may differ, and count as a change."""
    plain = partitions.replace("`", "").replace(" ", "").lower()
    for one, other in SPELLED.items():
        plain = re.sub(rf"(?<![a-z_]){re.escape(one)}", other, plain)
    return plain
