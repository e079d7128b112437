"""A PostgreSQL server out of a wheel, on loopback, with a password."""

import os
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from servers.loopback import free_port
from servers.postgresql_installation import Installation, reachable_installation
from servers.processes import ServerStartError, start, stop, wait_for_server

USER = "hive"
# What the server holds ends with the test: it need not survive a loss of power.
WITHOUT_SYNC = ("-c", "fsync=off", "-c", "synchronous_commit=off")


@dataclass(frozen=True, slots=True)
class Postgresql:
    """A living server with an empty database."""

    port: int
    password: str = field(repr=False)
    pid: int
    programs: Path
    user: str = USER

    @property
    def url(self) -> str:
        """The database's address for JDBC."""
        return f"jdbc:postgresql://127.0.0.1:{self.port}/postgres"

    def execute(self, sql: str) -> str:
        """Run SQL as one transaction; return its rows, one a line."""
        command, environment = self.client(f"--command={sql}")
        answer = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
        return answer.stdout

    def client(self, *options: str) -> tuple[list[str], dict[str, str]]:
        """The command of a client that prints rows, one a line, and its environment."""
        command = [str(self.programs / "psql"), "--no-psqlrc", "--quiet", "--tuples-only"]
        place = ["--host=127.0.0.1", f"--port={self.port}", f"--username={self.user}"]
        environment = {**os.environ, "PGPASSWORD": self.password}
        return [*command, *place, "--no-align", *options, "postgres"], environment


@contextmanager
def running_postgresql(directory: Path) -> Iterator[Postgresql]:
    """Run a PostgreSQL server whose log lies in ``directory``; its data end with it."""
    directory.mkdir(parents=True, exist_ok=True)
    with reachable_installation(directory) as installation:
        password, port = secrets.token_hex(), free_port()
        _make_database(installation, password)
        log = directory / "postgresql.log"
        process = start(_command(installation, port), log)
        try:
            wait_for_server(
                process, lambda: _is_ready(installation.data), "a PostgreSQL server", log
            )
            yield Postgresql(port, password, process.pid, installation.programs)
        finally:
            stop(process)


def _make_database(installation: Installation, password: str) -> None:
    installation.secret.write_text(password)
    command = [
        *installation.account,
        str(installation.programs / "initdb"),
        f"--pgdata={installation.data}",
        f"--username={USER}",
        f"--pwfile={installation.secret}",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--no-sync",
    ]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise ServerStartError(f"initdb failed:\n{made.stdout}{made.stderr}")


def _command(installation: Installation, port: int) -> list[str]:
    return [
        *installation.account,
        str(installation.programs / "postgres"),
        *("-D", str(installation.data)),
        *("-h", "127.0.0.1", "-p", str(port)),
        # No socket in the file system.
        *("-k", ""),
        *WITHOUT_SYNC,
    ]


def _is_ready(data: Path) -> bool:
    state = data / "postmaster.pid"
    return state.exists() and state.read_text().rstrip().endswith("\nready")
