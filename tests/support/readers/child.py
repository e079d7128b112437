"""One script of this package as a process, followed through its journal."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readers.journal import entries
from servers.processes import start, stop, tail, wait_until

SUPPORT = Path(__file__).parents[1]
READY_WITHIN_SECONDS = 300.0


class ChildEndedError(Exception):
    """A process ended before it was told to; the message ends with what it printed."""


@dataclass(frozen=True, slots=True)
class Child:
    """A running script; its journal begins with a line that says it is ready."""

    name: str
    process: subprocess.Popen[str]
    journal: Path
    log: Path

    def lines(self) -> list[dict[str, Any]]:
        """Return what the process reported so far, without the ready line."""
        return entries(self.journal)[1:]

    def is_ready(self) -> bool:
        """Tell whether the process has reported that it is ready."""
        return bool(entries(self.journal))

    def tell(self, line: str) -> None:
        """Send ``line`` to the process."""
        if self.process.stdin is None:
            raise ValueError(f"{self.name} has no stdin")
        print(line, file=self.process.stdin, flush=True)

    def wait_for_lines(self, count: int, within: float) -> None:
        """Wait until the process has reported ``count`` times."""
        self.wait_until(lambda: len(self.lines()) >= count, within, f"{count} reports")

    def wait_until(self, condition: Callable[[], bool], within: float, what: str) -> None:
        """Wait for ``condition``; raise ChildEndedError if the process ends before."""
        wait_until(lambda: condition() or self._is_over(), within, f"{self.name}, {what}")

    def _is_over(self) -> bool:
        if self.process.poll() is None:
            return False
        raise ChildEndedError(
            f"{self.name} ended with code {self.process.returncode}:\n{tail(self.log)}"
        )


@contextmanager
def running_child(
    name: str,
    script: str,
    arguments: Sequence[str],
    directory: Path,
    launcher: Sequence[str | Path] = (sys.executable,),
) -> Iterator[Child]:
    """Run ``script``; journal, log and scratch files lie in ``directory``/``name``."""
    home = directory / name
    home.mkdir(parents=True)
    journal, log = home / "journal.jsonl", home / "output.log"
    command = [*launcher, str(Path(__file__).parent / script), *arguments]
    process = start(
        [*command, "--out", str(journal)],
        log,
        reads_stdin=True,
        cwd=home,
        env=_environment(home),
    )
    try:
        yield Child(name, process, journal, log)
    finally:
        stop(process)


def _environment(home: Path) -> dict[str, str]:
    return {
        "PYTHONPATH": str(SUPPORT),
        "TMPDIR": str(home),
        "SPARK_LOCAL_DIRS": str(home),
        "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={home} -XX:-UsePerfData",
    }


def wait_ready(child: Child) -> None:
    """Wait until ``child`` has a session."""
    child.wait_until(child.is_ready, READY_WITHIN_SECONDS, "getting ready")
