"""A Hive metastore by its Thrift methods, whatever connection brings them there.

An entry stays the struct that the server sent, so that a publication loses nothing of it. The calls
are those that every server has from Hive 2.3 on: ``get_table``, for one, is gone in Hive 4.0.1.
Source of names and numbers: Hive's ``hive_metastore.thrift``.
"""

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from thrift.Thrift import TApplicationException, TType

from ..context import TableName
from ..errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from ..wire import NO_ANSWER, Connection, Field, boolean, string, struct, text_of, words, words_of
from . import messages
from .client import (
    CallUnansweredError,
    EntryChange,
    Expectation,
    Partition,
    TableEntry,
    TableLock,
)
from .messages import changed, entry_of, named

SUCCESS, MESSAGE, DATABASE_LOCATION, TABLE, LOCKS = 0, 1, 3, 1, 1
NO_LIMIT = Field(TType.I16, -1)
PROBE = "ctas_spark_probe"
"""What a probe expects of a parameter, which never has this value, and whose its lock is."""
SEVERAL_WIN = b"4.0.0"
"""The version, with its alphas and betas, that compares and lacks HIVE-28121."""

META, MISSING, EXISTS = "MetaException", "NoSuchObjectException", "AlreadyExistsException"
INVALID_OBJECT, INVALID_OPERATION = "InvalidObjectException", "InvalidOperationException"
NO_SUCH_LOCK = "NoSuchLockException"
NO_SUCH_TXN, TXN_ABORTED = "NoSuchTxnException", "TxnAbortedException"


@dataclass(frozen=True, slots=True)
class Method:
    """A call, and the exceptions that it declares, by field id.

    ``repeatable`` is true of a call that may be made twice, such as one that only reads, and
    ``breaks`` of one at which Hive 2.3 closes the connection instead of saying no.
    """

    name: str
    exceptions: Mapping[int, str]
    returns: bool = False
    repeatable: bool = False
    breaks: bool = False


def _reading(name: str, exceptions: dict[int, str]) -> Method:
    return Method(name, exceptions, returns=True, repeatable=True)


GET_TABLE = _reading("get_table_req", {1: META, 2: MISSING})
GET_DATABASE = _reading("get_database", {1: MISSING, 2: META})
CREATE_TABLE = Method(
    "create_table_with_environment_context",
    {1: EXISTS, 2: INVALID_OBJECT, 3: META, 4: MISSING},
)
ALTER_TABLE = Method("alter_table_with_environment_context", {1: INVALID_OPERATION, 2: META})
DROP_TABLE = Method("drop_table_with_environment_context", {1: MISSING, 2: META})
DROP_STATISTICS = Method(
    "delete_table_column_statistics",
    {1: MISSING, 2: META, 3: INVALID_OBJECT, 4: "InvalidInputException"},
)
DATABASES = _reading("get_all_databases", {1: META})
TABLES = _reading("get_tables", {1: META})
TABLE_OBJECTS = _reading(
    "get_table_objects_by_name_req", {1: META, 2: INVALID_OPERATION, 3: "UnknownDBException"}
)
TABLES_BY_FILTER = _reading(
    "get_table_names_by_filter", {1: META, 2: INVALID_OPERATION, 3: "UnknownDBException"}
)
PARTITIONS = _reading("get_partitions", {1: MISSING, 2: META})
PARTITION_NAMES = Method(
    "get_partition_names", {1: MISSING, 2: META}, returns=True, repeatable=True, breaks=True
)
ADD_PARTITIONS = Method("add_partitions_req", {1: INVALID_OBJECT, 2: EXISTS, 3: META})
ALTER_PARTITIONS = Method(
    "alter_partitions_with_environment_context", {1: INVALID_OPERATION, 2: META}
)
DROP_PARTITIONS = Method("drop_partitions_req", {1: MISSING, 2: META})
LOCK = Method("lock", {1: NO_SUCH_TXN, 2: TXN_ABORTED}, returns=True)
CHECK_LOCK = _reading("check_lock", {1: NO_SUCH_TXN, 2: TXN_ABORTED, 3: NO_SUCH_LOCK})
SHOW_LOCKS = _reading("show_locks", {})
HEARTBEAT = Method("heartbeat", {1: NO_SUCH_LOCK, 2: NO_SUCH_TXN, 3: TXN_ABORTED}, repeatable=True)
VERSION = _reading("getVersion", {})
UNLOCK = Method("unlock", {1: NO_SUCH_LOCK, 2: "TxnOpenException"})


