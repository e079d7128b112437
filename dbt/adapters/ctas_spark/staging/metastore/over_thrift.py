"""A Hive metastore over plain Thrift, without a JVM.

An entry stays the struct that the server sent, so that a publication loses nothing of it, whatever
the server's version. The calls are those that every server has from Hive 2.3 on: ``get_table``,
for one, is gone in Hive 4.0.1. Source of names and numbers: Hive's ``hive_metastore.thrift``.
"""

import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from thrift.Thrift import TException, TType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import (
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
)
from dbt.adapters.ctas_spark.staging.metastore import refusals
from dbt.adapters.ctas_spark.staging.metastore.client import PROBE, EntryChange, Expectation
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.metastore.environment import environment
from dbt.adapters.ctas_spark.staging.metastore.thrift_connection import (
    Address,
    Connection,
    Timeouts,
)
from dbt.adapters.ctas_spark.staging.metastore.thrift_entry import changed, entry_of, scratch_view
from dbt.adapters.ctas_spark.staging.metastore.thrift_struct import (
    Field,
    Struct,
    boolean,
    sequence,
    string,
    strings,
    struct,
)

DEFAULT_TIMEOUTS = Timeouts()
NO_ANSWER = (TException, OSError, EOFError, UnicodeError)

SUCCESS = 0
MESSAGE = 1
DATABASE_LOCATION = 3


@dataclass(frozen=True, slots=True)
class Method:
    """A call, and the exceptions that it declares, by field id."""

    name: str
    exceptions: Mapping[int, str]
    returns: bool = False


META, MISSING, EXISTS = "MetaException", "NoSuchObjectException", "AlreadyExistsException"
INVALID_OBJECT, INVALID_OPERATION = "InvalidObjectException", "InvalidOperationException"

GET_TABLE = Method("get_table_req", {1: META, 2: MISSING}, returns=True)
GET_DATABASE = Method("get_database", {1: MISSING, 2: META}, returns=True)
CREATE_TABLE = Method(
    "create_table_with_environment_context",
    {1: EXISTS, 2: INVALID_OBJECT, 3: META, 4: MISSING},
)
ALTER_TABLE = Method("alter_table_with_environment_context", {1: INVALID_OPERATION, 2: META})
DROP_TABLE = Method("drop_table_with_environment_context", {1: MISSING, 2: META})


class ThriftMetastore:
    """The protocol's six calls on a remote metastore; one connection for each thread.

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

    def get_table(self, name: TableName) -> TableEntry | None:
        """One get_table_req call."""
        request = struct(string(name.database), string(name.table))
        try:
            answer = self._call(f"get_table({name})", GET_TABLE, request)
        except EntryMissingError:
            return None
        return entry_of(name, answer.struct(1))

    def database_location(self, database: str) -> str | None:
        """One get_database call."""
        try:
            answer = self._call(f"get_database({database})", GET_DATABASE, string(database))
        except EntryMissingError:
            return None
        return answer.text(DATABASE_LOCATION)

    def create_table(self, change: EntryChange) -> None:
        """One create_table call; the server counts no files for it."""
        self._create(change.target, changed(change))

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        """One alter_table call with its precondition."""
        self._alter(change.target, changed(change), expected)

    def drop_entry(self, name: TableName) -> None:
        """One drop_table call that leaves the data."""
        arguments = string(name.database), string(name.table), boolean(False), _environment(None)
        try:
            self._call(f"drop_table({name})", DROP_TABLE, *arguments)
        except EntryMissingError:
            return

    def compares_and_swaps(self, database: str) -> bool:
        """Alter a scratch view with a wrong expectation: a server that obeys does not compare."""
        name = TableName(database, f"probe__{secrets.token_hex(8)}")
        scratch = scratch_view(name, {PROBE: "here"})
        self._create(name, scratch)
        try:
            self._alter(name, scratch, Expectation(PROBE, "another"))
        except EntryModifiedError:
            return True
        finally:
            self.drop_entry(name)
        return False

    def close(self) -> None:
        """Close the connections of every thread."""
        while self._connections:
            self._connections.pop().close()
        self._thread = threading.local()

    def _create(self, name: TableName, table: Struct) -> None:
        arguments = Field(TType.STRUCT, table), _environment(None)
        self._call(f"create_table({name})", CREATE_TABLE, *arguments)

    def _alter(self, name: TableName, table: Struct, expected: Expectation | None) -> None:
        self._call(
            f"alter_table({name})",
            ALTER_TABLE,
            string(name.database),
            string(name.table),
            Field(TType.STRUCT, table),
            _environment(expected),
        )

    def _call(self, what: str, method: Method, *arguments: Field) -> Struct:
        """What a call that succeeded returned; nothing for a call that returns nothing."""
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
        return result.struct(SUCCESS)

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


def _environment(expected: Expectation | None) -> Field:
    return struct(strings(environment(expected)))
