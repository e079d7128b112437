"""How a process finds a warm Spark of its user: a socket in a directory that is closed to others.

The socket is all there is to find. That it answers says that the Spark lives; a run keeps its
connection open, and the kernel closes it when the run dies, whatever it died of. The gateway's
secret goes through it, and is in no file.
"""

import json
import os
import socket
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..engines.class_archive import cache_directory

Message = Mapping[str, Any]
RUNTIME = "XDG_RUNTIME_DIR"
SUFFIX, LOCKS = ".warm", ".locks"
ANSWERS_WITHIN_SECONDS = 60.0
CLOSED_TO_OTHERS = 0o700


class Visit:
    """A connection to a warm Spark: lines of JSON, one for each message."""

    def __init__(self, connection: socket.socket, path: Path) -> None:
        self.path = path
        self._connection = connection
        self._lines = connection.makefile("rw")
        self.greeting = self._receive()

    def ask(self, message: Message) -> Message:
        """The answer to a message; empty if there is none, because the other process ends."""
        try:
            self._lines.write(line(message))
            self._lines.flush()
            return self._receive()
        except (OSError, ValueError):
            return {}

    def wait_for_the_end(self) -> None:
        """Return once the process at the other end has ended."""
        self._connection.settimeout(None)
        with suppress(OSError):
            self._lines.read()

    def close(self) -> None:
        """End the visit: a run that made it has ended."""
        with suppress(OSError):
            self._lines.close()
        self._connection.close()

    def _receive(self) -> Message:
        said = self._lines.readline()
        if not said:
            raise ConnectionResetError(f"no answer at {self.path}")
        received: Message = json.loads(said)
        return received


def line(message: Message) -> str:
    """A message as it is sent."""
    return json.dumps(message) + "\n"


def directory() -> Path:
    """Where the sockets of this user are; it may not be there yet."""
    runtime = os.environ.get(RUNTIME)
    return Path(runtime, "dbt-ctas-spark") if runtime else cache_directory() / "warm"


def own_path() -> Path:
    """The socket of this process, in a directory of its user.

    Raises:
        PermissionError: the directory belongs to another user, or is open to others.
    """
    home = directory()
    home.mkdir(mode=CLOSED_TO_OTHERS, parents=True, exist_ok=True)
    if not _is_private(home):
        raise PermissionError(f"{home} is not a directory that only this user may enter")
    return home / f"{_host()}-{os.getpid()}{SUFFIX}"


def visits() -> Iterator[Visit]:
    """Greet each warm Spark of this user on this host, and remove the sockets of dead ones."""
    home = directory()
    if not _is_private(home):
        return
    for path in sorted(home.glob(f"{_host()}-*{SUFFIX}")):
        if (visit := _visit(path)) is not None:
            yield visit


@contextmanager
def short(path: Path) -> Iterator[str]:
    """A name for a socket that fits into 107 bytes, however long its path is."""
    descriptor = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}/{path.name}"
    finally:
        os.close(descriptor)


def _visit(path: Path) -> Visit | None:
    """None if nobody listens any more, or what listens is ending."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(ANSWERS_WITHIN_SECONDS)
    try:
        with short(path) as name:
            connection.connect(name)
        return Visit(connection, path)
    except ConnectionRefusedError:
        path.unlink(missing_ok=True)
    except (OSError, ValueError):
        pass
    connection.close()
    return None


def _is_private(home: Path) -> bool:
    """True if it is a directory of this user, and closed to all others."""
    try:
        found = home.lstat()
    except OSError:
        return False
    is_open = stat.S_IMODE(found.st_mode) & ~CLOSED_TO_OTHERS
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not is_open


def _host() -> str:
    """Home directories may be shared by machines, and containers."""
    return socket.gethostname()
