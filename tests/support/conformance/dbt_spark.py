"""dbt-spark's own tests, from a checkout of dbt-adapters, on this adapter.

None is skipped for its profile. Where a class has statements, types or errors of dbt-spark's in its
fixtures, ``conformance.as_here`` has this adapter's.

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

from conformance.as_here import AS_HERE, NOT_HERE
from conformance.profile import profile

PROFILE = "spark_session"
TARGET = f"{PROFILE}_target"
HOST = "DBT_DATABRICKS_HOST_NAME"
"""Without it their fixtures can't be imported; no session needs it."""
SKIPPED_FOR_PROFILE = "skip_profile"
WORST_FIRST = ("failed", "passed", "skipped")
KINDS = ("passed", "not applicable", "failed", "skipped")


class OnThisAdapter:
    """A plugin for pytest: this adapter's profile, and what became of each class."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.states: dict[str, str] = {}

    def pytest_pycollect_makeitem(
        self, collector: pytest.Collector, name: str, obj: object
    ) -> pytest.Class | None:
        """A class with other fixtures than its own."""
        if name not in AS_HERE or not isinstance(obj, type):
            return None
        made = pytest.Class.from_parent(collector, name=name)
        made.obj = type(name, (AS_HERE[name], obj), {"__module__": obj.__module__})
        return made

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what can't apply; skip none for the profile, and give the tests ours."""
        profiles = importlib.import_module("tests.functional.fixtures.profiles")
        setattr(profiles, TARGET, lambda: profile(self._place))
        for item in list(items):
            name = _class_of(item.nodeid)
            if name.rpartition(".")[2] in NOT_HERE:
                self.states[name] = "not applicable"
                items.remove(item)
        for node in {node for item in items for node in item.listchain()}:
            kept = [mark for mark in node.own_markers if mark.name != SKIPPED_FOR_PROFILE]
            node.own_markers[:] = kept

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A class fails if one of its tests does; dbt-spark itself skips some."""
        name = _class_of(report.nodeid)
        if report.when == "call" or not report.passed:
            before = self.states.get(name, report.outcome)
            self.states[name] = min(before, report.outcome, key=WORST_FIRST.index)


def _class_of(node: str) -> str:
    path, _, name = node.partition("::")
    return f"{Path(path).stem}.{name.partition('::')[0]}"


def rows(states: Mapping[str, str]) -> list[str]:
    """The counts as Markdown, by the module of dbt-spark."""
    counts = {
        kind: Counter(name.partition(".")[0] for name, state in states.items() if state == kind)
        for kind in KINDS
    }
    modules = Counter(name.partition(".")[0] for name in states)
    lines = [f"| module | classes | {' | '.join(KINDS)} |", "|---" * 6 + "|"]
    for module, total in sorted(modules.items()):
        numbers = " | ".join(str(counts[kind][module]) for kind in KINDS)
        lines.append(f"| {module} | {total} | {numbers} |")
    totals = " | ".join(str(counts[kind].total()) for kind in KINDS)
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
