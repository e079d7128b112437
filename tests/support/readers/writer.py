r"""A process that rebuilds a dbt project: a version for each number on its stdin.

    PYTHONPATH=tests/support python tests/support/readers/writer.py --project DIR --out FILE

The first line of FILE says that dbt is loaded, each further one is a commit. One
process means one Spark session for all versions. It ends when its stdin closes.

A commit's time is that of its commit step, where the adapter has one; else that of
the whole invocation.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from dbt.artifacts.schemas.run import RunExecutionResult
from dbt.cli.main import dbtRunner, dbtRunnerResult

from ctas_spark.context import TableName
from ctas_spark.steps import Step, observe
from functional.quick_dbt import quicken_dbt
from readers.content import select_sql
from readers.journal import Commit, append


class CommitTimes:
    """When the commit step of the last publication began and ended."""

    def __init__(self) -> None:
        self.seen: dict[str, float] = {}

    def entered(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (observer's shape)
        """Note the beginning."""
        if step is Step.COMMIT:
            self.seen = {"started": time.monotonic()}

    def left(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (observer's shape)
        """Note the end."""
        if step is Step.COMMIT:
            self.seen["ended"] = time.monotonic()


def main() -> None:
    """Rebuild until told to stop."""
    options = _options()
    quicken_dbt()
    runner = dbtRunner()
    with options.out.open("a") as journal:
        append(journal, {"ready": time.monotonic()})
        for line in _told(submitted=options.submitted):
            append(journal, _rebuild(runner, options.project, int(line), same=options.same))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--same", action="store_true", help="one schema for all versions")
    parser.add_argument("--submitted", action="store_true", help="spark-submit has started it")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def _told(*, submitted: bool) -> Iterable[str]:
    """The lines of stdin; spark-submit keeps its own, and its JVM is the parent."""
    return Path(f"/proc/{os.getppid()}/fd/0").open() if submitted else sys.stdin


def _rebuild(runner: dbtRunner, project: Path, version: int, *, same: bool) -> Commit:
    times = CommitTimes()
    started = time.monotonic()
    with observe(times):
        result = runner.invoke(_arguments(project, version, same=same))
    invocation = {"started": started, "ended": time.monotonic()}
    if not result.success:
        sys.exit(f"version {version} was not built: {result.exception or _messages(result)}")
    seen = times.seen or invocation
    return _as_said(Commit(version, seen["started"], seen["ended"]), result)


def _messages(result: dbtRunnerResult) -> list[str]:
    assert isinstance(result.result, RunExecutionResult)
    return [str(one.message) for one in result.result.results]


def _as_said(commit: Commit, result: dbtRunnerResult) -> Commit:
    """With what this adapter's response says of readers; any other adapter's says nothing."""
    assert isinstance(result.result, RunExecutionResult)
    response = result.result.results[0].adapter_response
    if "reader_window" not in response:
        return commit
    level, window = response["atomicity"], response["reader_window"]
    return replace(commit, level=level, reader_window=window)


def _arguments(project: Path, version: int, *, same: bool) -> list[str]:
    values = {"v": version, "select_sql": select_sql(version, same=same)}
    return [
        "--no-send-anonymous-usage-stats",
        "--no-version-check",
        "--no-use-colors",
        "run",
        f"--project-dir={project}",
        f"--profiles-dir={project}",
        f"--vars={json.dumps(values)}",
    ]


if __name__ == "__main__":
    main()
