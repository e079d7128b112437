"""The process of a warm Spark: it starts Spark, lets runs in, and ends when nobody needs it.

It reads its order as JSON, and answers with one line: that it is ready, or why it could not start.
"""

import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from subprocess import TimeoutExpired
from typing import Any, cast

import pyspark

from ..engines.java_options import LOG
from ..engines.launch import launch_spark
from ..engines.start import START
from . import sockets
from .client_runs import ClientRuns
from .needs import Digests, differing

ATTACH, STOP = "attach", "stop"
TICK_SECONDS = 0.5
GRACE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Order:
    """What a warm Spark is to be. ``settings`` are complete; paths are absolute.

    ``digests`` are of the needs of runs that may use it. ``database`` is the embedded metastore,
    without which it is of no use; empty if it has none.
    """

    settings: dict[str, str]
    digests: dict[str, Digests]
    logs: str
    project: str
    database: str
    idle_seconds: float
    uses_metastore: bool

    @property
    def text(self) -> str:
        return json.dumps(asdict(self))


class Idle:
    """How long nobody has been there."""

    def __init__(self, limit_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit, self._clock = limit_seconds, clock
        self._present = 0
        self._since = clock()
        self._guard = threading.Lock()

    @contextmanager
    def interrupted(self) -> Iterator[None]:
        """Somebody is there while the block runs."""
        with self._guard:
            self._present += 1
        try:
            yield
        finally:
            with self._guard:
                self._present -= 1
                self._since = self._clock()

    @property
    def is_over(self) -> bool:
        with self._guard:
            return not self._present and self._clock() - self._since >= self._limit


class Resident:
    """A started Spark, and the runs that use it."""

    def __init__(self, order: Order, runs: ClientRuns, path: Path) -> None:
        self.order, self.runs, self.path = order, runs, path
        self.idle = Idle(order.idle_seconds)
        self._terminated = threading.Event()
        self._is_closing = False

    @property
    def greeting(self) -> sockets.Message:
        return {
            "pid": os.getpid(),
            "log": str(Path(self.order.logs, LOG)),
            "directory": str(Path.cwd()),
            "database": self.order.database,
            "runs": self.runs.processes,
        }

    def differs_in(self, run: sockets.Message) -> tuple[list[str], list[str]]:
        """What a run has differently: what its session may have so, and what it may not."""
        ours = self.order.digests
        settings = differing(ours["settings"], run["settings"])
        modifiable = [name for name in settings if self.runs.may_set(name)]
        static = [name for name in settings if name not in modifiable]
        return modifiable, [*differing(ours["surroundings"], run["surroundings"]), *static]

    def stop(self) -> list[int]:
        """Let nobody in any more, and end with the last run; the processes of those."""
        self._is_closing = True
        self.path.unlink(missing_ok=True)
        return self.runs.processes

    def terminate(self, *_: object) -> None:
        """End at once."""
        self._terminated.set()

    def wait(self) -> None:
        """Return when it is to end."""
        while not (self._terminated.wait(TICK_SECONDS) or self._is_useless()):
            pass

    def _is_useless(self) -> bool:
        if self._is_closing:
            return not self.runs.processes
        return self.idle.is_over or self._is_broken()

    def _is_broken(self) -> bool:
        """True if no run could use it: its Spark has ended, or what it is made of is gone."""
        needed = [str(self.path), pyspark.__file__, self.order.database]
        return not all(map(os.path.exists, filter(None, needed))) or self.runs.spark_has_ended()


class Handler(StreamRequestHandler):
    """One visit: that of a run lasts as long as the run."""

    @property
    def resident(self) -> Resident:
        return cast("Server", self.server).resident

    def handle(self) -> None:
        self._say(self.resident.greeting)
        if not (said := self.rfile.readline()):
            return
        message = json.loads(said)
        if message["do"] == STOP:
            self._say({"runs": self.resident.stop()})
            threading.Event().wait()  # the visitor waits for the end of this process
        elif message["do"] == ATTACH:
            self._attach(message)

    def _attach(self, message: sockets.Message) -> None:
        own, others = self.resident.differs_in(message)
        if others:
            self._say({"differs": others})
            return
        with self.resident.idle.interrupted(), self.resident.runs.admitted(message) as admitted:
            self._say({"differs": [], "set": own, **admitted})
            self.rfile.read()  # until the run has ended, in whatever way

    def _say(self, message: sockets.Message) -> None:
        self.wfile.write(sockets.line(message).encode())
        self.wfile.flush()


class Server(ThreadingUnixStreamServer):
    """Listens where ``sockets`` looks."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, path: Path) -> None:
        self.resident: Resident
        with sockets.short(path) as name:
            super().__init__(name, Handler)
        path.chmod(0o600)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A visitor that goes away is no error; any other is told in the console's log."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def live(order: Order, say: Callable[[sockets.Message], None]) -> None:
    """Start Spark, say that it is ready, let runs in until the end."""
    signal.signal(signal.SIGTERM, lambda *_: START.end() or sys.exit())
    spark = launch_spark(
        order.settings, order.logs, project=Path(order.project), uses_metastore=order.uses_metastore
    )
    path = sockets.own_path()
    server = Server(path)
    try:
        server.resident = resident = Resident(order, ClientRuns(spark), path)
        signal.signal(signal.SIGTERM, resident.terminate)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        say({"pid": os.getpid()})
        resident.wait()
    finally:
        path.unlink(missing_ok=True)
        end(spark)
        shutil.rmtree(path.with_suffix(sockets.LOCKS), ignore_errors=True)


def end(spark: Any) -> None:
    """End the JVM, and wait for that: a visitor that waits for our end waits for Spark's, too."""
    gateway = spark.sparkContext._gateway  # noqa: SLF001 (PySpark has no public way to its JVM)
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(GRACE_SECONDS)
    except TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()


def main() -> None:
    """Run as the order says; afterwards nobody reads what is written."""
    order = Order(**json.loads(sys.stdin.read()))

    def say(message: sockets.Message) -> None:
        sys.stdout.write(sockets.line(message))
        sys.stdout.flush()
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), sys.stdout.fileno())

    try:
        live(order, say)
    except Exception as error:  # noqa: BLE001 (whoever waits for the line is to know)
        say({"failed": str(error)})
        sys.exit(1)
