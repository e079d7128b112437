"""Where what a run says of its models differs from what there is, the judge of signals says so."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from faults.several import TABLES, Said

OLD, NEW = 1, 2
REPORTED = "1 of 4 OK created sql atomic_table model s.first ..... [3 rows published in 1s]"
CANCELED = "CANCEL query model.tested.first ........ [CANCEL]"


@dataclass(frozen=True, slots=True)
class OnlyFirst:
    """The first table may be new, the others are old."""

    first: int

    def number(self, table: str) -> int:
        return self.first if table == TABLES[0] else OLD

    def version(self, table: str) -> str:
        return f"{'new' if self.number(table) == NEW else 'old'}_{table}"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Where run_results.json would be."""
    return tmp_path / "run_results.json"


@pytest.mark.parametrize(("console", "first"), [(REPORTED, NEW), (CANCELED, OLD), ("", OLD)])
def test_the_truth_is_no_violation(results: Path, console: str, first: int) -> None:
    """Published and reported so, cancelled and reported so, nothing done and nothing said."""
    assert list(Said(console, results).violations(OnlyFirst(first), NEW)) == []


@pytest.mark.parametrize(
    ("console", "first", "violation"),
    [
        ("", NEW, "first is published, and was not reported as published"),
        (f"{REPORTED}\n{CANCELED}", NEW, "first is published, and was reported as cancelled"),
        (REPORTED, OLD, "first was reported as published, and is not"),
    ],
)
def test_what_is_not_true_is_one(results: Path, console: str, first: int, violation: str) -> None:
    """A report that is missing, one of a cancel, and one of a publication that never was."""
    assert list(Said(console, results).violations(OnlyFirst(first), NEW)) == [violation]


@pytest.mark.parametrize(("status", "first"), [("success", OLD), ("skipped", NEW)])
def test_a_status_that_is_not_true_is_one(results: Path, status: str, first: int) -> None:
    """run_results.json counts as what the run said, too."""
    written(results, status, "new_first")
    (violation,) = Said("", results).violations(OnlyFirst(first), NEW)
    assert violation == f"first has status {status}; it is published: {first == NEW}"


def test_a_version_that_is_not_there_is_one(results: Path) -> None:
    """What run_results.json names has to be what the table shows."""
    written(results, "success", "old_first")
    (violation,) = Said("", results).violations(OnlyFirst(NEW), NEW)
    assert violation == "first has another version than old_first, which was reported"


def written(results: Path, status: str, version: str) -> None:
    """run_results.json of the first table alone."""
    response = {"version": version}
    said = {"unique_id": "model.tested.first", "status": status, "adapter_response": response}
    results.write_text(json.dumps({"results": [said]}))
