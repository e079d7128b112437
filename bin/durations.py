"""A pytest plugin: how long each test took, with its fixtures, as JSON in ``$TEST_DURATIONS``.

    python bin/durations.py DIRECTORY [--most N]    # the slowest of all files of a directory

The file is an object: the test's id -> seconds of set-up, call and tear-down together.
"""

import argparse
import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

_seconds: defaultdict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add one phase of a test."""
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish() -> None:
    """Write what was counted."""
    rounded = {test: round(seconds, 2) for test, seconds in _seconds.items()}
    Path(os.environ["TEST_DURATIONS"]).write_text(json.dumps(rounded, indent=0) + "\n", "utf-8")


def main() -> None:
    """Print the slowest tests of a run."""
    parser = argparse.ArgumentParser(description="The slowest tests of a run of ./check.")
    parser.add_argument("directory", type=Path, help="where the stages' files are")
    parser.add_argument("--most", type=int, default=10, help="how many (default: 10)")
    asked = parser.parse_args()
    tests: dict[str, float] = {}
    for file in asked.directory.glob("*.json"):
        tests |= json.loads(file.read_text("utf-8"))
    for test in sorted(tests, key=tests.__getitem__, reverse=True)[: asked.most]:
        print(f"{tests[test]:8.1f} s  {test}")


if __name__ == "__main__":
    main()
