"""Tables of text for a terminal, and how counts and sizes stand in them."""

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import agate

UNITS = ("B", "KB", "MB", "GB", "TB", "PB")
UNIT = 1000


def text_of(rows: Sequence[Mapping[str, Any]], *, as_json: bool) -> str:
    """A table with a column for each key, or a JSON array of objects."""
    if as_json:
        return json.dumps(list(rows))
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [["" if row.get(name) is None else str(row[name]) for name in names] for row in rows]
    table = agate.Table(cells, names, [agate.Text(cast_nulls=False)] * len(names))
    printed = io.StringIO()
    table.print_table(max_rows=None, max_columns=None, max_column_width=None, output=printed)
    return printed.getvalue().rstrip("\n")


def count_text(number: int | None) -> str:
    """A count with separators; empty if it is not known."""
    return "" if number is None else f"{number:,}"


def rows_text(number: int) -> str:
    """A number of rows in a sentence."""
    return f"{number:,} {'row' if number == 1 else 'rows'}"


def size_text(count: int | None) -> str:
    """Bytes in the largest unit of which there is at least one; empty if they are not known."""
    if count is None:
        return ""
    size, unit = float(count), 0
    while round(size, 1) >= UNIT and unit < len(UNITS) - 1:
        size, unit = size / UNIT, unit + 1
    return f"{size:.1f} {UNITS[unit]}" if unit else f"{count} {UNITS[0]}"
