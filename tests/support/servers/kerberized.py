"""Servers that let in who has a Kerberos ticket: a Hive metastore, and Spark's Thrift server."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from readers.session import SMALL
from servers.hive_server2 import HIVE, over_http
from servers.kdc import NAME, REALM, Kdc
from servers.loopback import HOST, free_port
from servers.metastore import command_of, hive_site, write_hive_site
from servers.processes import start, stop, wait_for_server, with_tests
from servers.remote_program import READY

PROGRAM = Path(__file__).with_name("remote_program.py")
SERVICE = "hive"
PRINCIPAL = f"{SERVICE}/{NAME}@{REALM}"
SPNEGO = f"HTTP/{NAME}@{REALM}"
SECURITY = "hadoop.security.authentication"
PROTECTION = "hadoop.rpc.protection"
ENCRYPTED = "privacy"


@contextmanager
def kerberized_metastore(
    directory: Path, kdc: Kdc, keytab: Path, answers: Callable[[str], bool]
) -> Iterator[str]:
    """The URI of one that encrypts what it says, too; ``answers`` tries it with a ticket."""
    port, log = free_port(), directory / "metastore.log"
    uri = f"thrift://{NAME}:{port}"
    (directory / "warehouse").mkdir(parents=True)
    own = {
        "hive.metastore.sasl.enabled": "true",
        "hive.metastore.kerberos.keytab.file": str(keytab),
        "hive.metastore.kerberos.principal": PRINCIPAL,
    }
    write_hive_site(directory, {**hive_site(directory, directory / "warehouse"), **own})
    secure = {SECURITY: "kerberos", PROTECTION: ENCRYPTED}
    write_hive_site(directory, secure, file="core-site.xml")
    process = start(command_of(directory, port, _java(kdc)), log, cwd=directory)
    try:
        wait_for_server(process, lambda: answers(uri), "the metastore", log)
        yield uri
    finally:
        stop(process)


@contextmanager
def kerberized_spark(
    directory: Path, kdc: Kdc, keytab: Path, metastore: str
) -> Iterator[Mapping[str, Mapping[str, object]]]:
    """Profiles that lead to Spark's Thrift server: over a socket, and over HTTP.

    ``metastore`` is the URI of its own, which encrypts and lets it in by the same keys.
    """
    directory.mkdir(parents=True, exist_ok=True)
    log, settings, more = (directory / name for name in ("server.log", "s.json", "more.json"))
    port = free_port()
    logins = {
        f"{HIVE}authentication": "KERBEROS",
        f"{HIVE}authentication.kerberos.principal": PRINCIPAL,
        f"{HIVE}authentication.kerberos.keytab": str(keytab),
        f"{HIVE}authentication.spnego.principal": SPNEGO,
        f"{HIVE}authentication.spnego.keytab": str(keytab),
        f"{HIVE}enable.doAs": "false",
    }
    profile = {"host": NAME, "auth": "KERBEROS", "kerberos_service_name": SERVICE}
    http = over_http(logins, {**profile, "kerberos_service_name": "HTTP"})
    own = {f"{HIVE}thrift.bind.host": HOST, f"{HIVE}thrift.port": str(port), **logins}
    settings.write_text(json.dumps({**_settings(kdc, own), **_of_metastore(metastore)}))
    more.write_text(json.dumps([dict(http.settings)]))
    command: list[str | Path] = [sys.executable, PROGRAM, settings, more]
    process = start(command, log, reads_stdin=True, cwd=directory, env=with_tests())
    try:
        is_up = lambda: READY in log.read_text(errors="replace")  # noqa: E731 (as everywhere here)
        wait_for_server(process, is_up, "Spark's Thrift server", log)
        yield {"socket": {**profile, "port": port}, "http": http.profile}
    finally:
        stop(process)


def _of_metastore(uri: str) -> dict[str, str]:
    of_hive = {"uris": uri, "sasl.enabled": "true", "kerberos.principal": PRINCIPAL}
    return {
        "spark.sql.catalogImplementation": "hive",
        **{f"spark.hadoop.hive.metastore.{name}": value for name, value in of_hive.items()},
        f"spark.hadoop.{PROTECTION}": ENCRYPTED,
    }


def _settings(kdc: Kdc, own: Mapping[str, str]) -> dict[str, str]:
    return {
        **SMALL,
        "spark.driver.extraJavaOptions": " ".join(_java(kdc)),
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.driver.host": HOST,
        "spark.driver.bindAddress": HOST,
        f"spark.hadoop.{SECURITY}": "kerberos",
        f"spark.hadoop.{HIVE}logging.operation.enabled": "false",
        **{f"spark.hadoop.{name}": value for name, value in own.items()},
    }


def _java(kdc: Kdc) -> list[str]:
    return [f"-Djava.security.krb5.conf={kdc.client_conf}"]
