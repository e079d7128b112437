"""The connections to a Hive metastore: a socket, and the client classes in Spark's own JVM.

Both bring a call's bytes to a server's Thrift methods. A call that does not end with an answer ends
its connection: what is left of that answer must not be taken for the next one.
"""

import logging
import socket
import time
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TApplicationException, TType
from thrift.transport.TTransport import TMemoryBuffer, TTransportException

from ..engines import jvm
from ..engines.thrift.channel import (
    NOSASL,
    Access,
    Connected,
    Login,
    NotConnectedError,
    logged_in,
    opened,
    pauses,
)
from ..errors import MetastoreError, RefusedError
from ..wire import NO_ANSWER, Field, Struct, answer, ask, message, sequence, string, struct, text_of
from . import messages
from .client import TableEntry
from .hive import HiveMetastore, Method

logger = logging.getLogger(__name__)

PLAIN = Access(Login(NOSASL))
"""Thrift alone, without a login."""
CALL_SECONDS = 600.0
"""Of silence while an answer is awaited."""
OUTAGE_SECONDS = 30.0
"""In all, for which a server that has answered before is asked again: it may be restarting."""
ATTEMPTS = 30
FRAMES = "\n\tat "  # a lost connection is told with the whole stack
METASTORE, THRIFT = "org.apache.hadoop.hive.metastore", "org.apache.thrift"
LOGS_REFUSALS = f"{METASTORE}.HiveAlterHandler"
LOGS_BROKEN_CALLS = f"{THRIFT}.ProcessFunction"

Address = tuple[str, int]
"""Host and port of a server."""


class ThriftMetastore(HiveMetastore):
    """The client over Thrift's binary protocol.

    ``uris`` are tried in their order whenever a connection is made. ``access`` is the login, by
    Kerberos or by a password, and TLS. A server without logins is told to act for ``user``, as
    Hive's own clients tell it.
    """

    def __init__(self, uris: str, *, user: str | None = None, access: Access = PLAIN) -> None:
        connect = partial(_connected, addresses_in(uris), user, access)
        super().__init__(connect, messages.capabilities())
        self._outage = Outage()

    def _call(self, what: str, method: Method, *arguments: Field) -> Any:
        """One that may be made twice is made again while an outage lasts; no other ever is."""
        for pause in pauses(ATTEMPTS):
            began = time.monotonic()
            try:
                answered = super()._call(what, method, *arguments)
            except MetastoreError as error:
                if not _is_silence(error):
                    self._outage.is_over()
                    raise
                is_repeatable = method.repeatable and not method.breaks
                if not (is_repeatable and self._outage.goes_on(error, began)):
                    raise
            else:
                self._outage.is_over()
                return answered
            time.sleep(pause)
        raise AssertionError("an outage ends before the attempts do")


class Outage:
    """What all calls share: after ``OUTAGE_SECONDS`` without an answer none is made again."""

    def __init__(self) -> None:
        self._has_answered = False
        self._since: float | None = None

    def is_over(self) -> None:
        """The server has answered."""
        self._has_answered, self._since = True, None

    def goes_on(self, error: MetastoreError, began: float) -> bool:
        """True if a call that began then, and was not answered, may be made again."""
        is_new, since = self._since is None, self._since or began
        self._since = since
        if not self._has_answered or time.monotonic() - since >= OUTAGE_SECONDS:
            return False
        if is_new:
            logger.warning("%s; it is asked again for %.0f s", error.what, OUTAGE_SECONDS)
        return True


def _is_silence(error: MetastoreError) -> bool:
    """False where the server has answered: that it has no such method, or lets nobody in."""
    cause = error.__cause__
    is_no = isinstance(cause, TApplicationException) or not getattr(cause, "may_pass", True)
    return isinstance(cause, NO_ANSWER) and not is_no


class SocketConnection:
    """A socket that is connected and logged in from the start; OSError if it can't be."""

    def __init__(self, address: Address, user: str | None, access: Access) -> None:
        host, port = address
        self._socket = opened(host, port, access)
        self._connected = Connected(self._socket)
        try:
            self._protocol = TBinaryProtocol(logged_in(self._connected, host, access))
        except BaseException:
            self.close()
            raise
        if user is not None and access.login.auth == NOSASL:  # answered as soon as a connection
            self.call("set_ugi", struct(string(user), sequence(TType.STRING)).value)
        self._connected.setTimeout(CALL_SECONDS * 1_000)

    @property
    def is_open(self) -> bool:
        """False once it was closed, by either side."""
        return self._connected.is_alive

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


def _connected(
    addresses: tuple[Address, ...], user: str | None, access: Access
) -> SocketConnection:
    """A connection to the first server that takes one; NotConnectedError with everyone's reason."""
    failures: list[str] = []
    may_pass = False
    for host, port in addresses:
        try:
            return SocketConnection((host, port), user, access)
        except NO_ANSWER as error:  # noqa: PERF203 (a few servers)
            failures.append(f"{host}:{port}: {text_of(error)}")
            may_pass |= getattr(error, "may_pass", True)
    raise NotConnectedError("; ".join(failures), may_pass=may_pass)


