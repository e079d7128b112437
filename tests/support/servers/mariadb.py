"""A MariaDB server on loopback, as Debian packages it, with its default settings."""

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from servers.loopback import HOST, free_port
from servers.processes import ServerStartError, start, stop, wait_for_server

SYSTEM = "/usr/sbin"
PACKAGE = "mariadb-server"
ACCOUNT = "mysql"
DATABASE = USER = "hive"
# Keys of 767 characters: Hive's own scripts for MySQL name this character set for each table.
INIT = """CREATE DATABASE {database} CHARACTER SET latin1;
CREATE USER {user}@'{host}' IDENTIFIED BY '{password}';
GRANT ALL ON {database}.* TO {user}@'{host}';
"""


@dataclass(frozen=True, slots=True)
class Mariadb:
    """A living server with an empty database."""

    port: int
    password: str = field(repr=False)
    user: str = USER

    @property
    def url(self) -> str:
        """The database's address for JDBC."""
        return f"jdbc:mysql://{HOST}:{self.port}/{DATABASE}"


@contextmanager
def running_mariadb(directory: Path) -> Iterator[Mariadb]:
    """Run a server whose log lies in ``directory``; its data end with it."""
    directory.mkdir(parents=True, exist_ok=True)
    # Within reach of the server's account, which root may not keep for itself.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        database, data = Mariadb(free_port(), secrets.token_hex()), Path(scratch) / "data"
        init = Path(scratch) / "init.sql"
        init.write_text(
            INIT.format(database=DATABASE, user=USER, host=HOST, password=database.password)
        )
        account = _account(Path(scratch), init)
        made = [_found("mariadb-install-db"), "--no-defaults", f"--datadir={data}", *account]
        subprocess.run(made, check=True, capture_output=True)
        log = directory / "mariadb.log"
        process = start(_command(database.port, data, init, account), log, cwd=data)
        try:
            wait_for_server(process, lambda: _is_ready(log), "a MariaDB server", log)
            yield database
        finally:
            stop(process)


def _command(port: int, data: Path, init: Path, account: list[str]) -> list[str]:
    return [
        _found("mariadbd"),
        "--no-defaults",
        *account,
        f"--datadir={data}",
        f"--init-file={init}",
        f"--socket={data / 'socket'}",
        f"--pid-file={data / 'pid'}",
        f"--bind-address={HOST}",
        f"--port={port}",
    ]


def _account(scratch: Path, init: Path) -> list[str]:
    """MariaDB refuses root, and so its own account gets the files."""
    if os.geteuid() != 0:
        return []
    for path in (scratch, init):
        shutil.chown(path, ACCOUNT)
    return [f"--user={ACCOUNT}"]


def _is_ready(log: Path) -> bool:
    return "ready for connections" in log.read_text()


def _found(program: str) -> str:
    path = shutil.which(program, path=f"{os.environ.get('PATH', '')}:{SYSTEM}")
    if path is None:
        raise ServerStartError(f"{program} is not installed: apt-get install {PACKAGE}")
    return path
