"""Which process a lease belongs to, so that others can tell that it has ended."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path

import psutil

PID_NAMESPACE = Path("/proc/self/ns/pid")
SAME_START_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """One process on one host; ``started`` in seconds since the epoch tells reused pids apart.

    ``host`` holds the namespace of the pid where there is one: containers may share host names.
    """

    host: str
    pid: int
    started: float

    @classmethod
    def current(cls) -> "ProcessIdentity":
        """This process."""
        return cls(_host(), os.getpid(), psutil.Process().create_time())

    @property
    def has_ended(self) -> bool:
        """True only where it can be known: on the same host, and no such process is there."""
        if self.host != _host():
            return False
        try:
            started = psutil.Process(self.pid).create_time()
        except psutil.NoSuchProcess:
            return True
        return abs(started - self.started) > SAME_START_SECONDS


def _host() -> str:
    namespace = f" {PID_NAMESPACE.readlink()}" if PID_NAMESPACE.is_symlink() else ""
    return f"{socket.gethostname()}{namespace}"
