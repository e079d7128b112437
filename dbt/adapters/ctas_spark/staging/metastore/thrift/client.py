"""A Hive metastore by its Thrift methods, whatever connection brings them there.

An entry stays the struct that the server sent, so that a publication loses nothing of it, whatever
the server's version.
"""

import secrets
from contextlib import suppress
from functools import partial

from thrift.Thrift import TType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import (
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from dbt.adapters.ctas_spark.staging.metastore.client import (
    PROBE,
    EntryChange,
    Expectation,
    Partition,
    TableEntry,
    TableLock,
)
from dbt.adapters.ctas_spark.staging.metastore.thrift import requests
from dbt.adapters.ctas_spark.staging.metastore.thrift.calls import HiveCalls, Method
from dbt.adapters.ctas_spark.staging.metastore.thrift.connection import (
    addresses_in,
    connect,
)
from dbt.adapters.ctas_spark.staging.metastore.thrift.entry import changed, entry_of, scratch_view
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import (
    Field,
    boolean,
    string,
    struct,
    words_of,
)

DATABASE_LOCATION = 3
LOCKS = 1
NO_LIMIT = Field(TType.I16, -1)

META, MISSING, EXISTS = "MetaException", "NoSuchObjectException", "AlreadyExistsException"
INVALID_OBJECT, INVALID_OPERATION = "InvalidObjectException", "InvalidOperationException"
NO_SUCH_LOCK = "NoSuchLockException"
NO_SUCH_TXN, TXN_ABORTED = "NoSuchTxnException", "TxnAbortedException"


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
TABLES_BY_FILTER = _reading(
    "get_table_names_by_filter", {1: META, 2: INVALID_OPERATION, 3: "UnknownDBException"}
)
PARTITIONS = _reading("get_partitions", {1: MISSING, 2: META})
PARTITION_NAMES = _reading("get_partition_names", {1: MISSING, 2: META})
ADD_PARTITIONS = Method("add_partitions_req", {1: INVALID_OBJECT, 2: EXISTS, 3: META})
DROP_PARTITIONS = Method("drop_partitions_req", {1: MISSING, 2: META})
LOCK = Method("lock", {1: NO_SUCH_TXN, 2: TXN_ABORTED}, returns=True)
CHECK_LOCK = _reading("check_lock", {1: NO_SUCH_TXN, 2: TXN_ABORTED, 3: NO_SUCH_LOCK})
SHOW_LOCKS = _reading("show_locks", {})
HEARTBEAT = Method("heartbeat", {1: NO_SUCH_LOCK, 2: NO_SUCH_TXN, 3: TXN_ABORTED}, repeatable=True)
UNLOCK = Method("unlock", {1: NO_SUCH_LOCK, 2: "TxnOpenException"})


class HiveMetastore(HiveCalls):
    """The whole client: tables, partitions and locks. Each call is one of the server's."""

    def get_table(self, name: TableName) -> TableEntry | None:
        """One get_table_req call; it is never answered from a cache."""
        request = struct(string(name.database), string(name.table))
        try:
            answer = self._call(f"get_table({name})", GET_TABLE, request)
        except EntryMissingError:
            return None
        return entry_of(name, answer.struct(1))

    def database_location(self, database: str) -> str | None:
        try:
            answer = self._call(f"get_database({database})", GET_DATABASE, string(database))
        except EntryMissingError:
            return None
        location: str | None = answer.text(DATABASE_LOCATION)
        return location

    def create_table(self, change: EntryChange) -> None:
        """One create_table call; the server counts no files for it."""
        arguments = Field(TType.STRUCT, changed(change)), requests.environment()
        self._call(f"create_table({change.target})", CREATE_TABLE, *arguments)

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        self.rename_table(change.target, change, expected)

    def rename_table(
        self, was: TableName, change: EntryChange, expected: Expectation | None
    ) -> None:
        table = Field(TType.STRUCT, changed(change))
        arguments = *requests.named(was), table, requests.environment(expected)
        self._call(f"alter_table({was})", ALTER_TABLE, *arguments)

    def drop_entry(self, name: TableName) -> None:
        """One drop_table call that leaves the data."""
        arguments = *requests.named(name), boolean(False), requests.environment()
        with suppress(EntryMissingError):
            self._call(f"drop_table({name})", DROP_TABLE, *arguments)

    def drop_column_statistics(self, name: TableName) -> None:
        """One call without a column's name, which stands for all of them."""
        with suppress(RefusedError):  # servers have several words for "there are none"
            self._call(f"drop_column_statistics({name})", DROP_STATISTICS, *requests.named(name))

    def databases(self) -> tuple[str, ...]:
        return words_of(self._call("get_all_databases()", DATABASES))

    def tables(self, database: str, prefix: str = "") -> tuple[TableName, ...]:
        arguments = string(database), string(requests.begins_with(prefix))
        found = words_of(self._call(f"get_tables({database})", TABLES, *arguments))
        return requests.tables_named(database, found, prefix)

    def tables_with(self, database: str, parameter: str, value: str) -> tuple[TableName, ...]:
        asked = requests.parameter_is(parameter, value)
        arguments = string(database), string(asked), NO_LIMIT
        try:
            found = self._call(f"get_tables({database}, {asked})", TABLES_BY_FILTER, *arguments)
        except EntryMissingError:
            return ()
        return requests.tables_named(database, words_of(found))

    def scratch_entry(self, name: TableName) -> TableEntry:
        return entry_of(name, scratch_view(name))

    def compares_and_swaps(self, database: str) -> bool:
        """Alter a scratch view with a wrong expectation: a server that obeys does not compare."""
        scratch = self.scratch_entry(_unused(database))
        change = EntryChange(scratch.name, scratch, None, {PROBE: "here"})
        self.create_table(change)
        try:
            self.alter_table(change, Expectation(PROBE, "another"))
        except EntryModifiedError:
            return True
        finally:
            self.drop_entry(scratch.name)
        return False

    def partitions(self, name: TableName) -> tuple[Partition, ...]:
        found = self._call(f"get_partitions({name})", PARTITIONS, *requests.named(name), NO_LIMIT)
        return tuple(map(requests.partition_of, found.values))

    def add_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """One add_partitions_req call for some hundreds."""
        for batch in requests.batches(partitions):
            request = requests.addition(name, batch)
            self._call(f"add_partitions({name})", ADD_PARTITIONS, request)

    def drop_partitions(self, name: TableName, partitions: tuple[Partition, ...]) -> None:
        """One call for all names, one drop_partitions_req call for some hundreds."""
        names = requests.names_of(partitions, self._partition_names(name))
        for batch in requests.batches(names):
            request = requests.dropping(name, batch)
            self._call(f"drop_partitions({name})", DROP_PARTITIONS, request)

    def supports_locks(self) -> bool:
        """Lock a scratch name: a server without lock tables breaks, and answers the next call."""
        try:
            lock = self.lock(_unused(PROBE), PROBE)
        except MetastoreError:
            self.databases()
            return False
        self.unlock(lock)
        return True

    def lock(self, name: TableName, owner: str) -> int:
        answer = self._call(f"lock({name})", LOCK, requests.locking(name, owner))
        lock: int = answer.value(requests.LOCK_ID)
        return lock

    def is_granted(self, lock: int) -> bool:
        answer = self._call(f"check_lock({lock})", CHECK_LOCK, requests.lock_id(lock))
        return bool(answer.value(requests.LOCK_STATE) == requests.ACQUIRED)

    def locks_on(self, name: TableName) -> tuple[TableLock, ...]:
        answer = self._call(f"show_locks({name})", SHOW_LOCKS, struct(*requests.named(name)))
        return tuple(map(requests.shown, answer.structs(LOCKS)))

    def heartbeat(self, lock: int) -> None:
        self._call(f"heartbeat({lock})", HEARTBEAT, requests.lock_id(lock))

    def unlock(self, lock: int) -> None:
        with suppress(EntryMissingError):
            self._call(f"unlock({lock})", UNLOCK, requests.lock_id(lock))

    def _partition_names(self, name: TableName) -> tuple[str, ...]:
        arguments = *requests.named(name), NO_LIMIT
        try:
            return words_of(self._call(f"get_partition_names({name})", PARTITION_NAMES, *arguments))
        except MetastoreError:
            self.partitions(name)  # Hive 2.3 breaks at a missing table there, and says so here
            raise


class ThriftMetastore(HiveMetastore):
    """The client over plain Thrift, without a JVM.

    ``uris`` are tried in their order whenever a connection is made; ``user`` is whom the server
    acts for.
    """

    def __init__(self, uris: str, *, user: str | None = None) -> None:
        super().__init__(partial(connect, addresses_in(uris), user))


def _unused(database: str) -> TableName:
    return TableName(database, f"probe__{secrets.token_hex(8)}")
