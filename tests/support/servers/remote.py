"""A Spark Connect server and a Thrift server of one Spark on loopback.

On Spark 3 the Thrift server alone: the jar of the other is not PySpark's.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyspark

from ctas_spark.engines.connect import closing_once
from ctas_spark.engines.thrift import ThriftServer
from ctas_spark.engines.thrift.line import connected
from ctas_spark.engines.thrift.session import DEFAULTS, ThriftSession
from readers.session import SMALL
from servers.certificates import PASSWORD
from servers.database import driver
from servers.delta import delta_session
from servers.formats import joined
from servers.hive_server2 import PEOPLE, USER, Mode, checks, modes
from servers.iceberg import embedded_metastore, jdbc_catalog
from servers.ldap import ldap_server
from servers.loopback import free_port
from servers.metastore import NO_SETTINGS, Metastore, running_metastore
from servers.processes import start, stop, wait_for_server, wait_until, with_tests
from servers.remote_program import READY

CLIENTS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "connect": lambda profile: new_connect_session(f"sc://{profile['host']}:{profile['port']}"),
    "thrift": lambda profile: new_thrift_session(ThriftServer(profile["host"], profile["port"])),
}
"""A new session by each of a profile's methods."""
PROGRAM = Path(__file__).with_name("remote_program.py")
ANSWERS_WITHIN_SECONDS = 300.0
HOST = "127.0.0.1"
IS_SPARK_3 = pyspark.__version__.startswith("3.")
ICEBERG = "ice"
OPTIONS = "spark.driver.extraJavaOptions"
HIVE = "spark.hadoop.hive."


@dataclass(frozen=True, slots=True)
class RemoteServer:
    """A running server; ``directory`` holds its tables, its settings and its log."""

    process: subprocess.Popen[str]
    port: int
    thrift_port: int
    directory: Path
    app_name: str
    modes: Mapping[str, Mode]
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def url(self) -> str:
        """Its address for Spark Connect."""
        return f"sc://{HOST}:{self.port}"

    def profile(self, method: str) -> dict[str, object]:
        """The fields of a profile that lead here by ``connect`` or ``thrift``."""
        port = {"connect": self.port, "thrift": self.thrift_port}[method]
        return {"method": method, "host": HOST, "port": port}

    @property
    def temporary(self) -> Path:
        """Where its Java makes temporary files."""
        return self.directory / "temporary"

    def kill(self) -> None:
        """kill -9 of its driver, which is the executor, too."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def new_session(self) -> Any:
        """A session of somebody else's, with caches of its own."""
        if IS_SPARK_3:
            return new_thrift_session(ThriftServer(HOST, self.thrift_port))
        return new_connect_session(self.url)

    def dbt(self, arguments: Sequence[str]) -> tuple[bool, str]:
        """A dbt run inside the server's process: whether it succeeded, and every line it logged."""
        reply = self.directory / f"reply-{next(self._numbers)}.json"
        assert self.process.stdin is not None
        print(
            json.dumps({"arguments": list(arguments), "reply": str(reply)}),
            file=self.process.stdin,
            flush=True,
        )
        wait_until(reply.exists, ANSWERS_WITHIN_SECONDS, f"a reply in {reply}")
        said = json.loads(reply.read_text())
        return bool(said["success"]), str(said["log"])


def new_connect_session(url: str) -> Any:
    """A session of Spark Connect."""
    from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415 (Spark 3's needs pandas)

    return closing_once(SparkSession(connection=url))


def new_thrift_session(server: ThriftServer) -> ThriftSession:
    """A session of a Thrift server."""
    return ThriftSession(lambda: connected(server), DEFAULTS)


@contextmanager
def remote_server(directory: Path) -> Iterator[RemoteServer]:
    """Run a server: ``ice`` is Iceberg's jdbc catalog, ``spark_catalog`` Delta's.

    Its Thrift server is reached in other modes, too.
    """
    formats = joined(
        jdbc_catalog(ICEBERG, directory),
        embedded_metastore(directory),
        delta_session(),
        driver(),
    )
    with ldap_server(f"uid={USER},{PEOPLE}", PASSWORD) as ldap:
        own = {"spark.driver.extraClassPath": str(checks(directory, ldap))}
        with _running(directory, {**formats, **own}, modes(directory)) as server:
            yield server


@contextmanager
def server_of_files(directory: Path) -> Iterator[tuple[RemoteServer, Metastore]]:
    """Run a server, and next to it the server of its metastore; both have default settings."""
    place = directory / "metastore"
    with (
        running_metastore(place, directory / "warehouse") as metastore,
        spark_of_files(directory, metastore) as server,
    ):
        yield server, metastore


@contextmanager
def spark_of_files(
    directory: Path, metastore: Metastore, login: Mapping[str, str] = NO_SETTINGS
) -> Iterator[RemoteServer]:
    """Run a server with default settings on a metastore's server, which it logs in to by these."""
    with _running(directory, {**metastore.spark_conf(), **login}, {}) as server:
        yield server


@contextmanager
def _running(
    directory: Path, of_catalogs: Mapping[str, str], others: Mapping[str, Mode]
) -> Iterator[RemoteServer]:
    (directory / "temporary").mkdir(parents=True, exist_ok=True)
    log, settings, more = (directory / name for name in ("server.log", "s.json", "more.json"))
    port, thrift_port = free_port(), free_port()
    app_name = f"remote-{port}"
    settings.write_text(json.dumps(_settings(directory, of_catalogs, port, thrift_port, app_name)))
    more.write_text(json.dumps([dict(one.settings) for one in others.values()]))
    process = start(
        [sys.executable, PROGRAM, settings, more],
        log,
        reads_stdin=True,
        cwd=directory,
        env=with_tests(),
    )
    try:
        wait_for_server(
            process,
            lambda: READY in log.read_text(errors="replace"),
            "Spark's two servers",
            log,
        )
        yield RemoteServer(process, port, thrift_port, directory, app_name, others)
    finally:
        stop(process)


def _settings(
    directory: Path, of_catalogs: Mapping[str, str], port: int, thrift_port: int, app_name: str
) -> dict[str, str]:
    options = of_catalogs.get(OPTIONS, SMALL[OPTIONS])
    connect = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": HOST,
        "spark.connect.grpc.binding.port": str(port),
    }
    return {
        **({} if IS_SPARK_3 else connect),
        **SMALL,
        **of_catalogs,
        OPTIONS: f"{options} -Djava.io.tmpdir={directory}/temporary "
        f"-Dderby.stream.error.file={directory}/derby.log",
        "spark.master": "local[2]",
        "spark.app.name": app_name,
        "spark.ui.enabled": "false",
        "spark.driver.host": HOST,
        "spark.driver.bindAddress": HOST,
        f"{HIVE}server2.thrift.bind.host": HOST,
        f"{HIVE}server2.thrift.port": str(thrift_port),
        f"{HIVE}server2.logging.operation.enabled": "false",
        f"{HIVE}exec.scratchdir": str(directory / "scratch"),
        f"{HIVE}exec.local.scratchdir": str(directory / "local"),
    }
