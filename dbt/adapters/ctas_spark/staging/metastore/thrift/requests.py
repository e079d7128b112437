"""What a metastore is sent besides tables: filters, preconditions, partitions and locks.

Source of the fields, in their order: ``EnvironmentContext``, ``Partition``,
``AddPartitionsRequest``, ``DropPartitionsRequest``, ``LockRequest`` and
``ShowLocksResponseElement`` in Hive's ``hive_metastore.thrift``, the same from Hive 2.3 to 4.2.
"""

import re
import socket
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar
from urllib.parse import unquote

from thrift.Thrift import TType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore.client import (
    AGENT,
    Expectation,
    Partition,
    TableLock,
)
from dbt.adapters.ctas_spark.staging.metastore.thrift.entry import Storage
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import (
    Field,
    Struct,
    boolean,
    sequence,
    string,
    strings,
    struct,
    words,
    words_of,
)

T = TypeVar("T")
BATCH = 500
"""Partitions in one call: each repeats all columns, and servers limit a message to 100 MB."""
PARAMETER = "hive_filter_field_params__"
NO_STATISTICS = {"DO_NOT_UPDATE_STATS": "true"}
EXCLUSIVE, OF_A_TABLE, WITHOUT_TRANSACTION = (Field(TType.I32, number) for number in (3, 2, 6))
ACQUIRED = 1
VALUES, OF_DATABASE, OF_TABLE, STORAGE = 1, 2, 3, 6
LOCK_ID, LOCK_STATE, LOCK_BEATEN, LOCK_USER = 1, 2, 8, 10


def named(name: TableName) -> tuple[Field, Field]:
    """Database and table, as most calls begin."""
    return string(name.database), string(name.table)


def parameter_is(parameter: str, value: str) -> str:
    """The filter for tables of which ``parameter`` is ``value``.

    Raises:
        ValueError: Hive's filters have no words for it. Their names are letters, digits and
            underscores, and a quote in a literal can't be escaped.
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


def environment(expected: Expectation | None = None) -> Field:
    """The context of a change: its precondition, and no counting of files."""
    condition: dict[str, str] = {}
    if expected is not None:
        condition["expected_parameter_key"] = expected.key
        condition["expected_parameter_value"] = expected.value
    return struct(strings({**NO_STATISTICS, **condition}))


def partition_of(part: Struct) -> Partition:
    """The partition, with the whole struct as its ``raw``."""
    location = part.struct(STORAGE).text(Storage.LOCATION)
    return Partition(words_of(part.value(VALUES)), location or "", part)


def names_of(partitions: Iterable[Partition], names: Iterable[str]) -> tuple[str, ...]:
    """Those of a server's own names that belong to these partitions: it alone knows its escapes."""
    values = {partition.values for partition in partitions}
    return tuple(name for name in names if values_in(name) in values)


def values_in(partition_name: str) -> tuple[str, ...]:
    """The values in a name such as ``day=2026-11-21/path=a%2Fb``.

    Hive escapes single characters of ASCII, as in a URL.
    """
    return tuple(unquote(part.partition("=")[2]) for part in partition_name.split("/"))


def addition(name: TableName, partitions: Sequence[Partition]) -> Field:
    """The request that adds copies of these partitions where they are missing."""
    parts = sequence(TType.STRUCT, *(_moved(one, name) for one in partitions))
    if_not_exists, need_result = boolean(True), boolean(False)
    return struct(*named(name), parts, if_not_exists, need_result)


def dropping(name: TableName, names: Sequence[str]) -> Field:
    """The request that drops the partitions of these names and leaves their data."""
    delete_data, if_exists, need_result = boolean(False), boolean(True), boolean(False)
    parts = struct(words(*names))
    return struct(*named(name), parts, delete_data, if_exists, None, None, need_result)


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


def batches(all_of_them: Sequence[T]) -> Iterator[Sequence[T]]:
    """The same in pieces for one call each."""
    for start in range(0, len(all_of_them), BATCH):
        yield all_of_them[start : start + BATCH]


def _moved(partition: Partition, name: TableName) -> Struct:
    if not isinstance(partition.raw, Struct):
        raise TypeError(f"a partition for {name} was read by another client")
    database, table = named(name)
    return partition.raw.replaced({OF_DATABASE: database, OF_TABLE: table})
