r"""A dbt invocation that stops at a named step and waits there to be killed, or told to go on.

    PYTHONPATH=tests/support python tests/support/faults/stopping_run.py \
        --step commit --side entered --out FILE -- run --project-dir DIR ...

FILE is there as soon as it has stopped; it goes on when FILE is removed. Without ``--step`` it
stops nowhere. It is the first node that stops, and the first two with ``--nodes 2``.
"""

import argparse
import sys
import threading
import time
from pathlib import Path

from dbt.cli.main import dbtRunner

from ctas_spark.context import TableName
from ctas_spark.steps import Step, observe
from functional.quick_dbt import quicken_dbt
from servers.processes import POLL_SECONDS


class StopAt:
    """Says that so many nodes have reached a step, and lets them go on when it is told so."""

    def __init__(self, step: Step | None, side: str, reached: Path, nodes: int = 1) -> None:
        self._where: tuple[Step | None, str] = step, side
        self._nodes = nodes
        self._stopped: list[str] = []
        self._lock = threading.Lock()
        self._reached = reached

    def entered(self, step: Step, target: TableName) -> None:
        """Stop before the step does anything."""
        self._stop_at((step, "entered"), target)

    def left(self, step: Step, target: TableName) -> None:
        """Stop when the step's effects are there."""
        self._stop_at((step, "left"), target)

    def _stop_at(self, where: tuple[Step, str], target: TableName) -> None:
        with self._lock:
            if where != self._where or len(self._stopped) == self._nodes:
                return
            self._stopped.append(str(target))
            if len(self._stopped) == self._nodes:
                self._reached.write_text("\n".join(self._stopped))
        while len(self._stopped) < self._nodes or self._reached.exists():
            time.sleep(POLL_SECONDS)


def main() -> None:
    """Run dbt."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--step", type=Step)
    parser.add_argument("--side", choices=["entered", "left"], default="entered")
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("dbt", nargs="+")
    options = parser.parse_args()
    quicken_dbt()
    with observe(StopAt(options.step, options.side, options.out, options.nodes)):
        sys.exit(0 if dbtRunner().invoke(options.dbt).success else 1)


if __name__ == "__main__":
    main()
