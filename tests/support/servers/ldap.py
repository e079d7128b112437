"""An LDAP server that knows one password and answers nothing but simple binds."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from servers.loopback import HOST

BIND, UNBIND = 0x60, 0x42
SUCCESS, INVALID_CREDENTIALS = 0, 49


@contextmanager
def ldap_server(name: str, password: str) -> Iterator[str]:
    """Its URL; ``name`` is the distinguished one."""
    wanted = _field(0x04, name.encode()) + _field(0x80, password.encode())

    class Bind(socketserver.BaseRequestHandler):
        """A client: binds, one after the other, until it unbinds."""

        def handle(self) -> None:
            while (request := self.request.recv(4_096)) and request[5] != UNBIND:
                code = SUCCESS if request[5] == BIND and wanted in request else INVALID_CREDENTIALS
                answer = _field(0x0A, bytes([code])) + _field(0x04, b"") + _field(0x04, b"")
                whole = _field(0x02, request[4:5]) + _field(0x61, answer)
                self.request.sendall(_field(0x30, whole))

    with socketserver.ThreadingTCPServer((HOST, 0), Bind) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"ldap://{HOST}:{server.server_address[1]}"
        server.shutdown()


def _field(tag: int, value: bytes) -> bytes:
    """BER, as long as it is short."""
    return bytes([tag, len(value)]) + value
