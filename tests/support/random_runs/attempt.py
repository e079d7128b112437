"""One ``dbt run`` of the soak: a process that may be killed or signalled at a random moment."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from readers.content import select_sql
from readers.project import NAME
from servers.processes import is_there, start, stop

PUBLISHED = re.compile(rf"\.{NAME}: published as version (\d{{8}}t\d{{6}}x[0-9a-f]{{8}})")
CANCELED = f"CANCEL query model.{NAME}.{NAME}"
UNKNOWN = "outcome: it is not known"
REFUSED = "outcome: nothing was published"
JVM_ENDS_WITHIN_SECONDS = 120.0
GIVEN_UP_AFTER_SECONDS = 600.0
POLL_SECONDS = 0.1
RUN = ("run",)
BEGINS = " START "


class Fate(str, Enum):
    """What happens to a run."""

    LIVES = "left alone"
    KILLED = "kill -9"
    TERMINATED = "SIGTERM"
    INTERRUPTED = "SIGINT"
    HUNG = "hung, and given up"


class Told(str, Enum):
    """What a run said of its model before it ended."""

    PUBLISHED = "published"
    UNKNOWN = "unknown"
    REFUSED = "refused"
    CANCELED = "canceled"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that has ended; times in seconds of CLOCK_MONOTONIC.

    ``met`` is its fate, if that came before its end; ``outlived`` says that a process of its group
    was still there long after dbt had exited; ``code`` is dbt's exit code; ``version`` is the one
    that its log file says it has published.
    """

    number: int
    met: Fate
    started: float
    ended: float
    log: str
    outlived: bool
    code: int = 0
    version: str | None = None

    @property
    def told(self) -> Told:
        """The strongest of what it said."""
        if self.version:
            return Told.PUBLISHED
        signs = {UNKNOWN: Told.UNKNOWN, REFUSED: Told.REFUSED, CANCELED: Told.CANCELED}
        return next((told for sign, told in signs.items() if sign in self.log), Told.NOTHING)

    @property
    def is_said_to_be_canceled(self) -> bool:
        """True if it reported its model as cancelled, whatever else it said."""
        return CANCELED in self.log


class Attempt:
    """A running dbt of version ``number``, whose fate comes ``after`` so many seconds.

    They are counted from when so many nodes have ``begun``, as its log says.
    """

    def __init__(  # noqa: PLR0913, PLR0917 (what a run is, and what happens to it)
        self,
        project: Path,
        number: int,
        fate: Fate,
        after: float,
        variables: Mapping[str, object],
        command: Sequence[str] = RUN,
        begun: int = 0,
    ) -> None:
        self._number = number
        self._fate = fate
        self._met = Fate.LIVES
        self._log = project / f"run-{number}.log"
        self._file = project / f"logs-{number}" / "dbt.log"
        self._started = time.monotonic()
        self._after, self._begun = after, begun
        self._due = math.inf if begun else self._started + after
        self._exited: float | None = None
        self._process = _dbt(project, number, variables, command, self._log)

    def looked_at(self) -> Ended | None:
        """Let its fate come when it is time; what became of it, once it has ended."""
        if self._process.poll() is None:
            now = time.monotonic()
            if self._due == math.inf and self._log.read_text().count(BEGINS) >= self._begun:
                self._due = now + self._after
            if now > self._started + GIVEN_UP_AFTER_SECONDS:
                self._met = Fate.HUNG
                self.end()
            elif self._met is not self._fate and now > self._due:
                self._met = self._fate
                _meet(self._process, self._fate)
            return None
        self._exited = self._exited or time.monotonic()
        outlived = is_there(self._process.pid)
        if outlived and time.monotonic() < self._exited + JVM_ENDS_WITHIN_SECONDS:
            return None
        stop(self._process)
        text = self._log.read_text(errors="replace")
        code = self._process.wait()
        times = self._started, self._exited
        return Ended(self._number, self._met, *times, text, outlived, code, published(self._file))

    def wait(self) -> Ended:
        """What became of it; it does not outlive the wait."""
        try:
            while (ended := self.looked_at()) is None:
                time.sleep(POLL_SECONDS)
        finally:
            self.end()
        return ended

    def end(self) -> None:
        """End it and its JVM, whatever it does."""
        stop(self._process, grace=0)


def published(file: Path) -> str | None:
    """The version that a run published, by the log file of its dbt."""
    found = PUBLISHED.search(file.read_text(errors="replace")) if file.exists() else None
    return found[1] if found else None


def _dbt(
    project: Path,
    number: int,
    variables: Mapping[str, object],
    command: Sequence[str],
    log: Path,
) -> "subprocess.Popen[str]":
    """A process as from a terminal: without one, a shell would have SIGINT ignored."""
    values = {"v": number, "select_sql": select_sql(number, same=True), **variables}
    arguments: list[str | Path] = [
        *("--no-send-anonymous-usage-stats", "--no-version-check", "--no-use-colors"),
        *("--log-path", project / f"logs-{number}"),
        *command,
        *("--target-path", f"target-{number}"),
        *("--project-dir", project, "--profiles-dir", project, "--vars", json.dumps(values)),
    ]
    dbt = Path(sys.executable).with_name("dbt")
    process = ["env", "--default-signal=INT,TERM", dbt, *arguments]
    return start(process, log, cwd=project)


def _meet(process: "subprocess.Popen[str]", fate: Fate) -> None:
    with suppress(ProcessLookupError):
        if fate is Fate.KILLED:
            os.killpg(process.pid, signal.SIGKILL)
        elif fate is Fate.TERMINATED:
            os.kill(process.pid, signal.SIGTERM)
        else:
            os.kill(process.pid, signal.SIGINT)
