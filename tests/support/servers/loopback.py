"""Ports and answers of servers on loopback."""

import socket
from urllib.error import URLError
from urllib.request import urlopen

HOST = "127.0.0.1"


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def answers(port: int, path: str) -> bool:
    """True if a server answers there with 200."""
    try:
        with urlopen(f"http://{HOST}:{port}{path}") as answer:
            return bool(answer.status == 200)
    except (URLError, ConnectionError):
        return False
