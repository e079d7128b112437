"""dbt-spark's own tests, from a checkout of dbt-adapters, on this adapter: none is skipped.

PYTHONPATH=tests/support python -m conformance.dbt_spark CHECKOUT [--json FILE] [PYTEST ...]

PYTEST are options of pytest, such as files below ``CHECKOUT/dbt-spark/tests/functional``.
"""

import argparse
import importlib
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance.profile import profile

PROFILE = "spark_session"
TARGET = f"{PROFILE}_target"
HOST = "DBT_DATABRICKS_HOST_NAME"
"""Without it their fixtures can't be imported; no session needs it."""
SKIPPED_FOR_PROFILE = "skip_profile"
WORST_FIRST = ("failed", "passed", "skipped")


class OnThisAdapter:
    """A plugin for pytest: this adapter's profile, and what became of each class."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.states: dict[str, str] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Give the session's profile to the tests, and skip none of them for it."""
        profiles = importlib.import_module("tests.functional.fixtures.profiles")
        setattr(profiles, TARGET, lambda: profile(self._place))
        for node in {node for item in items for node in item.listchain()}:
            kept = [mark for mark in node.own_markers if mark.name != SKIPPED_FOR_PROFILE]
            node.own_markers[:] = kept

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A class fails if one of its tests does; dbt-spark itself skips some."""
        path, _, name = report.nodeid.partition("::")
        key = f"{Path(path).stem}.{name.partition('::')[0]}"
        if report.when == "call" or not report.passed:
            before = self.states.get(key, report.outcome)
            self.states[key] = min(before, report.outcome, key=WORST_FIRST.index)


def rows(states: Mapping[str, str]) -> list[str]:
    """The counts as Markdown, by the module of dbt-spark."""
    kinds = ("passed", "failed", "skipped")
    counts = {
        kind: Counter(name.partition(".")[0] for name, state in states.items() if state == kind)
        for kind in kinds
    }
    modules = Counter(name.partition(".")[0] for name in states)
    lines = [f"| module | classes | {' | '.join(kinds)} |", "|---" * 5 + "|"]
    for module, total in sorted(modules.items()):
        numbers = " | ".join(str(counts[kind][module]) for kind in kinds)
        lines.append(f"| {module} | {total} | {numbers} |")
    totals = " | ".join(str(counts[kind].total()) for kind in kinds)
    return [*lines, f"| **all** | {modules.total()} | {totals} |"]


def main() -> None:
    """Run them and print the table."""
    parser = argparse.ArgumentParser(description="Run dbt-spark's own tests on this adapter.")
    parser.add_argument("checkout", type=Path, help="of dbt-adapters")
    parser.add_argument(
        "--json", type=Path, help="a file for the state of each class; keeps that of the others"
    )
    asked, options = parser.parse_known_args()
    root = asked.checkout.resolve() / "dbt-spark"
    where = [f"--rootdir={root}", f"--confcutdir={root}", "--override-ini=addopts="]
    options = options or [str(root / "tests" / "functional")]
    os.environ.setdefault(HOST, "nowhere")
    with tempfile.TemporaryDirectory() as place:
        suite = OnThisAdapter(Path(place))
        how = ["-q", "--tb=short", f"--profile={PROFILE}", "-p", "no:cacheprovider", *where]
        pytest.main([*how, *options], plugins=[suite])
    found = suite.states
    if asked.json:
        before = json.loads(asked.json.read_text("utf-8")) if asked.json.exists() else {}
        found = {**before, **found}
        asked.json.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")
    sys.stdout.write("\n".join(rows(found)) + "\n")


if __name__ == "__main__":
    main()
