"""A dbt run in a process group of its own: a Python process and its JVM."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from functional.dbt_project import Project
from servers.processes import is_there, start, tail, wait_until, with_tests

SUPPORT = Path(__file__).parents[1]
REACHED = "reached"
LOG = "other.log"
DBT = Path(sys.executable).with_name("dbt")
WITHIN = 300.0


@dataclass(frozen=True, slots=True)
class OtherRun:
    """A running ``dbt run``."""

    process: subprocess.Popen[str]
    reached: Path
    log: Path

    def wait_until_stopped(self) -> None:
        """Wait until the run stands at its step."""
        self.wait_until(self.reached.exists, "its step")

    def wait_until(self, happened: Callable[[], bool], what: str) -> None:
        """Wait for an event while the run goes on."""
        assert self.happens(happened, what), f"the run ended before {what}:\n{tail(self.log)}"

    def happens(self, happened: Callable[[], bool], what: str) -> bool:
        """Wait for an event; False if the run ended without it."""
        wait_until(lambda: happened() or self._is_over(), WITHIN, what)
        return happened()

    def ended(self) -> int:
        """Wait for the run's end and that of its JVM; its exit code."""
        code = self.process.wait(WITHIN)
        wait_until(lambda: not is_there(self.process.pid), WITHIN, "the end of its JVM")
        return code

    def send(self, number: signal.Signals) -> None:
        """Send a signal to dbt alone, as most supervisors do."""
        os.kill(self.process.pid, number)

    def go_on(self) -> None:
        """Leave the step."""
        self.reached.unlink()

    def kill(self) -> None:
        """kill -9, both at once, as when their host goes down."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.ended()

    def _is_over(self) -> bool:
        return self.process.poll() is not None


@contextmanager
def other_run(project: Project, *stop_at: str, **variables: object) -> Iterator[OtherRun]:
    """Start ``dbt run``, which stops at ``--step`` and ``--side``."""
    home = project.directory
    script = Path(__file__).with_name("stopping_run.py")
    command = project.command("run", **variables)
    with started(
        home, [sys.executable, script, *stop_at, "--out", home / REACHED, "--", *command]
    ) as run:
        yield run


@contextmanager
def other_dbt(project: Project, *arguments: str, **variables: object) -> Iterator[OtherRun]:
    """Start the command ``dbt run``, or another, which takes signals as from a terminal.

    A shell without a terminal starts what runs in its background with SIGINT ignored.
    """
    command = project.command(*(arguments or ["run"]), **variables)
    with started(project.directory, ["env", "--default-signal=INT,TERM", DBT, *command]) as run:
        yield run


@contextmanager
def started(home: Path, command: Sequence[str | Path]) -> Iterator[OtherRun]:
    """Start a command in a project's directory; what is left of it ends with the block."""
    (home / REACHED).unlink(missing_ok=True)
    log = home / LOG
    process = start(command, log, cwd=home, env=with_tests())
    try:
        yield OtherRun(process, home / REACHED, log)
    finally:
        if is_there(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
