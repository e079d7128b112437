"""The integration tests of a package for dbt, on this adapter: what passes of each kind of node.

PYTHONPATH=tests/support python -m conformance.package PROJECT [--stock] [--json FILE] [DBT ...]

PROJECT is a directory of the package's checkout, such as ``integration_tests``. DBT are options of
each dbt command, such as ``--exclude a_model``.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from dbt.cli.main import dbtRunner

from conformance.profile import profile

COMMANDS = (["seed", "--full-refresh"], ["run", "--full-refresh"], ["snapshot"], ["test"])
GOOD = {"success", "pass", "no-op"}
Results = Mapping[str, str]


def main() -> None:
    """Run the project's commands, and print the table."""
    parser = argparse.ArgumentParser(description="Run a package's integration tests, and count.")
    parser.add_argument("project", type=Path)
    parser.add_argument("--stock", action="store_true", help="run stock dbt-spark instead of ours")
    parser.add_argument("--json", type=Path, help="a file for the state of each node")
    asked, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as place:
        _write_profile(asked.project, Path(place), stock=asked.stock)
        found = _results(asked.project, ["--profiles-dir", place, *options])
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")
    sys.stdout.write("\n".join(rows(found)) + "\n")


def rows(found: Results) -> Iterator[str]:
    """The counts as Markdown, and the nodes that did not pass."""
    kinds = [name.partition(".")[0] for name in found]
    passed = Counter(name.partition(".")[0] for name, state in found.items() if state in GOOD)
    yield "| kind | nodes | passed |"
    yield "|---|---|---|"
    for kind, total in Counter(kinds).items():
        yield f"| {kind} | {total} | {passed[kind]} |"
    yield from (f"- {name}: {state}" for name, state in found.items() if state not in GOOD)


def _write_profile(project: Path, place: Path, *, stock: bool) -> None:
    """The project's own profile, whatever it is called, with one output."""
    config = yaml.safe_load((project / "dbt_project.yml").read_text("utf-8"))
    output = {**profile(place, stock=stock), "schema": "package"}
    written = {config["profile"]: {"target": "tested", "outputs": {"tested": output}}}
    (place / "profiles.yml").write_text(json.dumps(written), "utf-8")


def _results(project: Path, options: Sequence[str]) -> dict[str, str]:
    os.chdir(project)
    dbtRunner().invoke(["deps", *options[:2]])
    states: dict[str, str] = {}
    for command in COMMANDS:
        answer: Any = dbtRunner().invoke([*command, *options]).result
        for result in getattr(answer, "results", []):
            states[result.node.unique_id] = str(result.status)
    return states


if __name__ == "__main__":
    main()
