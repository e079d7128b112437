"""One run that gets a signal, what it said, what is there then, and what the next run leaves."""

import json
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from faults.numbered import SWEEP_ALL, Numbered
from faults.other_process import LOG, WITHIN, OtherRun, other_dbt
from faults.several import TABLES, Said
from faults.signal_moments import CountingProxy, Moment, Span
from faults.surplus import UNFINISHED, Surplus, surplus

STILL_MS = 1
SLEEP_MS = 300


@dataclass(frozen=True, slots=True)
class Signalled:
    """One signal, and what came of it.

    ``code`` is the run's exit code; ``jvm_seconds``, how long its JVM was there after dbt.
    """

    sent: signal.Signals
    moment: Moment
    code: int
    published: int
    canceled: int
    jvm_seconds: float
    violations: list[str]
    surplus: Surplus


@dataclass(frozen=True, slots=True)
class Trial:
    """The project that all runs build, behind the proxy that sees their calls."""

    numbered: Numbered
    proxy: CountingProxy

    def undisturbed(self, number: int) -> Span:
        """How long a run takes without a signal."""
        self.proxy.begin(0)
        started = time.monotonic()
        with self._run(number) as run:
            assert run.process.wait(WITHIN) == 0, run.log.read_text()
        return Span(time.monotonic() - started, self.proxy.count)

    def signalled(self, number: int, sent: signal.Signals, moment: Moment) -> Signalled | None:
        """A run that gets a signal, and the next one; None if the first was over before."""
        with self._run(number) as run:
            if not moment.send(run, self.proxy, lambda: run.send(sent)):
                return None
            run.process.wait(WITHIN)
            ended, at_exit = time.monotonic(), self._files()
            code = run.ended()
            jvm_seconds = time.monotonic() - ended
            said = Said(run.log.read_text(), self._results)
        violations = list(_still_at_work(at_exit, self._files()))
        violations += said.violations(self.numbered, number)
        published = sum(self.numbered.number(table) == number for table in TABLES)
        canceled = sum(map(said.cancels, TABLES))
        violations += self._next_run(number + 1)
        violations += self._vacuum()
        left = surplus(self.numbered.outside, self._live())
        if left != Surplus():
            violations.append(f"left after the next run and a vacuum: {left}")
        return Signalled(
            sent, moment, code, published, canceled, round(jvm_seconds, 2), violations, left
        )

    def _run(self, number: int) -> AbstractContextManager[OtherRun]:
        self._results.unlink(missing_ok=True)
        (self.numbered.project.directory / LOG).unlink(missing_ok=True)
        return other_dbt(self.numbered.project, v=number, ms=SLEEP_MS)

    def _next_run(self, number: int) -> Iterator[str]:
        run = self.numbered.project.dbt("run", v=number, ms=STILL_MS)
        if not run.success:
            yield f"the next run failed: {run.log}"
        built = {table: self.numbered.number(table) for table in TABLES}
        if set(built.values()) != {number}:
            yield f"after the next run, which built {number}: {built}"

    def _vacuum(self) -> Iterator[str]:
        run = self.numbered.project.dbt(
            "run-operation", "ctas_vacuum", f"--args={json.dumps(SWEEP_ALL)}"
        )
        if not run.success:
            yield f"the vacuum failed: {run.log}"

    def _live(self) -> dict[str, set[str]]:
        return {table: {self.numbered.version(table)} for table in TABLES}

    def _files(self) -> dict[Path, tuple[int, int]]:
        stats = {path: path.stat() for path in self.numbered.files() if path.is_file()}
        return {path: (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}

    @property
    def _results(self) -> Path:
        return self.numbered.project.directory / "target" / "run_results.json"


def _still_at_work(
    at_exit: dict[Path, tuple[int, int]], later: dict[Path, tuple[int, int]]
) -> Iterator[str]:
    """What a task changed after dbt's exit, or had not finished by then."""
    changed = at_exit.items() ^ later.items()
    if changed:
        yield f"changed after dbt's exit: {sorted({str(path) for path, _ in changed})}"
    if any(UNFINISHED in path.parts for path in at_exit):
        yield "a task's files were there at dbt's exit"
