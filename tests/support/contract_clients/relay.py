"""A way to a server that can be cut, and that can lose what the server answers."""

import itertools
import select
import socket
import threading
import time
from contextlib import suppress


class Relay:
    """Passes bytes between its own port and a server's, from ``resume`` until ``cut``.

    With several servers, as a balancer does: they take turns. While ``loses_answers`` is set, a
    connection ends when the server's answer comes. One that was idle for so long ends by itself.
    """

    def __init__(self, *server_ports: int, idle_seconds: float | None = None) -> None:
        self.loses_answers = False
        self._idle_seconds = idle_seconds
        self.taken = dict.fromkeys(server_ports, 0)
        self._turns = itertools.cycle(server_ports)
        self._port = 0
        self._open: list[socket.socket] = []
        self.resume()

    @property
    def port(self) -> int:
        """Where clients connect."""
        return self._port

    @property
    def uri(self) -> str:
        """The same, as a metastore's address."""
        return f"thrift://127.0.0.1:{self._port}"

    def resume(self) -> None:
        """Take connections, on the same port as before."""
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._port = self._listener.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def cut(self) -> None:
        """End every connection and take no more."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        while self._open:
            _end(self._open.pop())

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                turn = next(self._turns)
                self.taken[turn] += 1
                server = socket.create_connection(("127.0.0.1", turn))
                self._open += [client, server]
                used = [time.monotonic()]
                self._start(client, server, used, answers=False)
                self._start(server, client, used, answers=True)

    def _start(
        self, source: socket.socket, sink: socket.socket, used: list[float], *, answers: bool
    ) -> None:
        both = [source, sink, used, answers]
        threading.Thread(target=self._pass_on, args=both, daemon=True).start()

    def _received(self, source: socket.socket, used: list[float]) -> bytes:
        while True:
            ready, _, _ = select.select([source], [], [], self._idle_seconds)
            if ready:
                used[0] = time.monotonic()
                return source.recv(65_536)
            if time.monotonic() - used[0] >= (self._idle_seconds or 0):
                return b""

    def _pass_on(
        self,
        source: socket.socket,
        sink: socket.socket,
        used: list[float],
        answers: bool,  # noqa: FBT001
    ) -> None:
        with suppress(OSError, ValueError):  # the latter of what has been closed
            while data := self._received(source, used):
                if answers and self.loses_answers:
                    break
                sink.sendall(data)
        _end(source)
        _end(sink)


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
