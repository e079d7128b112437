"""A standalone cluster of PySpark's own jars: a master and workers, each a process."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pyspark

from readers.session import QUICK
from servers.loopback import HOST, free_port
from servers.processes import start, stop, wait_for_server, wait_until

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
SPARK_SUBMIT = SPARK_CLASS.with_name("spark-submit")
DEPLOY = "org.apache.spark.deploy"
ONLY_HERE = {
    "SPARK_LOCAL_IP": HOST,
    "SPARK_DAEMON_MEMORY": "256m",
    "SPARK_DAEMON_JAVA_OPTS": QUICK,
}
"""What binds every port of Spark's to the loopback address, and starts daemons quickly."""
IN_MEGABYTES = 800
SESSIONS = 3
"""How many sessions of a suite find an executor on each worker."""
WITHIN = 120.0
MASTER_OF_TESTS = "TESTS_MASTER"
"""The variable that names a master for the sessions of other suites."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A living master, and its workers, each with its executors in its group."""

    port: int
    web_port: int
    master: subprocess.Popen[str]
    workers: tuple[subprocess.Popen[str], ...]

    @property
    def url(self) -> str:
        """The address that drivers set as ``spark.master``."""
        return f"spark://{HOST}:{self.port}"

    def alive(self) -> int:
        """How many workers the master counts as alive; 0 if it does not answer."""
        return int(self._state().get("aliveworkers", 0))

    def executors(self) -> list[int]:
        """The processes of the executors that run now, by worker."""
        found = []
        for worker in self.workers:
            listed = subprocess.run(
                ["pgrep", "-g", str(worker.pid), "-f", "CoarseGrainedExecutorBackend"],
                stdout=subprocess.PIPE,
                text=True,
                check=False,
            )
            found += [int(pid) for pid in listed.stdout.split()]
        return found

    def _state(self) -> dict[str, Any]:
        try:
            with urlopen(f"http://{HOST}:{self.web_port}/json/") as answer:
                state: dict[str, Any] = json.load(answer)
                return state
        except (URLError, ConnectionError, ValueError):
            return {}


@contextmanager
def running_cluster(
    directory: Path, workers: int = 2, cores: int = 1, megabytes: int = IN_MEGABYTES
) -> Iterator[Cluster]:
    """Run a master and workers with Spark's default settings; logs lie in ``directory``.

    ``cores`` and ``megabytes`` are those of each worker.
    """
    directory.mkdir(parents=True, exist_ok=True)
    port, web_port = free_port(), free_port()
    with ExitStack() as stack:

        def daemon(name: str, *arguments: str) -> subprocess.Popen[str]:
            log = directory / f"{name}.log"
            command = [str(SPARK_CLASS), *arguments]
            process = start(command, log, cwd=directory, env=ONLY_HERE)
            stack.callback(stop, process)
            return process

        at = ("--host", HOST, "--port", str(port), "--webui-port", str(web_port))
        master = daemon("master", f"{DEPLOY}.master.Master", *at)
        log = directory / "master.log"
        cluster = Cluster(port, web_port, master, ())
        wait_for_server(master, lambda: bool(cluster._state()), "a master", log)  # noqa: SLF001
        room = ("-c", str(cores), "-m", f"{megabytes}m")
        started = tuple(
            daemon(
                f"worker-{number}",
                f"{DEPLOY}.worker.Worker",
                *room,
                # of two attempts of a task, Spark runs the second on another host
                *("--host", f"127.0.0.{1 + number}"),
                *("--work-dir", str(directory / f"work-{number}")),
                *("--webui-port", str(free_port())),
                cluster.url,
            )
            for number in range(workers)
        )
        cluster = Cluster(port, web_port, master, started)
        wait_until(lambda: cluster.alive() == workers, WITHIN, f"{workers} workers")
        yield cluster


def main() -> int:
    """Run a command, its sessions on a cluster: ``python -m servers.standalone COMMAND...``."""
    room = {"cores": SESSIONS, "megabytes": SESSIONS * IN_MEGABYTES}
    with TemporaryDirectory() as directory, running_cluster(Path(directory), **room) as cluster:
        variables = {**os.environ, **ONLY_HERE, MASTER_OF_TESTS: cluster.url}
        return subprocess.run(sys.argv[1:], env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