def addresses_in(uris: str) -> tuple[Address, ...]:
    """The servers in ``hive.metastore.uris``; MetastoreError if it can't be read."""
    try:
        found = tuple(_address(uri.strip()) for uri in uris.split(",") if uri.strip())
    except ValueError as error:
        raise _unreadable(f"can't be read: {error}") from error
    if not found:
        raise _unreadable("is empty")
    return found


def _unreadable(why: str) -> MetastoreError:
    return MetastoreError(
        f"hive.metastore.uris {why}",
        left="nothing was started",
        remedy="set it to thrift://host:port, or to several of them with commas between",
    )


def _address(uri: str) -> Address:
    parts = urlsplit(uri)
    if parts.scheme != "thrift" or not parts.hostname or not parts.port:
        raise ValueError(f"{uri!r} is not thrift://host:port")
    return parts.hostname, parts.port


class InJvmConnection:
    """A HiveMetaStoreClient, which is not safe between threads, and where its messages lie.

    The client is made by its own constructor, which does not retry a call: a retry turns a success
    into a conflict. The processor turns a message into a call on its inner client: the outer one
    changes some of them on their way. Fields that its classes don't know are lost.
    """

    def __init__(self, conf: Any, packages: Any) -> None:
        def of(path: str) -> Any:
            return jvm.member(packages, path)

        try:
            self._client = of(f"{METASTORE}.HiveMetaStoreClient")(conf)
            calls = self._client.getClass().getDeclaredField("client")
            calls.setAccessible(True)
            processor = of(f"{METASTORE}.api.ThriftHiveMetastore.Processor")
            self._processor = processor(calls.get(self._client))
            self._request = of(f"{THRIFT}.transport.TMemoryInputTransport")()
            self._answer = of("java.io.ByteArrayOutputStream")()
            protocol = of(f"{THRIFT}.protocol.TBinaryProtocol")
            writes = of(f"{THRIFT}.transport.TIOStreamTransport")(self._answer)
            self._reads, self._writes = protocol(self._request), protocol(writes)
        except jvm.FAILURES as error:
            raise TTransportException(message=_said(error)) from error
        self.is_open = True

    def call(self, method: str, arguments: Struct) -> Struct:
        """The method's result, in four calls; a call without an answer ends the connection.

        They return no object of Java's: for each, py4j would send another message to release it.
        """
        request = message(method, arguments)
        try:
            result = self._processed(request)
            return answer(TBinaryProtocol(TMemoryBuffer(result)), method)
        except BaseException:
            self.is_open = False
            raise

    def close(self) -> None:
        """Close the client; one of a JVM that has ended is closed."""
        self.is_open = False
        with suppress(*jvm.FAILURES):
            self._client.close()

    def _processed(self, request: bytes) -> bytes:
        try:
            self._request.reset(request)
            self._answer.reset()
            self._processor.process(self._reads, self._writes)
            return bytes(self._answer.toByteArray())
        except jvm.FAILURES as error:
            raise TTransportException(message=_said(error)) from error


class InJvmMetastore(HiveMetastore):
    """The client on Spark's own Hive classes and settings.

    It names no capabilities: those of Hive 2.3.10 leave out a number that they don't know, and
    those of 2.3.9 break the connection over it.
    """

    def __init__(self, spark: SparkSession) -> None:
        catalog = jvm.shared_state(spark).externalCatalog().unwrapped()
        self._conf = catalog.client().conf()
        self._packages = jvm.classes(spark)
        super().__init__(partial(InJvmConnection, self._conf, self._packages))

    def setting(self, key: str) -> str:
        """One of Hive's settings; empty where it has none."""
        return str(self._conf.get(key) or "")

    def compares_and_swaps(self, entry: TableEntry, key: str) -> bool:
        """The refusal is expected: an embedded metastore would log it as an error of the user's."""
        with jvm.quiet(self._packages, LOGS_REFUSALS):
            return super().compares_and_swaps(entry, key)

    def supports_locks(self) -> bool:
        """That a server breaks over the question is expected, and our processor would log it."""
        with jvm.quiet(self._packages, LOGS_BROKEN_CALLS):
            return super().supports_locks()

    def _call(self, what: str, method: Method, *arguments: Field) -> Any:
        """A call that may be made twice is made on a new connection if the old one was dead.

        A long job leaves the connection idle until a server or a proxy closes it, and Hive's
        client does not see that before it calls.
        """
        try:
            return super()._call(what, method, *arguments)
        except MetastoreError as error:
            if isinstance(error, RefusedError) or not method.repeatable:
                raise
            return super()._call(what, method, *arguments)


def _said(error: Exception) -> str:
    """What failed in the JVM, without its frames."""
    if not isinstance(error, Py4JJavaError):
        return str(error)
    kind = error.java_exception.getClass().getSimpleName()
    said = str(error.java_exception.getMessage()).partition(FRAMES)[0]
    return f"{kind}: {said}"
