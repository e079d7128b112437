"""A remote Hive metastore out of PySpark's own jars, on embedded Derby."""

import os
import shlex
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from ssl import CERT_NONE, SSLContext, create_default_context
from types import MappingProxyType
from xml.etree import ElementTree as ET

from pymetastore.hive_metastore import ThriftHiveMetastore, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TException
from thrift.transport.TSocket import TSocket
from thrift.transport.TSSLSocket import TSSLSocket
from thrift.transport.TTransport import TBufferedTransport

from ctas_spark.engines import class_archive
from servers.loopback import free_port
from servers.processes import (
    STARTS_WITHIN_SECONDS,
    ServerStartError,
    start,
    stop,
    tail,
    wait_for_server,
)

ANSWERS_WITHIN_MILLISECONDS = 5_000
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})
JVM_OPTIONS = (
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:MetaspaceSize=128m",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "--add-opens=java.base/java.net=ALL-UNNAMED",
    "-Dderby.system.durability=test",
    # Readers and writers of one table deadlock in Derby now and then; one of them is
    # rolled back and retried, but by default only after 20 s.
    "-Dderby.locks.deadlockTimeout=1",
    "-Dhive.root.logger=console",
    "-Dhive.log.level=WARN",
)
# The pool of connections that locks use by default needs a jar that PySpark leaves out.
LOCK_SETTINGS = MappingProxyType({"datanucleus.connectionPoolingType": "HikariCP"})
USE_SSL = "hive.metastore.use.SSL"
LOCK_TABLES = """
public class LockTables {
    public static void main(String[] arguments) throws Exception {
        org.apache.hadoop.hive.metastore.txn.TxnDbUtil.prepDb(
            new org.apache.hadoop.hive.conf.HiveConf());
    }
}
"""


@dataclass(frozen=True, slots=True)
class Metastore:
    """A living metastore server; it has no ``pid`` here if another process started it."""

    port: int
    warehouse: Path
    pid: int | None = None

    @property
    def uri(self) -> str:
        """The address that clients set as ``hive.metastore.uris``."""
        return f"thrift://127.0.0.1:{self.port}"

    def spark_conf(self) -> dict[str, str]:
        """Return what a Spark session needs in order to use this metastore."""
        return {
            "spark.sql.catalogImplementation": "hive",
            "spark.hadoop.hive.metastore.uris": self.uri,
            "spark.sql.warehouse.dir": str(self.warehouse),
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
        }


@contextmanager
def running_metastore(
    directory: Path,
    warehouse: Path,
    settings: Mapping[str, str] = NO_SETTINGS,
    *,
    lock_tables: bool = False,
    jars: Sequence[Path] = (),
) -> Iterator[Metastore]:
    """Run a Hive 2.3.10 metastore whose database and log lie in ``directory``.

    ``settings`` are added to the server's hive-site.xml and win over ours. A second
    run in the same directory finds the tables of the first. What a server does by
    default, this one does: it refuses a column's new type by position, and one read may
    mix two versions. It has no tables for locks unless ``lock_tables`` asks for them in
    a new directory. ``jars`` are what it needs in order to look at a warehouse elsewhere.
    """
    directory.mkdir(parents=True, exist_ok=True)
    warehouse.mkdir(parents=True, exist_ok=True)
    needed = LOCK_SETTINGS if lock_tables else NO_SETTINGS
    write_hive_site(directory, {**hive_site(directory, warehouse), **needed, **settings})
    port, log = free_port(), directory / "metastore.log"
    context = trusting_anyone() if settings.get(USE_SSL) == "true" else None
    if lock_tables:
        _make_lock_tables(directory, log)
    process = start(command_of(directory, port, jars=jars), log, cwd=directory)
    try:
        wait_for_server(
            process,
            lambda: answers(port, context),
            f"an answer of the metastore on port {port}",
            log,
        )
        _make_own_tables(port, context)
        yield Metastore(port, warehouse, process.pid)
    finally:
        stop(process)


def hive_site(directory: Path, warehouse: Path) -> dict[str, str]:
    """The settings of a server on Derby."""
    database = directory / "derby"
    return {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={database};create=true",
        "datanucleus.schema.autoCreateAll": "true",
        "hive.metastore.schema.verification": "false",
        "hive.metastore.warehouse.dir": str(warehouse),
        "hive.hmshandler.retry.interval": "100ms",
    }


