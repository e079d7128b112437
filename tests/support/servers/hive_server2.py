"""How Spark's Thrift server is reached: a server's settings for each way, and a profile's."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyspark

from servers.certificates import KEYS, PASSWORD, certificate_in
from servers.jars import java
from servers.loopback import free_port
from servers.metastore import write_hive_site

HIVE = "hive.server2."
COMPILER = "jdk.compiler/com.sun.tools.javac.Main"
SOURCE = Path(__file__).with_name("OnePassword.java")
USER, PEOPLE = "ann", "ou=people,dc=example,dc=org"
LOGIN = {"user": USER, "password": PASSWORD}


@dataclass(frozen=True, slots=True)
class Mode:
    """A server's own settings, above those that all have; and the profile that leads to it."""

    settings: Mapping[str, str]
    profile: Mapping[str, object]


def modes(directory: Path) -> Mapping[str, Mode]:
    """By name: TLS and LDAP, HTTP, both of them with a check of its own, and no SASL.

    One is ``other``: like the server that all of them are next to; and ``other_http`` is like
    ``http``.
    """
    certificate = certificate_in(directory)
    by_tls = {"use_ssl": True, "ca_cert": str(certificate)}
    by_ldap = {f"{HIVE}authentication": "LDAP"}
    own = {f"{HIVE}authentication": "CUSTOM", f"{HIVE}thrift.http.path": "gateway/hs2"}
    headers = {"http_headers": {"X-Team": "data"}}
    behind = {"http_path": "gateway/hs2", "auth": "CUSTOM", **headers, **LOGIN}
    return {
        "tls": _binary({**_tls(directory), **by_ldap}, {**by_tls, "auth": "LDAP", **LOGIN}),
        "http": over_http({}, {"user": USER}),
        "https": over_http({**_tls(directory), **own}, {**by_tls, **behind}),
        "other": _binary({}, {}),
        "other_http": over_http({}, {"user": USER}),
        "nosasl": _binary({f"{HIVE}authentication": "NOSASL"}, {"auth": "NOSASL"}),
    }


def checks(directory: Path, ldap: str) -> Path:
    """A directory for the server's class path, with what its checks of passwords look for there.

    They take no settings but those of hive-site.xml. ``ldap`` is the URL of a server.
    """
    classes, jars = directory / "classes", Path(pyspark.__file__).parent / "jars"
    (with_interface,) = jars.glob("spark-hive-thriftserver_*.jar")
    compiler = [java(), "-m", COMPILER, "-cp", str(with_interface)]
    subprocess.run([*compiler, "-d", str(classes), str(SOURCE)], check=True)
    settings = {
        f"{HIVE}authentication.ldap.url": ldap,
        f"{HIVE}authentication.ldap.baseDN": PEOPLE,
        f"{HIVE}custom.authentication.class": "OnePassword",
    }
    write_hive_site(classes, settings)
    return classes


def over_http(settings: Mapping[str, str], profile: Mapping[str, object]) -> Mode:
    """A server that speaks HTTP at a port of its own."""
    port = free_port()
    mode = {f"{HIVE}transport.mode": "http", f"{HIVE}thrift.http.port": str(port)}
    return Mode({**mode, **settings}, {"port": port, "use_http_transport": True, **profile})


def _binary(settings: Mapping[str, str], profile: Mapping[str, object]) -> Mode:
    port = free_port()
    return Mode({f"{HIVE}thrift.port": str(port), **settings}, {"port": port, **profile})


def _tls(directory: Path) -> dict[str, str]:
    return {
        f"{HIVE}use.SSL": "true",
        f"{HIVE}keystore.path": str(directory / KEYS),
        f"{HIVE}keystore.password": PASSWORD,
        f"{HIVE}keystore.type": "PKCS12",
    }
