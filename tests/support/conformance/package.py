"""The integration tests of a package for dbt, on this adapter: what passes of each kind of node.

PYTHONPATH=tests/support python -m conformance.package PROJECT [--over METHOD] [--stock]
    [--json FILE] [DBT ...]

PROJECT is a directory of the package's checkout, such as ``integration_tests``. METHOD is
``thrift`` or ``connect``: a server with a metastore server on Derby, both with default settings.
DBT are options of each dbt command, such as ``--exclude a_model``.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from dbt.cli.main import dbtRunner

from conformance.profile import profile, profile_over
from servers.remote import server_of_files

COMMANDS = (["seed", "--full-refresh"], ["run", "--full-refresh"], ["snapshot"], ["test"])
GOOD = {"success", "pass", "no-op"}
Results = Mapping[str, str]


def main() -> None:
    """Run the project's commands, and print the table."""
    parser = argparse.ArgumentParser(description="Run a package's integration tests, and count.")
    parser.add_argument("project", type=Path)
    parser.add_argument("--over", choices=["thrift", "connect"], help="a server to run it on")
    parser.add_argument("--stock", action="store_true", help="run stock dbt-spark instead of ours")
    parser.add_argument("--json", type=Path, help="a file for the state of each node")
    asked, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as place, _output(asked, Path(place)) as output:
        _write_profile(asked.project, Path(place), output)
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


@contextmanager
def _output(asked: argparse.Namespace, place: Path) -> Iterator[dict[str, object]]:
    if asked.over is None:
        yield profile(place, stock=asked.stock)
        return
    with server_of_files(place) as servers:
        yield profile_over(asked.over, *servers, stock=asked.stock)


def _write_profile(project: Path, place: Path, output: Mapping[str, object]) -> None:
    """The project's own profile, whatever it is called, with one output."""
    config = yaml.safe_load((project / "dbt_project.yml").read_text("utf-8"))
    outputs = {"tested": {**output, "schema": "package"}}
    written = {config["profile"]: {"target": "tested", "outputs": outputs}}
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
