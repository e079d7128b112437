"""The versioned content of a table under test."""

from typing import Any

import pytest

from readers.content import WrongContentError, columns, inspect, row_count, rows

Rows = list[tuple[Any, ...]]


@pytest.mark.parametrize("version", [1, 2, 7])
def test_a_whole_version_is_recognised(version: int) -> None:
    """Schema and rows of one version name that version."""
    assert inspect(columns(version), rows(version)) == version


@pytest.mark.parametrize(
    ("schema_of", "seen", "fault"),
    [
        (2, [], "empty"),
        (2, rows(2) + rows(1), "mixed"),
        (2, rows(1), "mixed"),
        (1, [(1, n, None, "1/0") for n in range(row_count(1))], "mixed"),
        (1, [(None, n, "1", "1/0") for n in range(row_count(1))], "mixed"),
        (1, rows(1) + rows(1), "mixed"),
        (1, rows(1)[:-1], "partial"),
        (1, [*rows(1)[:-1], rows(1)[0]], "partial"),
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
def test_anything_else_is_a_fault(schema_of: int, seen: Rows, fault: str) -> None:
    """What is not one whole version is a fault whose text begins with its kind."""
    with pytest.raises(WrongContentError, match=f"^{fault}"):
        inspect(columns(schema_of), seen)


def test_versions_of_one_schema_are_told_apart_by_their_rows() -> None:
    """Each is whole by itself, and rows of two are a mix."""
    assert columns(3, same=True) == columns(4, same=True)
    for version in (3, 4):
        assert inspect(columns(version, same=True), rows(version, same=True)) == version
    both = rows(3, same=True) + rows(4, same=True)
    with pytest.raises(WrongContentError, match="mixed"):
        inspect(columns(3, same=True), both)
