"""A Thrift server that answers as a test tells it, without a metastore behind it."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TApplicationException, TMessageType, TType
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportException

from ctas_spark import wire
from ctas_spark.wire import Field, Struct

Answer = Struct | Exception | None
DONE = Struct({})


def returned(value: Struct) -> Struct:
    """The result of a method that returns a struct."""
    return Struct({0: Field(TType.STRUCT, value)})


def raised(number: int, message: str) -> Struct:
    """The result of a method that raises its declared exception ``number``."""
    return Struct({number: wire.struct(wire.string(message))})


def failed() -> TApplicationException:
    """What a server answers when its code broke."""
    return TApplicationException(TApplicationException.INTERNAL_ERROR, "Internal error")


def answering(**answers: Answer) -> Callable[[str, Struct], Answer]:
    """Answers by method."""
    return lambda method, _arguments: answers.get(method, DONE)


class HangUpError(Exception):
    """Answering so closes the connection without a word."""


class ScriptedServer:
    """Keeps what it was asked; ``answer`` says what it returns, and None leaves a call unanswered.

    ``misnamed`` is the method that answers claim to be for.
    """

    def __init__(self, listener: socket.socket) -> None:
        self.uri = f"thrift://127.0.0.1:{listener.getsockname()[1]}"
        self.asked: list[tuple[str, Struct]] = []
        self.connections = 0
        self.misnamed: str | None = None
        self.answer: Callable[[str, Struct], Answer] = lambda _method, _arguments: DONE
        self._listener = listener
        self._open: list[socket.socket] = []

    @property
    def methods(self) -> list[str]:
        """The names of what it was asked."""
        return [method for method, _ in self.asked]

    def hang_up(self) -> None:
        """Close every connection; the listener stays."""
        while self._open:
            with suppress(OSError):
                self._open[-1].shutdown(socket.SHUT_RDWR)
            self._open.pop().close()

    def accept(self) -> None:
        """Serve until the listener is closed."""
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                self._open.append(connection)
                threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        stream = TSocket()
        stream.setHandle(connection)
        transport = TBufferedTransport(stream)
        protocol = TBinaryProtocol(transport)
        with suppress(TTransportException, OSError, HangUpError):
            while True:
                method, _, number = protocol.readMessageBegin()
                arguments = wire.read(protocol, TType.STRUCT)
                self.asked.append((method, arguments))
                named = self.misnamed or method
                _reply(protocol, named, number, self.answer(method, arguments))
                transport.flush()
        connection.close()


def _reply(protocol: TBinaryProtocol, method: str, number: int, answer: Answer) -> None:
    if isinstance(answer, TApplicationException):
        protocol.writeMessageBegin(method, TMessageType.EXCEPTION, number)
        answer.write(protocol)
    elif isinstance(answer, Exception):
        raise answer
    elif answer is not None:
        protocol.writeMessageBegin(method, TMessageType.REPLY, number)
        wire.write(protocol, TType.STRUCT, answer)


@contextmanager
def scripted_server() -> Iterator[ScriptedServer]:
    """A server on a free port, gone at the end."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = ScriptedServer(listener)
        threading.Thread(target=server.accept, daemon=True).start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)
        server.hang_up()
