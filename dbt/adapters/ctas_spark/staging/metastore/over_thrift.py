"""A Hive metastore over plain Thrift, without a JVM: binary, buffered, unauthenticated.

A call that does not end with an answer closes its connection: what is left of that answer must not
be taken for the next one. Nothing is ever sent twice.
"""

import socket
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TType
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.metastore.hive import HiveMetastore
from dbt.adapters.ctas_spark.staging.metastore.wire import (
    NO_ANSWER,
    Struct,
    answer,
    ask,
    sequence,
    string,
    struct,
    text_of,
)

CONNECT_SECONDS = 10.0
"""Until a server accepts."""
CALL_SECONDS = 600.0
"""Of silence while an answer is awaited."""

Address = tuple[str, int]
"""Host and port of a server."""


class ThriftMetastore(HiveMetastore):
    """The client.

    ``uris`` are tried in their order whenever a connection is made. The server is told to act for
    ``user``, as Hive's own clients tell it.
    """

    def __init__(self, uris: str, *, user: str | None = None) -> None:
        super().__init__(partial(_connected, addresses_in(uris), user))


class SocketConnection:
    """A socket that is connected from the start; OSError if nobody listens."""

    def __init__(self, address: Address, user: str | None) -> None:
        # TSocket's own open knows one timeout only, and logs every refused attempt.
        self._socket = socket.create_connection(address, CONNECT_SECONDS)
        self._socket.settimeout(CALL_SECONDS)
        self._connected = TSocket()
        self._connected.setHandle(self._socket)
        self._protocol = TBinaryProtocol(TBufferedTransport(self._connected))
        if user is not None:
            self.call("set_ugi", struct(string(user), sequence(TType.STRING)).value)

    @property
    def is_open(self) -> bool:
        """False once it was closed, by either side."""
        try:
            return self._socket.fileno() >= 0 and bool(self._connected.isOpen())
        except OSError:  # another thread closes it just now
            return False

    def call(self, method: str, arguments: Struct) -> Struct:
        """The method's result; TApplicationException where the server has no exception for it."""
        try:
            ask(self._protocol, method, arguments)
            return answer(self._protocol, method)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the socket; a thread that waits for an answer gets an error."""
        with suppress(OSError):  # the server may have been faster
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def _connected(addresses: tuple[Address, ...], user: str | None) -> SocketConnection:
    """A connection to the first server that takes one; OSError with everyone's reason."""
    failures: list[str] = []
    for host, port in addresses:
        try:
            return SocketConnection((host, port), user)
        except NO_ANSWER as error:  # noqa: PERF203 (a few servers)
            failures.append(f"{host}:{port}: {text_of(error)}")
    raise OSError("; ".join(failures))


def addresses_in(uris: str) -> tuple[Address, ...]:
    """The servers in ``hive.metastore.uris``; MetastoreError if it can't be read."""
    try:
        found = tuple(_address(uri.strip()) for uri in uris.split(",") if uri.strip())
    except ValueError as error:
        raise MetastoreError(
            f"hive.metastore.uris can't be read: {error}",
            left="nothing was started",
            remedy="set it to thrift://host:port, or to several of them with commas between",
        ) from error
    if not found:
        raise MetastoreError("hive.metastore.uris is empty", left="nothing was started")
    return found


def _address(uri: str) -> Address:
    parts = urlsplit(uri)
    if parts.scheme != "thrift" or not parts.hostname or not parts.port:
        raise ValueError(f"{uri!r} is not thrift://host:port")
    return parts.hostname, parts.port
