"""Calls of a Hive metastore, by their Thrift methods; one connection for each thread.

The calls are those that every server has from Hive 2.3 on: ``get_table``, for one, is gone in Hive
4.0.1. Source of names and numbers: Hive's ``hive_metastore.thrift``.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException, TException, TMessageType, TType

from dbt.adapters.ctas_spark.staging.errors import (
    ColumnsRefusedError,
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from dbt.adapters.ctas_spark.staging.metastore.thrift import struct as thrift_struct
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import Field, Struct, struct

NO_ANSWER = (TException, OSError, EOFError, UnicodeError)
SUCCESS = 0
MESSAGE = 1

MODIFIED = "The table has been modified"
NO_SUCH_TABLE = "table not found"
NOWHERE_TO_ADD = "because database or table"
TAKEN = "already exists"
INCOMPATIBLE = "types incompatible with the existing columns"
EXISTS = "AlreadyExistsException"
MISSING = ("NoSuchObjectException", "UnknownDBException", "NoSuchLockException")
REFUSED = ("InvalidOperationException", "InvalidObjectException", "InvalidInputException")


@dataclass(frozen=True, slots=True)
class Method:
    """A call, and the exceptions that it declares, by field id.

    ``repeatable`` is true of a call that may be made twice, as one that only reads.
    """

    name: str
    exceptions: Mapping[int, str]
    returns: bool = False
    repeatable: bool = False


class Connection(Protocol):
    """A way to a metastore for one thread; every failure of it is one of ``NO_ANSWER``."""

    @property
    def is_open(self) -> bool:
        """False once it was closed, or after a call that did not end with an answer."""

    def call(self, method: str, arguments: Struct) -> Struct:
        """The method's result: field 0 is its success, every other field a declared exception."""

    def close(self) -> None:
        """Close it; no error when it is closed already."""


class HiveCalls:
    """What the client calls with; ``connect`` makes a connection for the thread that asks.

    No call is made twice.
    """

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._thread = threading.local()
        self._connections: set[Connection] = set()

    def close(self) -> None:
        """Close the connections of every thread."""
        while self._connections:
            self._connections.pop().close()
        self._thread = threading.local()

    def _call(self, what: str, method: Method, *arguments: Field) -> Any:
        """What a call that succeeded returned; None for a call that returns nothing."""
        connection = self._connection(what)
        try:
            result = connection.call(method.name, struct(*arguments).value)
        except NO_ANSWER as error:
            raise MetastoreError(f"metastore call {what} failed: {text_of(error)}") from error
        for number, field in result.fields.items():
            if number != SUCCESS:
                kind = method.exceptions.get(number, f"exception {number}")
                said = f"metastore call {what}: {kind}: {field.value.text(MESSAGE)}"
                raise _refusal(kind, said)
        if method.returns and SUCCESS not in result.fields:
            raise MetastoreError(f"metastore call {what} returned nothing")
        return result.value(SUCCESS)

    def _connection(self, what: str) -> Connection:
        """This thread's connection: a new one where the last one is closed, by either side."""
        current: Connection | None = getattr(self._thread, "connection", None)
        if current is not None:
            if current.is_open:
                return current
            self._connections.discard(current)
            current.close()
        try:
            connection = self._connect()
        except NO_ANSWER as error:
            raise MetastoreError(
                f"metastore call {what} was not made, no server answers: {text_of(error)}"
            ) from error
        self._connections.add(connection)
        self._thread.connection = connection
        return connection


def _refusal(kind: str, text: str) -> MetastoreError:
    """The error for an exception of class ``kind``: what is no refusal may have had its effect."""
    if MODIFIED in text:
        return EntryModifiedError(text)
    if INCOMPATIBLE in text:
        return ColumnsRefusedError(text)
    if kind == EXISTS:
        return EntryExistsError(text)
    if kind in MISSING or text.endswith(NO_SUCH_TABLE) or NOWHERE_TO_ADD in text:
        return EntryMissingError(text)
    if kind in REFUSED:
        return EntryExistsError(text) if text.endswith(TAKEN) else RefusedError(text)
    return MetastoreError(text)


def text_of(error: BaseException) -> str:
    """An error with its cause, which the words of Thrift's own errors leave out."""
    inner = getattr(error, "inner", None)
    return f"{error} ({inner})" if inner else str(error) or type(error).__name__


def ask(protocol: Any, method: str, arguments: Struct) -> None:
    """Send a call's message."""
    protocol.writeMessageBegin(method, TMessageType.CALL, 0)
    thrift_struct.write(protocol, TType.STRUCT, arguments)
    protocol.trans.flush()


def answer(protocol: Any, method: str) -> Struct:
    """Receive the result of that call; TApplicationException where the server failed."""
    name, kind, _ = protocol.readMessageBegin()
    if kind == TMessageType.EXCEPTION:
        failure = TApplicationException()
        failure.read(protocol)
        raise failure
    if (kind, name) != (TMessageType.REPLY, method):
        raise TProtocolException(
            TProtocolException.INVALID_DATA, f"an answer of kind {kind} to {name!r}"
        )
    result: Struct = thrift_struct.read(protocol, TType.STRUCT)
    return result
