r"""A dbt invocation that stops at a named step and waits there to be killed, or to go on.

    PYTHONPATH=tests/support python tests/support/faults/stopping_run.py \
        --step commit --side entered --out FILE -- run --project-dir DIR ...

FILE is there as soon as it has stopped. Without ``--step`` it stops nowhere. With ``--goes-on`` it
goes on once there is a file ``go-on`` beside FILE.
"""

import argparse
import sys
import threading
from pathlib import Path

from dbt.cli.main import dbtRunner

from ctas_spark.context import TableName
from ctas_spark.steps import Step, observe
from servers.processes import POLL_SECONDS


class StopAt:
    """Says that a step is reached, and does not let it go on before it may, if ever."""

    def __init__(
        self, step: Step | None, side: str, reached: Path, *, goes_on: bool = False
    ) -> None:
        self._where = (step, side)
        self._reached = reached
        self._goes_on = goes_on

    def entered(self, step: Step, target: TableName) -> None:
        """Stop before the step does anything."""
        self._stop_at((step, "entered"), target)

    def left(self, step: Step, target: TableName) -> None:
        """Stop when the step's effects are there."""
        self._stop_at((step, "left"), target)

    def _stop_at(self, where: tuple[Step, str], target: TableName) -> None:
        if where == self._where:
            self._reached.write_text(str(target))
            while not (self._goes_on and self._reached.with_name("go-on").exists()):
                threading.Event().wait(POLL_SECONDS)


def main() -> None:
    """Run dbt."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--step", type=Step)
    parser.add_argument("--side", choices=["entered", "left"], default="entered")
    parser.add_argument("--goes-on", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("dbt", nargs="+")
    options = parser.parse_args()
    with observe(StopAt(options.step, options.side, options.out, goes_on=options.goes_on)):
        sys.exit(0 if dbtRunner().invoke(options.dbt).success else 1)


if __name__ == "__main__":
    main()
