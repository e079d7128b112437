"""Calls on a remote metastore over plain Thrift; one connection for each thread.

The calls are those that every server has from Hive 2.3 on: ``get_table``, for one, is gone in Hive
4.0.1. Source of names and numbers: Hive's ``hive_metastore.thrift``.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thrift.Thrift import TException, TType

from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.metastore import refusals
from dbt.adapters.ctas_spark.staging.metastore.thrift.connection import (
    Address,
    Connection,
    Timeouts,
)
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import Field, sequence, string, struct

DEFAULT_TIMEOUTS = Timeouts()
NO_ANSWER = (TException, OSError, EOFError, UnicodeError)
META, MISSING = "MetaException", "NoSuchObjectException"
NO_LIMIT = Field(TType.I16, -1)
SUCCESS = 0
MESSAGE = 1


@dataclass(frozen=True, slots=True)
class Method:
    """A call, and the exceptions that it declares, by field id."""

    name: str
    exceptions: Mapping[int, str]
    returns: bool = False


class ThriftCalls:
    """What every part of the client calls with.

    ``uris`` are tried in their order whenever a connection is made; no call is made twice.
    ``user`` is whom the server acts for, as Hive's own clients tell it.
    """

    def __init__(
        self, uris: str, *, user: str | None = None, timeouts: Timeouts = DEFAULT_TIMEOUTS
    ) -> None:
        self._addresses = _addresses(uris)
        self._user = user
        self._timeouts = timeouts
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
            raise MetastoreError(f"metastore call {what} failed: {_text(error)}") from error
        for number, field in result.fields.items():
            if number != SUCCESS:
                kind = method.exceptions.get(number, f"exception {number}")
                raise refusals.named(
                    kind, f"metastore call {what}: {kind}: {field.value.text(MESSAGE)}"
                )
        if method.returns and SUCCESS not in result.fields:
            raise MetastoreError(f"metastore call {what} returned nothing")
        return result.value(SUCCESS)

    def _connection(self, what: str) -> Connection:
        """This thread's connection: a new one where the last one is closed, by either side."""
        current: Connection | None = getattr(self._thread, "connection", None)
        if current is not None and current.is_open:
            return current
        if current is not None:
            self._connections.discard(current)
        connection = self._connected(what)
        self._connections.add(connection)
        self._thread.connection = connection
        return connection

    def _connected(self, what: str) -> Connection:
        """A connection to the first server that takes one."""
        failures: list[str] = []
        for address in self._addresses:
            connection = self._connect(address, failures)
            if connection is not None:
                return connection
        tried = "; ".join(failures)
        raise MetastoreError(f"metastore call {what} was not made, no server answers: {tried}")

    def _connect(self, address: Address, failures: list[str]) -> Connection | None:
        try:
            connection = Connection(address, self._timeouts)
            if self._user is not None:
                user = struct(string(self._user), sequence(TType.STRING))
                connection.call("set_ugi", user.value)
        except NO_ANSWER as error:
            failures.append(f"{address}: {_text(error)}")
            return None
        return connection


def _addresses(uris: str) -> tuple[Address, ...]:
    try:
        found = tuple(Address.of(uri.strip()) for uri in uris.split(",") if uri.strip())
    except ValueError as error:
        raise MetastoreError(
            f"hive.metastore.uris can't be read: {error}",
            left="nothing was started",
            remedy="set it to thrift://host:port, or to several of them with commas between",
        ) from error
    if not found:
        raise MetastoreError("hive.metastore.uris is empty", left="nothing was started")
    return found


def _text(error: BaseException) -> str:
    """An error with its cause, which the words of Thrift's own errors leave out."""
    inner = getattr(error, "inner", None)
    return f"{error} ({inner})" if inner else str(error) or type(error).__name__
