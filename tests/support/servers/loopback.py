"""Ports and answers of servers on loopback."""

import secrets
import socket
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

HOST = "127.0.0.1"
LOWEST = 10_000
RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def free_port() -> int:
    """Return a port that nobody listens on, and that the kernel gives to no outgoing connection.

    One of those that it gives away may be taken again before the server listens.
    """
    given_away = int(RANGE.read_text().split()[0])
    while True:
        port = LOWEST + secrets.randbelow(given_away - LOWEST)
        with suppress(OSError), socket.socket() as probe:
            probe.bind((HOST, port))
            return port


def answers(port: int, path: str) -> bool:
    """True if a server answers there with 200."""
    try:
        with urlopen(f"http://{HOST}:{port}{path}") as answer:
            return bool(answer.status == 200)
    except (URLError, ConnectionError):
        return False