class HiveMetastore:
    """The whole client: tables, partitions and locks. Each call is one of the server's.

    ``connect`` makes a connection for the thread that asks. No call is made twice.
    """

    def __init__(self, connect: Callable[[], Connection], *capabilities: Field) -> None:
        self._connect = connect
        self._capabilities = capabilities
        self._thread = threading.local()
        self._connections: set[Connection] = set()

    def close(self) -> None:
        """Close the connections of every thread."""
        while self._connections:
            self._connections.pop().close()
        self._thread = threading.local()

    def get_table(self, name: TableName) -> TableEntry | None:
        """One get_table_req call; it is never answered from a cache."""
        try:
            request = struct(*named(name), *self._capabilities)
            answer = self._call(f"get_table({name})", GET_TABLE, request)
        except EntryMissingError:
            return None
        return entry_of(name, answer.struct(TABLE))

    def entries(self, names: Sequence[TableName]) -> tuple[TableEntry, ...]:
        """One get_table_objects_by_name_req call for some hundreds."""
        found: list[TableEntry] = []
        for batch in messages.batches(names):
            what = f"get_tables({batch[0]} and others)"
            by_name = {one.table: one for one in batch}
            request = struct(string(batch[0].database), words(*by_name), *self._capabilities)
            answer = self._call(what, TABLE_OBJECTS, request)
            tables = ((table.text(messages.NAME) or "", table) for table in answer.structs(TABLE))
            found += [entry_of(by_name[name], table) for name, table in tables]
        return tuple(found)

    def database_location(self, database: str) -> str | None:
        try:
            answer = self._call(f"get_database({database})", GET_DATABASE, string(database))
        except EntryMissingError:
            return None
        location: str | None = answer.text(DATABASE_LOCATION)
        return location

    def create_table(self, change: EntryChange) -> None:
        """One create_table call; the server counts no files for it.

        Of two at the same moment, Hive 4 refuses one by its database's unique key, in the words of
        that database: so a call that failed with an answer is followed by a look.
        """
        arguments = Field(TType.STRUCT, changed(change)), messages.environment()
        try:
            self._call(f"create_table({change.target})", CREATE_TABLE, *arguments)
        except (RefusedError, CallUnansweredError):
            raise
        except MetastoreError as error:
            if self._shows(change.target):
                raise EntryExistsError(error.what) from error
            raise

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        self.rename_table(change.target, change, expected)

    def rename_table(
        self, was: TableName, change: EntryChange, expected: Expectation | None
    ) -> None:
        table = Field(TType.STRUCT, changed(change))
        arguments = *named(was), table, messages.environment(expected)
        self._call(f"alter_table({was})", ALTER_TABLE, *arguments)

    def drop_entry(self, name: TableName) -> None:
        """One drop_table call that leaves the data."""
        arguments = *named(name), boolean(False), messages.environment()
        with suppress(EntryMissingError):
            self._call(f"drop_table({name})", DROP_TABLE, *arguments)

    def delete_directory(self, location: str, scratch: TableName, now_ms: int) -> None:
        """Have the server delete a directory, as it does with that of a managed table it drops.

        So its own rights and file systems count, and this process needs neither. The entry
        ``scratch`` lives for two calls, and says that it began now; one that a killed run has left
        is used again.

        Raises:
            MetastoreError: the server refused. It may also fail to delete and not say so.
        """
        table = Field(TType.STRUCT, messages.scratch_table(scratch, location, now_ms))
        try:
            with suppress(EntryExistsError):
                self._call(f"create_table({scratch})", CREATE_TABLE, table, messages.environment())
            self._drop_with_data(scratch, location)
        except MetastoreError:
            with suppress(MetastoreError):
                self.drop_entry(scratch)
            raise

    def drop_old_scratch_tables(self, database: str, prefix: str, before_ms: int) -> None:
        """Drop what killed runs have left of deletions that began before; the data stays.

        Whoever dropped such an entry in the usual way would delete the directory.
        """
        for entry in self.entries(self.tables(database, prefix)):
            began = entry.parameters.get(messages.SCRATCH_SINCE, "")
            if began.isdecimal() and int(began) < before_ms:
                self.drop_entry(entry.name)

    def _drop_with_data(self, scratch: TableName, location: str) -> None:
        entry = self.get_table(scratch)
        if entry is None or not messages.is_scratch_table(entry, location):
            raise MetastoreError(f"{scratch} is not the entry that was made to delete {location}")
        arguments = *named(scratch), boolean(True), messages.environment()
        with suppress(EntryMissingError):
            self._call(f"drop_table({scratch}) with {location}", DROP_TABLE, *arguments)

    def drop_column_statistics(self, name: TableName) -> None:
        """One call without a column's name, which stands for all of them."""
        with suppress(RefusedError):  # servers have several words for "there are none"
            self._call(f"drop_column_statistics({name})", DROP_STATISTICS, *named(name))

    def databases(self) -> tuple[str, ...]:
        return words_of(self._call("get_all_databases()", DATABASES))

    def tables(self, database: str, prefix: str = "") -> tuple[TableName, ...]:
        arguments = string(database), string(messages.begins_with(prefix))
        found = words_of(self._call(f"get_tables({database})", TABLES, *arguments))
        return messages.tables_named(database, found, prefix)

    def tables_with(self, database: str, parameter: str, value: str) -> tuple[TableName, ...]:
        asked = messages.parameter_is(parameter, value)
        arguments = string(database), string(asked), NO_LIMIT
        try:
            found = self._call(f"get_tables({database}, {asked})", TABLES_BY_FILTER, *arguments)
        except EntryMissingError:
            return ()
        return messages.tables_named(database, words_of(found))

    def scratch_entry(self, name: TableName) -> TableEntry:
        return entry_of(name, messages.scratch_view(name))

    def compares_and_swaps(self, entry: TableEntry, key: str) -> bool:
        """Alter it to what it is: a server that obeys a wrong expectation does not compare."""
        unchanged = EntryChange.of(entry, dict(entry.parameters))
        try:
            self.alter_table(unchanged, Expectation(key, PROBE))
        except EntryModifiedError:
            return not self._lets_several_win()
        return False

    def _lets_several_win(self) -> bool:
        """Hive 4.0.0 does, on MySQL and MariaDB, and does not say which database it has."""
        try:
            version: bytes = self._call("getVersion()", VERSION)
        except MetastoreError as error:
            if isinstance(error.__cause__, TApplicationException):
                return False  # a server of another maker, which has no such method
            raise
        return version.startswith(SEVERAL_WIN)

    def partitions(self, name: TableName) -> tuple[Partition, ...]:
        found = self._call(f"get_partitions({name})", PARTITIONS, *named(name), NO_LIMIT)
        return tuple(map(messages.partition_of, found.values))

    def add_partitions(self, table: TableEntry, partitions: Sequence[Partition]) -> None:
        """One add_partitions_req call for some hundreds."""
        for batch in messages.batches(partitions):
            request = messages.addition(table, batch)
            self._call(f"add_partitions({table.name})", ADD_PARTITIONS, request)

    def alter_partitions(self, table: TableEntry, partitions: Sequence[Partition]) -> None:
        """One alter_partitions_with_environment_context call for some hundreds."""
        for batch in messages.batches(partitions):
            arguments = *named(table.name), messages.parts(table, batch), messages.environment()
            self._call(f"alter_partitions({table.name})", ALTER_PARTITIONS, *arguments)

    def drop_partitions(self, name: TableName, partitions: Sequence[Partition]) -> None:
        """One call for all names, one drop_partitions_req call for some hundreds."""
        names = messages.names_of(partitions, self._partition_names(name))
        for batch in messages.batches(names):
            request = messages.dropping(name, batch)
            self._call(f"drop_partitions({name})", DROP_PARTITIONS, request)

    def supports_locks(self) -> bool:
        """Lock a scratch name: a server without lock tables breaks, and answers the next call.

        It breaks each time; one lost answer is none.
        """
        return self._grants_lock() or self._grants_lock()

    def _grants_lock(self) -> bool:
        try:
            lock = self.lock(TableName(PROBE, f"probe__{secrets.token_hex(8)}"), PROBE)
        except MetastoreError:
            self.databases()
            return False
        self.unlock(lock)
        return True

    def lock(self, name: TableName, owner: str) -> int:
        answer = self._call(f"lock({name})", LOCK, messages.locking(name, owner))
        lock: int = answer.value(messages.LOCK_ID)
        return lock

    def is_granted(self, lock: int) -> bool:
        answer = self._call(f"check_lock({lock})", CHECK_LOCK, messages.lock_id(lock))
        return bool(answer.value(messages.LOCK_STATE) == messages.ACQUIRED)

    def locks_on(self, name: TableName) -> tuple[TableLock, ...]:
        answer = self._call(f"show_locks({name})", SHOW_LOCKS, struct(*named(name)))
        return tuple(map(messages.shown, answer.structs(LOCKS)))

    def heartbeat(self, lock: int) -> None:
        self._call(f"heartbeat({lock})", HEARTBEAT, messages.lock_id(lock))

    def unlock(self, lock: int) -> None:
        with suppress(EntryMissingError):
            self._call(f"unlock({lock})", UNLOCK, messages.lock_id(lock))

    def _shows(self, name: TableName) -> bool:
        """True if the entry is there; False if not, or if nobody can say."""
        with suppress(MetastoreError):
            return self.get_table(name) is not None
        return False

    def _partition_names(self, name: TableName) -> tuple[str, ...]:
        arguments = *named(name), NO_LIMIT
        try:
            return words_of(self._call(f"get_partition_names({name})", PARTITION_NAMES, *arguments))
        except MetastoreError:
            self.partitions(name)  # Hive 2.3 breaks at a missing table there, and says so here
            raise

    def _call(self, what: str, method: Method, *arguments: Field) -> Any:
        """What a call that succeeded returned; None for a call that returns nothing."""
        connection = self._connection(what)
        try:
            result = connection.call(method.name, struct(*arguments).value)
        except NO_ANSWER as error:
            is_over = method.repeatable or isinstance(error, TApplicationException)
            failed = MetastoreError if is_over else CallUnansweredError
            raise failed(f"metastore call {what} failed: {text_of(error)}") from error
        for number, field in result.fields.items():
            if number != SUCCESS:
                kind = method.exceptions.get(number, f"exception {number}")
                said = f"metastore call {what}: {kind}: {field.value.text(MESSAGE)}"
                raise messages.refusal(kind, said)
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
