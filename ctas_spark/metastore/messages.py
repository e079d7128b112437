"""What a Hive metastore is sent and answers: entries, filters, partitions, locks and refusals.

Source of the fields' numbers: ``Table``, ``StorageDescriptor``, ``SerDeInfo``, ``FieldSchema``,
``EnvironmentContext``, ``Partition``, ``GetTableRequest``, ``GetTablesRequest``,
``ClientCapability``, ``AddPartitionsRequest``, ``DropPartitionsRequest``, ``LockRequest`` and
``ShowLocksResponseElement`` in Hive's ``hive_metastore.thrift``, the same from
Hive 2.3 to 4.2.
"""

import re
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from thrift.Thrift import TType

from ..context import TableName
from ..errors import (
    ColumnsRefusedError,
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from ..wire import EMPTY, Field, Struct, boolean, sequence, string, strings, struct, words, words_of
from .client import (
    MANAGED,
    PROVIDER,
    STAGED_STATICALLY,
    VIEW,
    EntryChange,
    Expectation,
    Partition,
    TableEntry,
    TableLock,
    values_in,
)

T = TypeVar("T")
BATCH = 500
"""Partitions or tables in one call: each has all columns, and servers limit a message to 100 MB."""
NAME, DATABASE, OWNER, CREATE_TIME, STORAGE, PARTITION_KEYS, PARAMETERS = 1, 2, 3, 4, 7, 8, 9
VIEW_ORIGINAL, VIEW_EXPANDED, TYPE, PRIVILEGES, OWNER_TYPE = 10, 11, 12, 13, 18
OF_THE_BASE = (OWNER, OWNER_TYPE, CREATE_TIME, PRIVILEGES)
COLUMNS, LOCATION, SERDE, SERDE_PARAMETERS = 1, 2, 7, 3
COLUMN_NAME, COLUMN_TYPE, COLUMN_COMMENT = 1, 2, 3
PART_VALUES, PART_DATABASE, PART_TABLE, PART_CREATE_TIME = 1, 2, 3, 4
PART_STORAGE, PART_PARAMETERS = 6, 7
LOCK_ID, LOCK_STATE, LOCK_BEATEN, LOCK_USER = 1, 2, 8, 10
EXCLUSIVE, OF_A_TABLE, WITHOUT_TRANSACTION = (Field(TType.I32, number) for number in (3, 2, 6))
ACQUIRED = 1
INSERT_ONLY_TABLES = 2
"""What Hive 3 and 4 ask of a client before they show it an insert-only ACID table; of Hive's own
client, too. Without processor capabilities they translate nothing, and an entry can be written
back. A server of Hive 2.3 reads the number as one that it does not know, and asks for none."""
NO_STATISTICS = {"DO_NOT_UPDATE_STATS": "true"}
AGENT = "dbt-ctas-spark"
"""The name that ``SHOW LOCKS`` shows next to a lock's owner."""
PARAMETER = "hive_filter_field_params__"
PURGED = {"external.table.purge": "TRUE", "auto.purge": "true"}
"""Hive 3 and 4 make an external table of one that is no transactional one, and delete its files by
this property."""
SCRATCH = "ctas_spark_deletes"
"""The property that says what a scratch table was made to delete."""
SCRATCH_SINCE = "ctas_spark_deletes_since"
"""The property that says when, in milliseconds since the epoch."""

MODIFIED = "The table has been modified"
NO_SUCH_TABLE = "table not found"
NOWHERE_TO_ADD = "because database or table"
TAKEN = "already exists"
INCOMPATIBLE = "types incompatible with the existing columns"
EXISTS = "AlreadyExistsException"
MISSING = ("NoSuchObjectException", "UnknownDBException", "NoSuchLockException")
REFUSED = ("InvalidOperationException", "InvalidObjectException", "InvalidInputException")


def entry_of(name: TableName, table: Struct) -> TableEntry:
    """The entry, with the whole struct as its ``raw``."""
    storage = table.struct(STORAGE)
    columns = [(_name(one), one) for one in storage.structs(COLUMNS)]
    parameters, placed = table.texts(PARAMETERS), storage.text(LOCATION)
    path = storage.struct(SERDE).texts(SERDE_PARAMETERS).get("path")
    places = [path, placed] if PROVIDER in parameters else [placed, path]
    location, also_at = [*filter(None, places), None, None][:2]
    return TableEntry(
        name=name,
        table_type=table.text(TYPE) or "",
        location=location,
        also_at=also_at,
        columns=tuple((called, one.text(COLUMN_TYPE) or "") for called, one in columns),
        partition_keys=tuple(map(_name, table.structs(PARTITION_KEYS))),
        create_time=table.value(CREATE_TIME) or 0,
        parameters=parameters,
        raw=table,
        comments={called: text for called, one in columns if (text := one.text(COLUMN_COMMENT))},
        owner=table.text(OWNER) or "",
    )


def changed(change: EntryChange) -> Struct:
    """The staged struct under the target's name, with what comes from the base."""
    staged = _struct(change.staged)
    database, table = named(change.target)
    fields: dict[int, Field | None] = {
        NAME: table,
        DATABASE: database,
        PARAMETERS: strings(change.parameters),
    }
    if storage := _changed_storage(change, staged.struct(STORAGE)):
        fields[STORAGE] = Field(TType.STRUCT, staged.struct(STORAGE).replaced(storage))
    if change.base is not None:
        base = _struct(change.base)
        kept = (*OF_THE_BASE, PARTITION_KEYS) if change.keeps_partition_keys else OF_THE_BASE
        fields |= {number: base.fields.get(number) for number in kept}
    return staged.replaced(fields)


def _changed_storage(change: EntryChange, storage: Struct) -> dict[int, Field | None]:
    fields: dict[int, Field | None] = {}
    if change.columns is not None:
        columns = (struct(*map(string, one)).value for one in change.columns)
        fields[COLUMNS] = sequence(TType.STRUCT, *columns)
    serde = storage.struct(SERDE)
    options = serde.texts(SERDE_PARAMETERS)
    if STAGED_STATICALLY.items() <= options.items():
        kept = {name: value for name, value in options.items() if name not in STAGED_STATICALLY}
        fields[SERDE] = Field(TType.STRUCT, serde.replaced({SERDE_PARAMETERS: strings(kept)}))
    return fields


def scratch_view(name: TableName) -> Struct:
    """A new entry without a directory."""
    storage = {COLUMNS: sequence(TType.STRUCT), SERDE: Field(TType.STRUCT, EMPTY)}
    database, table = named(name)
    return Struct(
        {
            NAME: table,
            DATABASE: database,
            STORAGE: Field(TType.STRUCT, Struct(storage)),
            PARTITION_KEYS: sequence(TType.STRUCT),
            VIEW_ORIGINAL: string("select 1"),
            VIEW_EXPANDED: string("select 1"),
            TYPE: string(VIEW),
        }
    )


def scratch_table(name: TableName, location: str, now_ms: int) -> Struct:
    """A new managed table, whose directory goes with it when it is dropped."""
    storage = scratch_view(name).struct(STORAGE).replaced({LOCATION: string(location)})
    managed = strings({**PURGED, SCRATCH: location, SCRATCH_SINCE: str(now_ms)})
    return scratch_view(name).replaced(
        {
            STORAGE: Field(TType.STRUCT, storage),
            VIEW_ORIGINAL: None,
            VIEW_EXPANDED: None,
            PARAMETERS: managed,
            TYPE: string(MANAGED),
        }
    )


def is_scratch_table(entry: TableEntry, location: str) -> bool:
    """True if the entry was made to delete the location, and nothing else."""
    return entry.parameters.get(SCRATCH) == location


def named(name: TableName) -> tuple[Field, Field]:
    """Database and table, as most calls begin."""
    return string(name.database), string(name.table)


def environment(expected: Expectation | None = None) -> Field:
    """The context of a change: its precondition, and no counting of files."""
    condition: dict[str, str] = {}
    if expected is not None:
        condition["expected_parameter_key"] = expected.key
        condition["expected_parameter_value"] = expected.value
    return struct(strings({**NO_STATISTICS, **condition}))


def parameter_is(parameter: str, value: str) -> str:
    """The filter for tables of which ``parameter`` is ``value``.

    Raises:
        ValueError: Hive's filters can't say it. Their names are letters, digits and underscores,
            and a quote in a literal can't be escaped.
    """
    quote = "'" if '"' in value else '"'
    if quote in value or not re.fullmatch(r"\w+", parameter, re.ASCII):
        raise ValueError(f"a metastore can't be asked for {parameter} = {value!r}")
    return f"{PARAMETER}{parameter} = {quote}{value}{quote}"


def begins_with(prefix: str) -> str:
    """The pattern for names that begin so, or for all where a character could be special."""
    return f"{prefix}*" if re.fullmatch(r"\w*", prefix, re.ASCII) else "*"


def tables_named(database: str, names: Iterable[str], prefix: str = "") -> tuple[TableName, ...]:
    """The names that do begin so: Hive's are of lower case, and its patterns ignore it."""
    return tuple(TableName(database, one) for one in names if one.startswith(prefix.lower()))


def partition_of(part: Struct) -> Partition:
    """Its values and its location."""
    location = part.struct(PART_STORAGE).text(LOCATION)
    return Partition(words_of(part.value(PART_VALUES)), location or "")


def names_of(partitions: Iterable[Partition], names: Iterable[str]) -> tuple[str, ...]:
    """The server's own names of these partitions: it alone knows what it escapes."""
    values = {partition.values for partition in partitions}
    return tuple(name for name in names if values_in(name) in values)


def addition(table: TableEntry, partitions: Iterable[Partition]) -> Field:
    """The request that adds these partitions where they are missing."""
    if_not_exists, need_result = boolean(True), boolean(False)
    return struct(*named(table.name), parts(table, partitions), if_not_exists, need_result)


def parts(table: TableEntry, partitions: Iterable[Partition]) -> Field:
    """Partitions of the table's columns, which a server keeps once for all of them, and format."""
    storage = _struct(table).struct(STORAGE)
    database, name = named(table.name)
    made = Field(TType.I32, int(time.time()))
    return sequence(
        TType.STRUCT,
        *(
            Struct(
                {
                    PART_VALUES: words(*one.values),
                    PART_DATABASE: database,
                    PART_TABLE: name,
                    PART_CREATE_TIME: made,
                    PART_STORAGE: Field(
                        TType.STRUCT, storage.replaced({LOCATION: string(one.location)})
                    ),
                    PART_PARAMETERS: strings(one.parameters),
                }
            )
            for one in partitions
        ),
    )


def dropping(name: TableName, names: Iterable[str]) -> Field:
    """The request that drops the partitions of these names and leaves their data."""
    delete_data, if_exists, need_result = boolean(False), boolean(True), boolean(False)
    parts = struct(words(*names))
    return struct(*named(name), parts, delete_data, if_exists, None, None, need_result)


def batches(all_of_them: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in pieces, each for one call."""
    for start in range(0, len(all_of_them), BATCH):
        yield all_of_them[start : start + BATCH]


def locking(name: TableName, owner: str) -> Field:
    """The request for an exclusive lock on a table."""
    component = struct(EXCLUSIVE, OF_A_TABLE, *named(name), None, WITHOUT_TRANSACTION)
    components = sequence(TType.STRUCT, component.value)
    return struct(components, None, string(owner), string(socket.gethostname()), string(AGENT))


def lock_id(lock: int) -> Field:
    """The request about a lock."""
    return struct(Field(TType.I64, lock))


def shown(lock: Struct) -> TableLock:
    """A lock as the server lists it."""
    return TableLock(lock.value(LOCK_ID), lock.text(LOCK_USER) or "", lock.value(LOCK_BEATEN) or 0)


def refusal(kind: str, text: str) -> MetastoreError:
    """The error for an exception of class ``kind``: any but a refusal may have had its effect."""
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


def capabilities() -> Field:
    """What this client knows of tables."""
    return struct(sequence(TType.I32, INSERT_ONLY_TABLES))


def _name(column: Struct) -> str:
    return column.text(COLUMN_NAME) or ""


def _struct(read: TableEntry) -> Struct:
    if not isinstance(read.raw, Struct):
        raise TypeError(f"an entry of {read.name} that was read by another client")
    return read.raw
