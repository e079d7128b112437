"""Rows as a person reads them, or a program."""

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import agate

WIDEST = 80


def text_of(rows: Sequence[Mapping[str, Any]], *, as_json: bool) -> str:
    """A table with a column for each key, or a JSON array of objects."""
    if as_json:
        return json.dumps(list(rows))
    if not rows:
        return "nothing"
    names = list(rows[0])
    cells = [[_cell(row[name]) for name in names] for row in rows]
    table = agate.Table(cells, names, [agate.Text(cast_nulls=False)] * len(names))
    printed = io.StringIO()
    table.print_table(max_rows=None, max_columns=None, max_column_width=WIDEST, output=printed)
    return printed.getvalue()


def _cell(value: object) -> str:
    return "" if value is None else str(value)
