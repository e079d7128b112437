"""One connection to a Thrift server: binary, buffered, unauthenticated; for one thread.

A call that does not end with an answer closes it: what is left of that answer must not be taken
for the next one. Nothing is ever sent twice.
"""

import socket
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException, TMessageType, TType
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from dbt.adapters.ctas_spark.staging.metastore.thrift import struct as thrift_struct
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import Struct


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: until a server accepts, and of silence while an answer is awaited."""

    connect: float = 10.0
    call: float = 600.0


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens."""

    host: str
    port: int

    @classmethod
    def of(cls, uri: str) -> "Address":
        """The address in ``thrift://host:port``; ValueError if that is not what it is."""
        parts = urlsplit(uri)
        if parts.scheme != "thrift" or not parts.hostname or not parts.port:
            raise ValueError(f"{uri!r} is not thrift://host:port")
        return cls(parts.hostname, parts.port)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Connection:
    """A socket that is connected from the start; OSError if nobody listens."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        # TSocket's own open knows one timeout only, and logs every refused attempt.
        self._socket = socket.create_connection((address.host, address.port), timeouts.connect)
        self._socket.settimeout(timeouts.call)
        self._connected = TSocket()
        self._connected.setHandle(self._socket)
        self._transport = TBufferedTransport(self._connected)
        self._protocol = TBinaryProtocol(self._transport)

    @property
    def is_open(self) -> bool:
        """False once it was closed, by either side."""
        try:
            return self._socket.fileno() >= 0 and bool(self._connected.isOpen())
        except OSError:  # another thread closes it just now
            return False

    def call(self, method: str, arguments: Struct) -> Struct:
        """The method's result: field 0 is its success, every other field a declared exception.

        Raises:
            TApplicationException: the server failed without an exception of the method's own.
            TException, OSError, EOFError, UnicodeError: there is no answer.
        """
        try:
            self._protocol.writeMessageBegin(method, TMessageType.CALL, 0)
            thrift_struct.write(self._protocol, TType.STRUCT, arguments)
            self._transport.flush()
            return self._answer(method)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the socket; a thread that waits for an answer gets an error."""
        with suppress(OSError):  # the server may have been faster
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _answer(self, method: str) -> Struct:
        name, kind, _ = self._protocol.readMessageBegin()
        if kind == TMessageType.EXCEPTION:
            failure = TApplicationException()
            failure.read(self._protocol)
            raise failure
        if (kind, name) != (TMessageType.REPLY, method):
            raise TProtocolException(
                TProtocolException.INVALID_DATA, f"an answer of kind {kind} to {name!r}"
            )
        result: Struct = thrift_struct.read(self._protocol, TType.STRUCT)
        return result
