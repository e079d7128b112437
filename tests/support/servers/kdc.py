"""A Kerberos key distribution center on loopback: MIT's, as Debian packages it."""

import importlib.util
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from servers.loopback import HOST, free_port
from servers.processes import start, stop, wait_for_server, wait_until

REALM = "EXAMPLE.ORG"
NAME = "localhost"
"""The host in principals; a client that connects to it asks for a ticket of that name."""
SYSTEM = "/usr/sbin"
SURELY_EXPIRED_SECONDS, EXPIRES_WITHIN_SECONDS = 3.0, 30.0
PROGRAMS = {"krb5kdc": "krb5-kdc", "kdb5_util": "krb5-kdc", "kadmin.local": "krb5-admin-server"}
CLIENTS = {"kinit": "krb5-user"}
CLIENT = """[libdefaults]
  default_realm = {realm}
  dns_lookup_kdc = false
  dns_canonicalize_hostname = false
  rdns = false
  udp_preference_limit = 1
[realms]
  {realm} = {{
    kdc = {host}:{port}
  }}
"""
SERVER = """[kdcdefaults]
  kdc_listen = ""
  kdc_tcp_listen = {host}:{port}
[realms]
  {realm} = {{
    database_name = {directory}/principal
    key_stash_file = {directory}/stash
    acl_file = {directory}/acl
  }}
[logging]
  kdc = FILE:{directory}/kdc.log
"""


@dataclass(frozen=True, slots=True)
class Kdc:
    """A running one; ``directory`` holds its database and its configuration."""

    directory: Path

    @property
    def client_conf(self) -> Path:
        """What clients, Java's too, have to know of it."""
        return self.directory / "krb5.conf"

    @property
    def variables(self) -> Mapping[str, str]:
        """With these, programs and libraries of this machine ask it."""
        return {
            "KRB5_CONFIG": str(self.client_conf),
            "KRB5_KDC_PROFILE": str(self.directory / "kdc.conf"),
        }

    def keytab(self, *principals: str) -> Path:
        """New principals, and a file with their keys."""
        path = self.directory / f"{principals[0].replace('/', '-')}.keytab"
        for principal in principals:
            self._run("kadmin.local", "-q", f"addprinc -randkey {principal}")
            self._run("kadmin.local", "-q", f"ktadd -k {path} {principal}")
        return path

    def ticket(self, principal: str, keytab: Path, lifetime: str = "1h") -> Path:
        """A credential cache with a ticket of the principal's."""
        cache = self.directory / f"{principal}-{lifetime}.cache"
        self._run("kinit", "-k", "-t", keytab, "-c", cache, "-l", lifetime, principal)
        return cache

    def expired_ticket(self, principal: str, keytab: Path) -> Path:
        """A credential cache whose ticket was valid for a second, by clocks of whole seconds."""
        cache = self.ticket(principal, keytab, "1s")
        expired = cache.stat().st_mtime + SURELY_EXPIRED_SECONDS
        wait_until(lambda: time.time() > expired, EXPIRES_WITHIN_SECONDS, "its expiry")
        return cache

    def _run(self, program: str, *arguments: object) -> None:
        command = [_found(program) or program, *map(str, arguments)]
        subprocess.run(command, env=self._environment(), check=True, capture_output=True)

    def _environment(self) -> dict[str, str]:
        return {**os.environ, **self.variables}


def missing() -> str:
    """What has to be installed for tests of Kerberos; empty if nothing."""
    packages = {of for name, of in {**PROGRAMS, **CLIENTS}.items() if not _found(name)}
    said = [f"apt-get install {' '.join(sorted(packages))}"] if packages else []
    if importlib.util.find_spec("kerberos") is None:
        said.append("pip install kerberos, which needs gcc and libkrb5-dev")
    return "; ".join(said)


@contextmanager
def running_kdc(directory: Path) -> Iterator[Kdc]:
    """Run one with an empty database."""
    directory.mkdir(parents=True, exist_ok=True)
    where = {"realm": REALM, "host": HOST, "port": free_port(), "directory": directory}
    kdc, log = Kdc(directory), directory / "console.log"
    kdc.client_conf.write_text(CLIENT.format(**where))
    (directory / "kdc.conf").write_text(SERVER.format(**where))
    kdc._run("kdb5_util", "create", "-s", "-P", "of the database")  # noqa: SLF001 (this module's)
    command = [_found("krb5kdc"), "-n"]
    process = start(command, log, cwd=directory, env=kdc.variables)
    try:
        wait_for_server(process, lambda: "starting" in log.read_text(), "the KDC", log)
        yield kdc
    finally:
        stop(process)


def _found(program: str) -> str:
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:{SYSTEM}") or ""
