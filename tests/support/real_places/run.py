r"""A process that runs dbt, one invocation after the other, and may wait in every node's step.

    PYTHONPATH=tests/support python tests/support/real_places/run.py SPEC

SPEC is a file of JSON: the ``commands``, each with the ``files`` that are written before it; the
file ``report`` that then says what became of each; and, where it waits, ``step``, ``side`` and the
directory ``held``, in which each node that waits has a file, and goes on when that is removed.
"""

import json
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner

from ctas_spark.context import TableName
from ctas_spark.steps import Step, observe
from servers.processes import POLL_SECONDS


class WaitAt:
    """Lets every table wait, the first time that it gets to a side of a step."""

    def __init__(self, step: Step, side: str, held: Path) -> None:
        self._where = step, side
        self._held = held
        self._waited: set[str] = set()

    def entered(self, step: Step, target: TableName) -> None:
        """A step begins."""
        self._wait((step, "entered"), str(target))

    def left(self, step: Step, target: TableName) -> None:
        """A step has ended."""
        self._wait((step, "left"), str(target))

    def _wait(self, where: tuple[Step, str], table: str) -> None:
        if where != self._where or table in self._waited:
            return
        self._waited.add(table)
        (file := self._held / table).touch()
        while file.exists():
            time.sleep(POLL_SECONDS)


def invoked(command: list[str], files: dict[str, str]) -> dict[str, Any]:
    """Whether an invocation succeeded, each node's status and message, and what it logged."""
    for path, text in files.items():
        Path(path).write_text(text)
    lines: list[str] = []
    runner = dbtRunner(callbacks=[lambda event: lines.append(str(event.info.msg))])  # type: ignore[attr-defined]  # protobuf
    outcome = runner.invoke(command)
    results: Any = getattr(outcome.result, "results", ())
    ran = [one for one in results if hasattr(one, "node")]
    nodes = {one.node.name: [str(one.status), str(one.message)] for one in ran}
    said = "\n".join([*lines, *([str(outcome.exception)] if outcome.exception else [])])
    return {"success": outcome.success, "nodes": nodes, "log": said}


def main() -> None:
    """Run all, then report."""
    spec = json.loads(Path(sys.argv[1]).read_text())
    waits: AbstractContextManager[None] = nullcontext()
    if spec["step"]:
        waits = observe(WaitAt(Step(spec["step"]), spec["side"], Path(spec["held"])))
    with waits:
        report = [invoked(one["command"], one["files"]) for one in spec["commands"]]
    Path(spec["report"]).write_text(json.dumps(report))
    sys.exit(not all(one["success"] for one in report))


if __name__ == "__main__":
    main()
