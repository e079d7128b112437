"""docs/heritage.md answers every row by a test that exists, or by a reason."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "heritage.md"
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
NOT_HERE = "Not here: "
SHORTEST_REASON = 30
SECTIONS = 5


def rows() -> list[list[str]]:
    """The cells of every row of every table, without headings."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[-1] != "shown by" and not set(row[0]) <= {"-"}]


def test_the_page_has_tables() -> None:
    """One for each source, and one for the hook of jobs."""
    assert PAGE.read_text().count("| shown by |\n|---|") == SECTIONS
    assert len(rows()) > 10 * SECTIONS


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:50])
def test_each_row_has_a_test_or_a_reason(row: list[str]) -> None:
    """A test is named by its file and its name, and is there."""
    named, answer = TEST.findall(row[-1]), row[-1]
    if not named:
        assert answer.startswith(NOT_HERE)
        assert len(answer) > SHORTEST_REASON
    for path, name in named:
        assert f"def {name}(" in (ROOT / path).read_text(), f"{path}::{name}"
