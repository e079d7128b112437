"""A Spark Connect server and a Thrift server of one Spark on loopback."""

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql.connect.session import SparkSession

from ctas_spark.engines.connect import closing_once
from readers.session import SMALL
from servers.certificates import PASSWORD
from servers.database import driver
from servers.delta import delta_session
from servers.formats import joined
from servers.hive_server2 import PEOPLE, USER, Mode, checks, modes
from servers.iceberg import embedded_metastore, jdbc_catalog
from servers.ldap import ldap_server
from servers.loopback import free_port
from servers.metastore import Metastore, running_metastore
from servers.processes import start, stop, wait_for_server, wait_until, with_tests
from servers.remote_program import READY

PROGRAM = Path(__file__).with_name("remote_program.py")
ANSWERS_WITHIN_SECONDS = 300.0
HOST = "127.0.0.1"
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

    def new_session(self) -> SparkSession:
        """A session of somebody else's, with caches of its own."""
        made: SparkSession = closing_once(SparkSession(connection=self.url))
        return made

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
def spark_of_files(directory: Path, metastore: Metastore) -> Iterator[RemoteServer]:
    """Run a server with default settings on a metastore's server."""
    with _running(directory, metastore.spark_conf(), {}) as server:
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
    return {
        **SMALL,
        **of_catalogs,
        OPTIONS: f"{options} -Djava.io.tmpdir={directory}/temporary "
        f"-Dderby.stream.error.file={directory}/derby.log",
        "spark.master": "local[2]",
        "spark.app.name": app_name,
        "spark.ui.enabled": "false",
        "spark.driver.host": HOST,
        "spark.driver.bindAddress": HOST,
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": HOST,
        "spark.connect.grpc.binding.port": str(port),
        f"{HIVE}server2.thrift.bind.host": HOST,
        f"{HIVE}server2.thrift.port": str(thrift_port),
        f"{HIVE}server2.logging.operation.enabled": "false",
        f"{HIVE}exec.scratchdir": str(directory / "scratch"),
        f"{HIVE}exec.local.scratchdir": str(directory / "local"),
    }
