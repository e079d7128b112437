"""The table of dbt's suite: for each group, how many classes there are, pass and can't apply.

PYTHONPATH=tests/support python -m conformance.table [--stock] [--json FILE] [TEST ...]

With TEST, a file of tests/conformance, only its classes are run.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from conformance.not_applicable import NOT_APPLICABLE
from conformance.suite import classes, group, run_as, suite_class

TESTS = Path(__file__).parents[2] / "conformance"


class Outcomes:
    """A plugin for pytest: of each class that was run, whether all of its tests passed."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self.passed: dict[str, bool] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note which class of the suite each test is of."""
        for item in items:
            if isinstance(item, pytest.Function) and (name := suite_class(item.cls)):
                self._names[item.nodeid] = name

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what became of it: a test that is skipped does not pass."""
        if name := self._names.get(report.nodeid):
            self.passed[name] = self.passed.get(name, True) and report.passed


def states(passed: Mapping[str, bool]) -> dict[str, str]:
    """Of every class of the suite: passed, failed, not applicable, or missing."""
    found = {True: "passed", False: "failed", None: "missing"}
    return {
        name: "not applicable" if name in NOT_APPLICABLE else found[passed.get(run_as(name))]
        for name in classes()
    }


def rows(of_classes: Mapping[str, str]) -> Iterable[str]:
    """The table as Markdown."""
    kinds = ("passed", "not applicable", "failed", "missing")
    counts = {kind: _by_group(of_classes, kind) for kind in kinds}
    there = Counter(map(group, of_classes))
    yield f"| group | classes | {' | '.join(kinds)} |"
    yield "|---|---|---|---|---|---|"
    for name in sorted(there):
        numbers = (str(counts[kind][name]) for kind in kinds)
        yield f"| {name} | {there[name]} | {' | '.join(numbers)} |"
    totals = (str(counts[kind].total()) for kind in kinds)
    yield f"| **all** | {there.total()} | {' | '.join(totals)} |"


def _by_group(of_classes: Mapping[str, str], kind: str) -> Counter[str]:
    return Counter(group(name) for name, state in of_classes.items() if state == kind)


def main() -> None:
    """Run the suite and print the table."""
    parser = argparse.ArgumentParser(description="Run dbt's suite for adapters, and count.")
    parser.add_argument("--stock", action="store_true", help="run stock dbt-spark instead of ours")
    parser.add_argument(
        "--json", type=Path, help="a file for the state of each class; keeps that of the others"
    )
    parser.add_argument("tests", nargs="*", default=[str(TESTS)], help="for pytest")
    asked = parser.parse_args()
    outcomes = Outcomes()
    options = ["--stock"] if asked.stock else []
    pytest.main(["-q", "--tb=short", *options, *asked.tests], plugins=[outcomes])
    found = states(outcomes.passed)
    if asked.json:
        before = json.loads(asked.json.read_text("utf-8")) if asked.json.exists() else {}
        of_others = {name for name, state in found.items() if state == "missing"}
        found |= {name: state for name, state in before.items() if name in of_others}
        asked.json.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")
    sys.stdout.write("\n".join(rows(found)) + "\n")


if __name__ == "__main__":
    main()
