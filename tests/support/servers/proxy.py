"""A way to a Thrift server on which a test stops, loses or delays single calls.

It knows where a message of the binary protocol ends and what its method is called, and nothing
else. Everything happens by events: a call that a test holds is held until the test lets it go.
"""

import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TMessageType, TType
from thrift.transport.TTransport import TTransportBase

STRING = b"\x0b"


@dataclass(frozen=True, slots=True)
class Message:
    """A request or an answer, as the bytes that it is on the wire."""

    method: str
    kind: int
    raw: bytes

    def names(self, first: str, second: str) -> bool:
        """True if it has these texts as fields 1 and 2 of a struct.

        Most calls name the database first; an entry to create, the table.
        """
        return _text(1, first) + _text(2, second) in self.raw


class Call:
    """One request that has arrived from a client, and what becomes of it."""

    def __init__(self, request: Message, client: "Peer", server: "Peer") -> None:
        self.request = request
        self._client = client
        self._server = server

    def forward(self) -> None:
        """Give the request to the server."""
        self._server.send(self.request)

    def answer(self) -> Message:
        """Wait for the server's answer, which the client has not got yet."""
        return self._server.receive()

    def pass_on(self) -> None:
        """What a proxy does: the request there and the answer back."""
        self.forward()
        if self.request.kind == TMessageType.CALL:
            self.give(self.answer())

    def give(self, answer: Message) -> None:
        """Give the client an answer."""
        self._client.send(answer)

    def break_off(self) -> None:
        """End the client's connection; the one to the server stays."""
        self._client.close()


Action = Callable[[Call], None]


@dataclass(frozen=True, slots=True)
class Rule:
    """What is done with the next call of one of these methods that names these two."""

    methods: tuple[str, ...]
    first: str
    second: str
    action: Action

    def fits(self, request: Message) -> bool:
        """True for the call that is waited for."""
        return request.method in self.methods and request.names(self.first, self.second)


class Proxy:
    """Passes calls on from its own port to a server's, between ``up`` and ``down``."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._port = 0
        self._guard = threading.Lock()
        self._rules: list[Rule] = []
        self._peers: list[Peer] = []
        self._called: Counter[str] = Counter()
        self.up()

    @property
    def uri(self) -> str:
        """Where clients connect."""
        return f"thrift://127.0.0.1:{self._port}"

    def up(self) -> None:
        """Take connections, on the same port as before."""
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._port = self._listener.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def down(self) -> None:
        """End every connection and take no more: for clients the server is gone."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        with self._guard:
            ended, self._peers = self._peers, []
        for peer in ended:
            peer.close()

    @contextmanager
    def at(
        self, methods: str | tuple[str, ...], first: str, second: str, action: Action
    ) -> Iterator[None]:
        """Do ``action``, once, with the next such call instead of passing it on."""
        names = (methods,) if isinstance(methods, str) else methods
        rule = Rule(names, first, second, action)
        with self._guard:
            self._rules.append(rule)
        try:
            yield
        finally:
            with self._guard, suppress(ValueError):
                self._rules.remove(rule)

    @contextmanager
    def counting(self) -> Iterator[Counter[str]]:
        """The calls in this block by their methods; complete when it ends."""
        with self._guard:
            before, called = self._called.copy(), Counter[str]()
        yield called
        with self._guard:
            called += self._called - before

    @property
    def calls(self) -> int:
        """How many there were so far."""
        with self._guard:
            return self._called.total()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._server_port))
                peers = Peer(client), Peer(server)
                with self._guard:
                    self._peers += peers
                threading.Thread(target=self._serve, args=peers, daemon=True).start()

    def _serve(self, client: "Peer", server: "Peer") -> None:
        with suppress(OSError, EOFError, ValueError):
            while True:
                request = client.receive()
                self._action(request)(Call(request, client, server))
        client.close()
        server.close()

    def _action(self, request: Message) -> Action:
        with self._guard:
            self._called[request.method] += 1
            for rule in self._rules:
                if rule.fits(request):
                    self._rules.remove(rule)
                    return rule.action
        return Call.pass_on


class Peer:
    """One end of a connection that sends and receives whole messages."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._source = connection.makefile("rb")

    def send(self, message: Message) -> None:
        """Send the message as it came."""
        self._socket.sendall(message.raw)

    def receive(self) -> Message:
        """The next message, whole; EOFError when the other side ended."""
        recorder = _Recorder(self._source)
        protocol = TBinaryProtocol(recorder)
        method, kind, _ = protocol.readMessageBegin()
        protocol.skip(TType.STRUCT)
        return Message(method, kind, bytes(recorder.taken))

    def close(self) -> None:
        """End the connection; a thread that waits for a message gets EOFError."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class _Recorder(TTransportBase):  # type: ignore[misc]  # thrift has no types
    """Keeps what a protocol reads."""

    def __init__(self, source: BinaryIO | Any) -> None:
        self._source = source
        self.taken = bytearray()

    def readAll(self, size: int) -> bytes:  # noqa: N802 (Thrift's name)
        """Exactly ``size`` bytes."""
        read: bytes = self._source.read(size)
        if len(read) < size:
            raise EOFError
        self.taken += read
        return read


def _text(field: int, value: str) -> bytes:
    """A text as a field of the binary protocol."""
    encoded = value.encode()
    return STRING + struct.pack(">hi", field, len(encoded)) + encoded
