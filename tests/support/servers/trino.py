"""A Trino server on loopback that reads the tables of a Hive metastore, files on this machine."""

import json
import os
import tarfile
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from servers.jars import TRINO, fetched
from servers.loopback import free_port
from servers.processes import (
    STARTS_WITHIN_SECONDS,
    start,
    stop,
    wait_for_server,
    wait_until,
)

JAVA = "TRINO_JAVA"
STARTED = "SERVER STARTED"


class TrinoError(Exception):
    """A query failed, with Trino's reason."""


@dataclass(frozen=True, slots=True)
class Trino:
    """A running server, whose catalog ``hive`` is the metastore."""

    port: int

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query returns, by Trino's REST protocol.

        Raises:
            TrinoError: it failed.
        """
        found: list[tuple[Any, ...]] = []
        address: str | None = f"http://127.0.0.1:{self.port}/v1/statement"
        body: bytes | None = query.encode()
        while address:
            asked = urllib.request.Request(address, body, {"X-Trino-User": "tests"})
            with urllib.request.urlopen(asked, timeout=300) as answer:  # noqa: S310 (loopback)
                page = json.load(answer)
            if error := page.get("error"):
                raise TrinoError(error["message"])
            found.extend(map(tuple, page.get("data", ())))
            address, body = page.get("nextUri"), None
        return found

    def has_a_node(self) -> bool:
        """True once it can run a query; it finds itself a second after its start."""
        with suppress(TrinoError):
            return bool(self.rows("select * from system.runtime.nodes"))
        return False


@contextmanager
def running_trino(directory: Path, metastore: str) -> Iterator[Trino]:
    """Run one with default settings on the metastore of that address; it takes 2 GB of memory."""
    java = os.environ.get(JAVA)
    if not java:
        raise RuntimeError(f"Trino's server needs Java 24 or later: name its bin/java in {JAVA}")
    port, log = free_port(), directory / "trino.log"
    server = _unpacked(directory)
    node = {
        "node.environment": "test",
        "node.id": "one",
        "node.data-dir": f"{directory}/data",
        "node.internal-address": "127.0.0.1",
        "node.bind-ip": "127.0.0.1",
    }
    config = {
        "coordinator": "true",
        "node-scheduler.include-coordinator": "true",
        "http-server.http.port": port,
        "discovery.uri": f"http://127.0.0.1:{port}",
        "query.max-memory-per-node": "300MB",
    }
    hive = {
        "connector.name": "hive",
        "hive.metastore.uri": metastore,
        "fs.hadoop.enabled": "true",  # files on this machine are read by Hadoop's classes
    }
    settings = directory / "etc"
    _write(settings / "node.properties", node)
    _write(settings / "config.properties", config)
    _write(settings / "catalog" / "hive.properties", hive)
    (settings / "jvm.config").write_text("-Xmx1G\n")
    process = start(
        [server / "bin" / "launcher", "run", f"--etc-dir={settings}"],
        log,
        cwd=directory,
        env={"JAVA_HOME": str(Path(java).parents[1])},
    )
    try:
        wait_for_server(process, lambda: STARTED in log.read_text(), "Trino's server", log)
        trino = Trino(port)
        wait_until(trino.has_a_node, STARTS_WITHIN_SECONDS, "a node of Trino's")
        yield trino
    finally:
        stop(process)


def _unpacked(directory: Path) -> Path:
    with tarfile.open(fetched(TRINO)) as packed:
        packed.extractall(directory, filter="data")
    return directory / f"{TRINO.artifact}-{TRINO.version}"


def _write(path: Path, settings: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
