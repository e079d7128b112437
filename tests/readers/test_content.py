"""The versioned content of a table under test."""

from typing import Any

import pytest

from readers.content import WrongContentError, columns, inspect, row_count

Rows = list[tuple[Any, ...]]


def _rows(version: int) -> Rows:
    as_n = int if version % 2 else str
    return [(version, as_n(n), str(version)) for n in range(row_count(version))]


@pytest.mark.parametrize("version", [1, 2, 7])
def test_a_whole_version_is_recognised(version: int) -> None:
    """Schema and rows of one version name that version."""
    assert inspect(columns(version), _rows(version)) == version


@pytest.mark.parametrize(
    ("schema_of", "rows", "fault"),
    [
        (2, [], "empty"),
        (2, _rows(2) + _rows(1), "mixed"),
        (2, _rows(1), "mixed"),
        (1, [(1, n, None) for n in range(row_count(1))], "mixed"),
        (1, [(None, n, "1") for n in range(row_count(1))], "mixed"),
        (1, _rows(1) + _rows(1), "mixed"),
        (1, _rows(1)[:-1], "partial"),
        (1, [*_rows(1)[:-1], _rows(1)[0]], "partial"),
    ],
    ids=[
        "no rows",
        "rows of two versions",
        "rows of another version than the schema",
        "a column without values",
        "rows that name no version",
        "all rows twice",
        "a missing row",
        "a missing row and another twice",
    ],
)
def test_anything_else_is_a_fault(schema_of: int, rows: Rows, fault: str) -> None:
    """What is not one whole version is a fault whose text begins with its kind."""
    with pytest.raises(WrongContentError, match=f"^{fault}"):
        inspect(columns(schema_of), rows)