def write_hive_site(
    directory: Path, settings: Mapping[str, str], file: str = "hive-site.xml"
) -> None:
    """Write the settings where Hive's classes look for them, in a directory of the class path."""
    root = ET.Element("configuration")
    for name, value in settings.items():
        entry = ET.SubElement(root, "property")
        ET.SubElement(entry, "name").text = name
        ET.SubElement(entry, "value").text = value
    ET.ElementTree(root).write(directory / file)


def _make_lock_tables(directory: Path, log: Path) -> None:
    """Hive's own tests make them so: a server makes all of its tables but these by itself."""
    source = directory / "LockTables.java"
    source.write_text(LOCK_TABLES)
    process = start([*_jvm(directory), str(source)], log, cwd=directory)
    if process.wait(STARTS_WITHIN_SECONDS) != 0:
        raise ServerStartError(f"There are no lock tables:\n{tail(log)}")


def _jvm(directory: Path, more: Sequence[Path] = ()) -> list[str]:
    """Java, with the class path of Spark's own JVMs first: their archive has Hive's and Derby's."""
    jars = class_archive.jars()
    ours = (jars.parent / "conf", *jars.glob("slf4j-api-*.jar"), jars / "*", directory, *more)
    return [
        _java(),
        *JVM_OPTIONS,
        *shlex.split(class_archive.option()),
        f"-Djava.io.tmpdir={directory}",
        f"-Dderby.stream.error.file={directory / 'derby.log'}",
        "-cp",
        ":".join(map(str, ours)),
    ]


def command_of(
    directory: Path, port: int, options: Sequence[str] = (), jars: Sequence[Path] = ()
) -> list[str]:
    """What runs a server whose settings lie in ``directory``, with more options for Java."""
    java, *others = _jvm(directory, jars)
    return [
        java,
        *options,
        *others,
        "org.apache.hadoop.hive.metastore.HiveMetaStore",
        "-p",
        str(port),
        # The asynchronous logger needs a jar that PySpark leaves out.
        "--hiveconf",
        "hive.async.log.enabled=false",
    ]


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    return f"{home}/bin/java" if home else "java"


def answers(port: int, context: SSLContext | None) -> bool:
    """Whether a metastore answers there."""
    try:
        # Thrift's own client would log every refused attempt.
        socket.create_connection(("127.0.0.1", port)).close()
        return "default" in _databases(port, context)
    except (OSError, TException):
        return False


def _databases(port: int, context: SSLContext | None) -> list[str]:
    with _connected(port, context, ANSWERS_WITHIN_MILLISECONDS) as client:
        names: list[str] = client.get_all_databases()
        return names


def _make_own_tables(port: int, context: SSLContext | None) -> None:
    """Have the server make its tables while it has one client.

    It makes each when it first needs it, on a second connection, and that waits for the
    transactions on the tables that the new one refers to: with several clients, for ever.
    """
    columns, keys = [ttypes.FieldSchema("c", "int")], [ttypes.FieldSchema("k", "string")]
    name = ("default", "made_by_the_server_itself")
    with _connected(port, context) as client:
        stored = ttypes.StorageDescriptor(cols=columns, serdeInfo=ttypes.SerDeInfo(parameters={}))
        stored.parameters, stored.sortCols, stored.bucketCols = {}, [], []
        table = ttypes.Table(name[1], name[0], "nobody", sd=stored, partitionKeys=keys)
        table.parameters = {}
        client.create_table(table)
        client.append_partition(*name, ["1"])
        client.drop_table(*name, True)


def trusting_anyone() -> SSLContext:
    """For a test's own connections by TLS."""
    context = create_default_context()
    context.check_hostname, context.verify_mode = False, CERT_NONE
    return context


def _socket(port: int, context: SSLContext | None) -> TSocket:
    if context is None:
        return TSocket("127.0.0.1", port)
    return TSSLSocket("127.0.0.1", port, ssl_context=context)


@contextmanager
def _connected(
    port: int, context: SSLContext | None, timeout_ms: int | None = None
) -> Iterator[ThriftHiveMetastore.Client]:
    connection = _socket(port, context)
    connection.setTimeout(timeout_ms)
    transport = TBufferedTransport(connection)
    transport.open()
    try:
        yield ThriftHiveMetastore.Client(TBinaryProtocol(transport))
    finally:
        transport.close()
